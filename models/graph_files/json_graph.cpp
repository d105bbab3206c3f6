// Reads our own format of task graphs, JSON.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <istream>
#include <span>
#include <unordered_map>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/graph_files/json_events.hpp"
#include "models/graph_files/json_text.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Names = std::vector<std::string>;

/// How a task accesses what the list of that key names; nothing where it names no data item.
std::optional<Access> listed(std::string_view key) {
  if (key == "reads") return Access::read;
  if (key == "writes") return Access::write;
  if (key == "commutes") return Access::commute;
  if (key == "reduces") return Access::reduce;
  return std::nullopt;
}

using Keys = std::span<const std::string_view>;
constexpr std::array<std::string_view, 3> keys_of_root{"damocles", "data", "tasks"};
constexpr std::array<std::string_view, 4> keys_of_data{"name", "bytes", "temporary", "home"};
constexpr std::array<std::string_view, 10> keys_of_task{
    "name",    "kind",  "reads",        "writes",   "commutes",
    "reduces", "flops", "output_bytes", "priority", "after"};

/// What `reads`, `writes`, `commutes`, `reduces` and `after` name: items by index, or by names that
/// are looked up at the end, when all items are known.
struct References {
  Names kind;  ///< "reads", "data" or "waits for", "task": what errors call it
  std::vector<Index> items{};
  std::vector<std::uint32_t> places{};  ///< in the text, below most_graph_bytes
  std::vector<std::pair<std::size_t, std::string>> named{};  ///< (place in `items`, name)

  void add(Index item, std::size_t place) {
    items.push_back(item);
    places.push_back(static_cast<std::uint32_t>(place));
  }
  void add(std::string name, std::size_t place) {
    named.emplace_back(items.size(), std::move(name));
    add(Index{0}, place);
  }
  /// Replaces names by indices. `names` may be empty: then item i is called `letter` i.
  /// @throws InvalidInput on an index or a name that is not there, or a name that two have
  void resolve(std::string_view file, const JsonText& text, const Names& names, char letter,
               std::size_t count);

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

void References::resolve(std::string_view file, const JsonText& text, const Names& names,
                         char letter, std::size_t count) {
  constexpr Index two = ~Index{0};
  std::unordered_map<std::string, Index> index;
  for (std::size_t i = 0; !named.empty() && i < count; ++i) {
    const auto name = names.empty() ? usual_name(letter, i) : names[i];
    const auto [entry, is_new] = index.emplace(name, static_cast<Index>(i));
    if (!is_new) entry->second = two;
  }
  for (const auto& [place, name] : named) {
    const auto entry = index.find(name);
    if (entry == index.end()) refuse_name(file, text.line_of(places[place]), name, names);
    if (entry->second == two) {
      refuse_file(
          file, text.line_of(places[place]),
          fmt::format("{} '{}', a name that two have; write the index", kind[0], shown(name)));
    }
    items[place] = entry->second;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i] < count) continue;
    refuse_file(file, text.line_of(places[i]),
                fmt::format("{} {} {}, but {}", kind[0], kind[1], items[i],
                            count == 0   ? "there is none"
                            : count == 1 ? "the only one is 0"
                                         : fmt::format("the last one is {}; write an index from 0",
                                                       count - 1)));
  }
}

/// A vector that is empty until an item says something; those before it then have the default.
template <typename T, typename Default>
void set_at(std::vector<T>& values, std::size_t item, T value, Default&& usual) {
  while (values.size() < item) values.push_back(usual(values.size()));
  values.push_back(std::move(value));
}

/// Takes the parser's events and builds the graph: of the JSON itself nothing is kept.
class GraphHandler final : public JsonText::Events {
 public:
  GraphHandler(std::string file, const GraphDefaults& defaults, const JsonText& text)
      : file_(std::move(file)), defaults_(defaults), text_(text) {}

