#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <unordered_map>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Names = std::vector<std::string>;

/// Hands on the characters of another buffer and counts lines, so that errors can name them.
class CountedLines : public std::streambuf {
 public:
  explicit CountedLines(std::streambuf* in) : in_(in) {}
  /// Of the character read last. A number ends only when the next character is seen: where that is
  /// the line's end, it still counts to the line.
  [[nodiscard]] std::size_t line() const { return line_; }

 protected:
  int_type underflow() override { return in_->sgetc(); }
  int_type uflow() override {
    const auto c = in_->sbumpc();
    if (traits_type::eq_int_type(c, traits_type::eof())) return c;
    if (last_ == '\n') ++line_;
    last_ = traits_type::to_char_type(c);
    return c;
  }

 private:
  std::streambuf* in_;
  std::size_t line_ = 1;
  char last_ = ' ';
};

/// How a task accesses what the list of that key names; nothing where it names no data.
std::optional<Access> listed(std::string_view key) {
  if (key == "reads") return Access::read;
  if (key == "writes") return Access::write;
  if (key == "commutes") return Access::commute;
  if (key == "reduces") return Access::reduce;
  return std::nullopt;
}

/// What `reads`, `writes`, `commutes`, `reduces` and `after` name: items by index, or by names that
/// are looked up at the end, when all items are known.
struct References {
  Names kind;  ///< "reads", "data" or "waits for", "task": what errors call it
  std::vector<Index> items{};
  std::vector<std::uint32_t> lines{};
  std::vector<std::pair<std::size_t, std::string>> named{};  ///< (place in `items`, name)

  void add(Index item, std::size_t line) {
    items.push_back(item);
    lines.push_back(static_cast<std::uint32_t>(line));
  }
  void add(std::string name, std::size_t line) {
    named.emplace_back(items.size(), std::move(name));
    add(Index{0}, line);
  }
  /// Replaces names by indices. `names` may be empty: then item i is called `letter` i.
  /// @throws InvalidInput on an index or a name that is not there, or a name that two have
  void resolve(std::string_view file, const Names& names, char letter, std::size_t count);

 private:
  [[noreturn]] void refuse_name(std::string_view file, std::size_t line, const std::string& name,
                                const Names& names) const;
};

std::string usual_name(char letter, std::size_t item) { return fmt::format("{}{}", letter, item); }

void References::refuse_name(std::string_view file, std::size_t line, const std::string& name,
                             const Names& names) const {
  constexpr std::size_t few = 10000;  // edit distances to more names, or longer ones, take long
  const bool guess = names.size() <= few && name.size() <= 40;
  const std::string near = guess ? nearest(name, names) : "";
  refuse_file(file, line,
              fmt::format("{} '{}', but no {} has that name; {}write a name or an index", kind[0],
                          shown(name), kind[1],
                          near.empty() ? "" : fmt::format("did you mean '{}'? ", shown(near))));
}

void References::resolve(std::string_view file, const Names& names, char letter,
                         std::size_t count) {
  constexpr Index two = ~Index{0};
  std::unordered_map<std::string, Index> index;
  for (std::size_t i = 0; !named.empty() && i < count; ++i) {
    const auto name = names.empty() ? usual_name(letter, i) : names[i];
    const auto [entry, is_new] = index.emplace(name, static_cast<Index>(i));
    if (!is_new) entry->second = two;
  }
  for (const auto& [place, name] : named) {
    const auto entry = index.find(name);
    if (entry == index.end()) refuse_name(file, lines[place], name, names);
    if (entry->second == two) {
      refuse_file(
          file, lines[place],
          fmt::format("{} '{}', a name that two have; write the index", kind[0], shown(name)));
    }
    items[place] = entry->second;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i] < count) continue;
    refuse_file(file, lines[i],
                fmt::format("{} {} {}, but there are {} (from 0); write a smaller index", kind[0],
                            kind[1], items[i], count));
  }
}

/// A vector that is empty until an item says something; those before it then have the default.
template <typename T, typename Default>
void set_at(std::vector<T>& values, std::size_t item, T value, Default&& usual) {
  while (values.size() < item) values.push_back(usual(values.size()));
  values.push_back(std::move(value));
}

/// Takes the parser's events and builds the graph: of the JSON itself nothing is kept.
class GraphHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  GraphHandler(std::string file, const GraphDefaults& defaults, const CountedLines& lines)
      : file_(std::move(file)), defaults_(defaults), lines_(lines) {}

  bool null() override { wrong("null"); }
  bool boolean(bool value) override { wrong(value ? "true" : "false"); }
  bool binary(binary_t&) override { wrong("binary"); }  // text has none
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), std::nullopt, fmt::format("{}", value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), value, fmt::format("{}", value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(value, std::nullopt, shown(text));
  }
  bool string(string_t& value) override;
  bool start_object(std::size_t) override;
  bool start_array(std::size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool end_array() override;
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override;

  /// The graph, when the parser is done.
  TaskGraph graph();

 private:
  enum class Within : std::uint8_t { file, root, all_data, all_tasks, data, task, accesses, after };

  [[noreturn]] void refuse(std::string_view why) const { refuse_file(file_, lines_.line(), why); }
  /// Refuses a value that cannot stand here, and says what can.
  [[noreturn]] void wrong(std::string_view value) const;
  [[nodiscard]] std::size_t data() const { return parts_.bytes.size(); }
  [[nodiscard]] std::size_t tasks() const { return parts_.flops.size(); }
  bool number(double value, std::optional<std::uint64_t> whole, const std::string& text);
  /// The task we are in accesses a data, by name or index, as the list we are in says.
  template <typename Item>
  void access(Item&& item) {
    reads_.add(std::forward<Item>(item), lines_.line());
    accesses_.push_back(*listed(key_));
  }
  void set_kind(const std::string& name);

  std::string file_;
  GraphDefaults defaults_;
  const CountedLines& lines_;
  Within within_ = Within::file;
  std::string key_;
  Names root_keys_;
  std::unordered_map<std::string, std::uint16_t> kinds_;
  Names keys_;  ///< of the data or task we are in
  TaskGraph::Parts parts_;
  References reads_{.kind = {"reads", "data"}};
  References after_{.kind = {"waits for", "task"}};
  std::vector<Access> accesses_;        ///< how each item of reads_ is accessed
  std::vector<Index> waiting_;          ///< the task of each item of after_
  std::optional<std::uint64_t> bytes_;  ///< of the data we are in
  std::optional<double> flops_;         ///< of the task we are in
};

const char* const outermost = R"({"damocles": 1, "data": [...], "tasks": [...]})";

void GraphHandler::wrong(std::string_view value) const {
  std::string what = key_;
  std::string right;
  switch (within_) {
    case Within::file:
      what = "the file";
      right = outermost;
      break;
    case Within::root:
      right = key_ == "damocles" ? "1, the version of this format" : "a list, [...]";
      break;
    case Within::all_data:
      what = "an item of data";
      right = R"({"name": "A", "bytes": 1000})";
      break;
    case Within::all_tasks:
      what = "an item of tasks";
      right = R"({"reads": ["A"], "flops": 1000})";
      break;
    case Within::data:
    case Within::task:
      right = key_ == "name" || key_ == "kind" ? "a string"
              : key_ == "bytes"        ? "a whole number from 1 to " + std::to_string(most_bytes)
              : key_ == "output_bytes" ? "a whole number from 0 to " + std::to_string(most_bytes)
              : key_ == "flops"        ? fmt::format("a number from 0 to {}", most_flops)
              : key_ == "priority"     ? "a number"
                                       : "a list of names or indices, [...]";
      break;
    case Within::accesses:
    case Within::after:
      what = "an item of " + key_;
      right = fmt::format("a name or an index from 0 to {}", most_items - 1);
      break;
  }
  refuse(fmt::format("{} is {}; write {}", what, value, right));
}