  bool null() override { wrong("null"); }
  bool boolean(bool value) override;
  bool binary(binary_t&) override { wrong("binary"); }  // text has none
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), std::nullopt,
                  [&] { return fmt::format("{}", value); });
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), value, [&] { return fmt::format("{}", value); });
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(value, std::nullopt, [&] { return shown(text); });
  }
  bool text(std::string_view value) override;
  bool start_object(std::size_t) override;
  bool start_array(std::size_t) override;
  bool name(std::string_view key) override;
  bool end_object() override;
  bool end_array() override;
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override;

  /// The graph, when the parser is done.
  TaskGraph graph();

 private:
  enum class Within : std::uint8_t { file, root, all_data, all_tasks, data, task, accesses, after };

  [[noreturn]] void refuse(std::string_view why) const { refuse_file(file_, text_.line(), why); }
  /// Refuses a value that cannot stand here, and says what can.
  [[noreturn]] void wrong(std::string_view value) const;
  [[nodiscard]] std::size_t data() const { return parts_.bytes.size(); }
  [[nodiscard]] std::size_t tasks() const { return parts_.flops.size(); }
  /// @param text  what says the number, for an error
  template <typename Text>
  bool number(double value, std::optional<std::uint64_t> whole, Text&& text);
  /// The task we are in accesses a data item, by name or index, as the list we are in says.
  template <typename Item>
  void access(Item&& item) {
    reads_.add(std::forward<Item>(item), text_.place());
    accesses_.push_back(access_);
  }
  void reserve(std::size_t left);
  void set_kind(std::string_view name);
  void set_lifetime(Lifetime lifetime);

  std::string file_;
  GraphDefaults defaults_;
  const JsonText& text_;
  Within within_ = Within::file;
  std::string_view key_;          ///< one of those above
  Access access_ = Access::read;  ///< as the list says that we are in
  unsigned root_keys_ = 0;        ///< that were given, a bit each
  std::unordered_map<std::string, std::uint16_t> kinds_;
  unsigned keys_ = 0;  ///< of the data or task we are in
  TaskGraph::Parts parts_;
  References reads_{.kind = {"reads", "data item"}};
  References after_{.kind = {"waits for", "task"}};
  std::vector<Access> accesses_;        ///< how each item of reads_ is accessed
  std::vector<Index> waiting_;          ///< the task of each item of after_
  std::optional<std::uint64_t> bytes_;  ///< of the data we are in
  std::optional<double> flops_;         ///< of the task we are in
};

const char* const outermost = R"({"damocles": 1, "data": [...], "tasks": [...]})";

/// What may stand behind a key of a data item or a task.
std::string value_of(std::string_view key) {
  if (key == "name" || key == "kind") return "a string";
  if (key == "bytes") return fmt::format("a whole number from 1 to {}", most_bytes);
  if (key == "output_bytes") return fmt::format("a whole number from 0 to {}", most_bytes);
  if (key == "flops") return fmt::format("a number from 0 to {}", most_flops);
  if (key == "priority") return "a number";
  if (key == "temporary") return "true or false";
  if (key == "home") return "'early' or 'end'";
  return "a list of names or indices, [...]";
}

void GraphHandler::wrong(std::string_view value) const {
  std::string what(key_);
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
      right = value_of(key_);
      break;
    case Within::accesses:
    case Within::after:
      what = fmt::format("an item of {}", key_);
      right = fmt::format("a name or an index from 0 to {}", most_items - 1);
      break;
  }
  refuse(fmt::format("{} is {}; write {}", what, value, right));
}

template <typename Text>
bool GraphHandler::number(double value, std::optional<std::uint64_t> whole, Text&& text) {
  const bool is_index = whole && *whole < most_items;
  if (within_ == Within::accesses && is_index) {
    access(static_cast<Index>(*whole));
    return true;
  }
  if (within_ == Within::after && is_index) {
    after_.add(static_cast<Index>(*whole), text_.place());
    return true;
  }
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
  wrong(text());
}

bool GraphHandler::boolean(bool value) {
  if (within_ != Within::data || key_ != "temporary") wrong(value ? "true" : "false");
  set_lifetime(value ? Lifetime::temporary : Lifetime::kept);
  return true;
}

/// `temporary` and `home` say it together.
void GraphHandler::set_lifetime(Lifetime lifetime) {
  if (parts_.lifetimes.size() <= data()) {
    return set_at(parts_.lifetimes, data(), lifetime, [](std::size_t) { return Lifetime::by_use; });
  }
  Lifetime& before = parts_.lifetimes.back();
  if (before == Lifetime::temporary || lifetime == Lifetime::temporary) {
    refuse("a temporary data item does not go home; leave out temporary or home");
  }
  if (lifetime == Lifetime::early_home) before = lifetime;
}

bool GraphHandler::text(std::string_view value) {
  if (within_ == Within::data && key_ == "name") {
    set_at(parts_.data_names, data(), std::string(value),
           [](std::size_t d) { return usual_name('D', d); });
  } else if (within_ == Within::task && key_ == "name") {
    set_at(parts_.task_names, tasks(), std::string(value),
           [](std::size_t t) { return usual_name('T', t); });
  } else if (within_ == Within::task && key_ == "kind") {
    set_kind(value);
  } else if (within_ == Within::data && key_ == "home" && (value == "early" || value == "end")) {
    set_lifetime(value == "early" ? Lifetime::early_home : Lifetime::kept);
  } else if (within_ == Within::accesses) {
    access(std::string(value));
  } else if (within_ == Within::after) {
    after_.add(std::string(value), text_.place());
  } else {
    wrong(fmt::format("'{}'", shown(value)));
  }
  return true;
}