bool GraphHandler::number(double value, std::optional<std::uint64_t> whole,
                          const std::string& text) {
  if (within_ == Within::root && key_ == "damocles" && whole == 1U) return true;
  if (within_ == Within::data && key_ == "bytes" && whole && *whole >= 1 && *whole <= most_bytes) {
    bytes_ = whole;
    return true;
  }
  if (within_ == Within::task && key_ == "flops" && value >= 0 && value <= most_flops) {
    flops_ = value;
    return true;
  }
  if (within_ == Within::task && key_ == "output_bytes" && whole && *whole <= most_bytes) {
    set_at(parts_.output_bytes, tasks(), *whole, [](std::size_t) { return std::uint64_t{0}; });
    return true;
  }
  if (within_ == Within::task && key_ == "priority") {
    set_at(parts_.priorities, tasks(), value, [](std::size_t) { return 0.0; });
    return true;
  }
  const bool is_index = whole && *whole < most_items;
  if (within_ == Within::accesses && is_index) {
    access(static_cast<Index>(*whole));
    return true;
  }
  if (within_ == Within::after && is_index) {
    after_.add(static_cast<Index>(*whole), lines_.line());
    return true;
  }
  wrong(text);
}

bool GraphHandler::string(string_t& value) {
  if (within_ == Within::data && key_ == "name") {
    set_at(parts_.data_names, data(), std::move(value),
           [](std::size_t d) { return usual_name('D', d); });
  } else if (within_ == Within::task && key_ == "name") {
    set_at(parts_.task_names, tasks(), std::move(value),
           [](std::size_t t) { return usual_name('T', t); });
  } else if (within_ == Within::task && key_ == "kind") {
    set_kind(value);
  } else if (within_ == Within::accesses) {
    access(std::move(value));
  } else if (within_ == Within::after) {
    after_.add(std::move(value), lines_.line());
  } else {
    wrong(fmt::format("'{}'", shown(value)));
  }
  return true;
}

void GraphHandler::set_kind(const std::string& name) {
  if (parts_.task_kinds.size() < tasks()) {
    refuse("this task has a kind, but one before has none; write one for each, or none");
  }
  auto& names = parts_.kind_names;
  const auto [entry, is_new] = kinds_.emplace(name, static_cast<std::uint16_t>(names.size()));
  if (is_new) {
    if (names.size() == most_kinds) refuse(fmt::format("more than {} kinds of tasks", most_kinds));
    names.push_back(name);
  }
  parts_.task_kinds.push_back(entry->second);
}

bool GraphHandler::start_object(std::size_t) {
  if (within_ == Within::file) {
    within_ = Within::root;
  } else if (within_ == Within::all_data || within_ == Within::all_tasks) {
    within_ = within_ == Within::all_data ? Within::data : Within::task;
    keys_.clear();
    bytes_.reset();
    flops_.reset();
  } else {
    wrong("an object");
  }
  return true;
}

bool GraphHandler::start_array(std::size_t) {
  if (within_ == Within::root && (key_ == "data" || key_ == "tasks")) {
    within_ = key_ == "data" ? Within::all_data : Within::all_tasks;
  } else if (within_ == Within::task && (listed(key_) || key_ == "after")) {
    within_ = key_ == "after" ? Within::after : Within::accesses;
  } else {
    wrong("a list");
  }
  return true;
}