/// Room for about as many tasks as the rest of a text can hold, so that no list is moved as it
/// grows. Of what is too much no page is touched.
void GraphHandler::reserve(std::size_t left) {
  constexpr std::size_t bytes_of_task = 64;
  constexpr std::size_t bytes_of_access = 16;
  parts_.task_kinds.reserve(left / bytes_of_task);
  parts_.flops.reserve(left / bytes_of_task);
  parts_.priorities.reserve(left / bytes_of_task);
  parts_.input_begin.reserve(left / bytes_of_task);
  reads_.items.reserve(left / bytes_of_access);
  reads_.places.reserve(left / bytes_of_access);
  accesses_.reserve(left / bytes_of_access);
}

void GraphHandler::set_kind(std::string_view name) {
  if (parts_.task_kinds.size() < tasks()) {
    refuse("this task has a kind, but one before has none; write one for each, or none");
  }
  auto& names = parts_.kind_names;
  if (!names.empty() && names[parts_.task_kinds.back()] == name) {  // as most often
    return parts_.task_kinds.push_back(parts_.task_kinds.back());
  }
  auto entry = kinds_.find(std::string(name));
  if (entry == kinds_.end()) {
    if (names.size() == most_kinds) refuse(fmt::format("more than {} kinds of tasks", most_kinds));
    entry = kinds_.emplace(name, static_cast<std::uint16_t>(names.size())).first;
    names.emplace_back(name);
  }
  parts_.task_kinds.push_back(entry->second);
}

bool GraphHandler::start_object(std::size_t) {
  if (within_ == Within::file) {
    within_ = Within::root;
  } else if (within_ == Within::all_data || within_ == Within::all_tasks) {
    within_ = within_ == Within::all_data ? Within::data : Within::task;
    keys_ = 0;
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
    if (within_ == Within::all_tasks) reserve(text_.left());
  } else if (const auto access = listed(key_); within_ == Within::task && access) {
    within_ = Within::accesses;
    access_ = *access;
  } else if (within_ == Within::task && key_ == "after") {
    within_ = Within::after;
  } else {
    wrong("a list");
  }
  return true;
}

bool GraphHandler::name(std::string_view key) {
  const bool root = within_ == Within::root;
  const Keys valid = root                      ? Keys(keys_of_root)
                     : within_ == Within::data ? Keys(keys_of_data)
                                               : Keys(keys_of_task);
  const auto at = std::find_if(valid.begin(), valid.end(), [&](std::string_view one) {
    return one.size() == key.size() && one[0] == key[0] && one == key;  // rarely compares all
  });
  if (at == valid.end()) {
    if (root && (key == "task_graph" || key == "network")) {
      refuse(
          fmt::format("'{}' is of an instance of SAGA, which has a task graph and a network; "
                      "write its tasks and dependencies as DOT, as a [size=1.5e9]; a -> b "
                      "[size=4e6] in flops and bytes, and its nodes as a platform file",
                      key));
    }
    const auto near = nearest(shown(key), Names(valid.begin(), valid.end()));
    refuse(fmt::format("unknown key '{}'; {}valid: {}", shown(key),
                       near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                       fmt::join(valid, ", ")));
  }
  unsigned& seen = root ? root_keys_ : keys_;
  const unsigned bit = 1U << static_cast<unsigned>(at - valid.begin());
  if ((seen & bit) != 0) refuse(fmt::format("'{}' is given twice; write it once", key));
  seen |= bit;
  key_ = *at;
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
  refuse(json_fault(error.what()));
}

TaskGraph GraphHandler::graph() {
  for (std::size_t i = 0; i < keys_of_root.size(); ++i) {
    if ((root_keys_ >> i & 1U) != 0) continue;
    refuse_file(file_, 0, fmt::format("'{}' is missing; write {}", keys_of_root[i], outermost));
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
  parts_.lifetimes.resize(data(), Lifetime::by_use);
  if (!parts_.priorities.empty()) parts_.priorities.resize(tasks());
  reads_.resolve(file_, text_, parts_.data_names, 'D', data());
  after_.resolve(file_, text_, parts_.task_names, 'T', tasks());
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
  JsonText text(in);
  GraphHandler handler(name, defaults, text);
  if (text.tell_fast(handler)) return handler.graph();
  GraphHandler again(name, defaults, text);
  text.tell(again);
  return again.graph();
}

namespace {

const Register json_format{GraphFormat{
    .name = ".json", .place = 3, .title = "Damocles' own", .read = read_json, .write = write_json}};

}  // namespace
}  // namespace damocles