bool GraphHandler::key(string_t& name) {
  static const Names of_root{"damocles", "data", "tasks"};
  static const Names of_data{"name", "bytes"};
  static const Names of_task{"name",    "kind",  "reads",        "writes",   "commutes",
                             "reduces", "flops", "output_bytes", "priority", "after"};
  const bool root = within_ == Within::root;
  const Names& valid = root ? of_root : within_ == Within::data ? of_data : of_task;
  if (std::find(valid.begin(), valid.end(), name) == valid.end()) {
    if (root && (name == "task_graph" || name == "network")) {
      refuse(
          fmt::format("'{}' is of an instance of SAGA, which has a task graph and a network; "
                      "write its tasks and dependencies as DOT, as a [size=1.5e9]; a -> b "
                      "[size=4e6] in flops and bytes, and its nodes as a platform file",
                      name));
    }
    const auto near = nearest(shown(name), valid);
    refuse(fmt::format("unknown key '{}'; {}write {}", shown(name),
                       near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                       fmt::join(valid, ", ")));
  }
  Names& seen = root ? root_keys_ : keys_;
  if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
    refuse(fmt::format("'{}' is given twice; write it once", name));
  }
  seen.push_back(name);
  key_ = std::move(name);
  return true;
}

bool GraphHandler::end_object() {
  if (within_ == Within::data) {
    parts_.bytes.push_back(bytes_ ? *bytes_ : defaults_.bytes());
    within_ = Within::all_data;
  } else if (within_ == Within::task) {
    waiting_.resize(after_.items.size(), static_cast<Index>(tasks()));
    parts_.input_begin.push_back(reads_.items.size());
    parts_.flops.push_back(flops_ ? *flops_ : defaults_.flops());
    within_ = Within::all_tasks;
  } else {
    within_ = Within::file;
  }
  return true;
}

bool GraphHandler::end_array() {
  const bool of_task = within_ == Within::accesses || within_ == Within::after;
  within_ = of_task ? Within::task : Within::root;
  return true;
}

bool GraphHandler::parse_error(std::size_t, const std::string&,
                               const nlohmann::detail::exception& error) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: what": only what is new.
  std::string_view what = error.what();
  what.remove_prefix(std::min(what.size(), what.find("] ") + 2));
  if (what.starts_with("parse error at")) what.remove_prefix(what.find(": ") + 2);
  refuse(fmt::format("not JSON: {}", shown(what, 200)));
}

TaskGraph GraphHandler::graph() {
  for (const std::string key : {"damocles", "data", "tasks"}) {
    if (std::find(root_keys_.begin(), root_keys_.end(), key) == root_keys_.end()) {
      refuse_file(file_, 0, fmt::format("'{}' is missing; write {}", key, outermost));
    }
  }
  if (!parts_.data_names.empty()) {
    for (auto d = parts_.data_names.size(); d < data(); ++d) {
      parts_.data_names.push_back(usual_name('D', d));
    }
  }
  if (!parts_.task_names.empty()) {
    for (auto t = parts_.task_names.size(); t < tasks(); ++t) {
      parts_.task_names.push_back(usual_name('T', t));
    }
  }
  if (!parts_.output_bytes.empty()) parts_.output_bytes.resize(tasks());
  if (!parts_.priorities.empty()) parts_.priorities.resize(tasks());
  reads_.resolve(file_, parts_.data_names, 'D', data());
  after_.resolve(file_, parts_.task_names, 'T', tasks());
  parts_.inputs = std::move(reads_.items);
  parts_.accesses = std::move(accesses_);
  if (!parts_.task_kinds.empty() && parts_.task_kinds.size() < tasks()) {
    refuse_file(file_, 0,
                fmt::format("task '{}' has no kind, but others have; write one for each, or none",
                            parts_.task_names.empty()
                                ? usual_name('T', parts_.task_kinds.size())
                                : shown(parts_.task_names[parts_.task_kinds.size()])));
  }
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    parts_.dependencies.emplace_back(waiting_[i], after_.items[i]);
  }
  parts_.independent = defaults_.independent;
  return finished(std::move(parts_), file_);
}

}  // namespace

TaskGraph read_json(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  CountedLines lines(in.rdbuf());
  std::istream counted(&lines);
  GraphHandler handler(name, defaults, lines);
  nlohmann::json::sax_parse(counted, &handler);
  return handler.graph();
}

namespace {

const Register json_format{GraphFormat{
    .name = ".json", .place = 3, .title = "our own", .read = read_json, .write = write_json}};

}  // namespace
}  // namespace damocles
