// Reads graphs of the Standard Task Graph Set.

#include <fmt/format.h>

#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/platforms/gpu_presets.hpp"

namespace damocles {
namespace {

/// Who is passed what by whom: an edge of the graph.
struct StgEdge {
  TaskGraph::Index before = 0;
  TaskGraph::Index after = 0;
  double cost = 0;
};

class StgReader {
 public:
  StgReader(std::istream& in, const std::string& name, const GraphDefaults& defaults)
      : lines_(in, name), defaults_(defaults) {}

  TaskGraph read();

 private:
  /// The next line of numbers; false at the end, and where the comments begin.
  bool next();
  void read_header();
  void read_task();
  void add_edge(std::string_view before, double cost);
  [[nodiscard]] double cost(std::string_view word, std::string_view what) const;
  void check_counts() const;
  [[nodiscard]] std::vector<PassedData> passed() const;
  void note() const;

  TextLines lines_;
  GraphDefaults defaults_;
  std::uint64_t announced_ = 0;
  std::size_t header_line_ = 0;
  std::uint64_t first_ = 0;  // number of the first task
  bool has_costs_ = false;   // of communication
  std::vector<double> times_;
  std::vector<StgEdge> edges_;
};

bool StgReader::next() {
  while (lines_.next()) {
    const auto& words = lines_.words();
    if (!words.empty()) return words.front().front() != '#';
  }
  return false;
}

void StgReader::read_header() {
  constexpr auto right = "write the number of tasks";
  if (!next()) lines_.refuse_at(lines_.number() + 1, fmt::format("no task here; {}", right));
  const auto& words = lines_.words();
  if (words.size() == 2) {
    lines_.refuse(fmt::format("'{}', as in the prototype set, which has another format; {}",
                              shown(lines_.text()), right));
  }
  if (words.size() != 1) lines_.refuse(fmt::format("'{}'; {}", shown(lines_.text()), right));
  announced_ = lines_.whole(words[0], "the number of tasks", 1, most_items - 2);
  header_line_ = lines_.number();
}

double StgReader::cost(std::string_view word, std::string_view what) const {
  constexpr double most_cost = 1e12;
  const auto value = signed_number(word);
  if (!value || !(*value >= 0) || *value > most_cost) {
    lines_.refuse(
        fmt::format("{} is '{}'; write a number from 0 to {:g}", what, shown(word), most_cost));
  }
  return *value;
}

void StgReader::add_edge(std::string_view before, double cost) {
  const auto other = lines_.whole(before, "the predecessor", first_, first_ + announced_ + 1);
  edges_.push_back({static_cast<TaskGraph::Index>(other - first_),
                    static_cast<TaskGraph::Index>(times_.size() - 1), cost});
}

void StgReader::read_task() {
  const auto words = lines_.words();
  constexpr std::size_t fixed = 3;  // number, time, how many predecessors
  if (words.size() < fixed) {
    lines_.refuse(
        fmt::format("'{}'; write 'task time predecessors' and these", shown(lines_.text())));
  }
  if (times_.empty()) first_ = lines_.whole(words[0], "the first task", 0, 1);
  const std::uint64_t due = first_ + times_.size();
  static_cast<void>(lines_.whole(words[0], "the task", due, due));
  times_.push_back(cost(words[1], "the processing time"));
  const auto count = lines_.whole(words[2], "the number of predecessors", 0, announced_ + 1);
  if (words.size() == fixed + count) {
    for (std::size_t at = fixed; at < words.size(); ++at) add_edge(words[at], 0);
    return;
  }
  if (words.size() != fixed) {
    lines_.refuse(fmt::format("{} predecessors are announced, but {} follow; write as many", count,
                              words.size() - fixed));
  }
  has_costs_ = true;
  for (std::uint64_t k = 0; k < count; ++k) {
    const bool there = next() && lines_.words().size() == 2;
    if (!there) lines_.refuse("not enough predecessors; write each as 'task cost' on a line");
    const auto pair = lines_.words();
    add_edge(pair[0], cost(pair[1], "the cost of communication"));
  }
}

/// n tasks, or these and an entry and an exit.
void StgReader::check_counts() const {
  const std::size_t due = first_ == 0 ? announced_ + 2 : announced_;
  if (times_.size() != due && times_.size() != announced_) {
    lines_.refuse_at(header_line_,
                     fmt::format("{} tasks and an entry and an exit, but {} follow; write {}",
                                 announced_, times_.size(), due));
  }
  for (const StgEdge& edge : edges_) {
    if (edge.before < times_.size()) continue;
    refuse_file(lines_.name(), 0,
                fmt::format("task {} waits for task {}, which is not there; write it",
                            edge.after + first_, edge.before + first_));
  }
}

std::vector<PassedData> StgReader::passed() const {
  std::vector<PassedData> result;
  const auto unit = static_cast<double>(defaults_.data_bytes.value_or(usual_data_bytes));
  for (const StgEdge& edge : edges_) {
    const bool passes = has_costs_ || defaults_.data_bytes;
    const double bytes = !passes ? 0 : has_costs_ ? edge.cost * unit : unit;
    if (bytes > static_cast<double>(most_bytes)) {
      refuse_file(lines_.name(), 0,
                  fmt::format("task {} is passed {} bytes; at most {} are possible",
                              edge.after + first_, bytes, most_bytes));
    }
    result.push_back({static_cast<std::uint64_t>(bytes), edge.before, {edge.after}});
  }
  return result;
}

void StgReader::note() const {
  std::vector<std::string> taken;
  if (!defaults_.task_flops) {
    taken.push_back(fmt::format("a unit of time is taken as {:g} flops, a second of a usual core",
                                usual_core_flops_per_s));
  }
  if (has_costs_ && !defaults_.data_bytes) {
    taken.push_back(fmt::format("a unit of communication as {} bytes", usual_data_bytes));
  }
  if (!has_costs_ && !defaults_.data_bytes) taken.emplace_back("no data pass between tasks");
  if (taken.empty()) return;
  std::string text = "it has no units: " + taken.front();
  for (std::size_t k = 1; k < taken.size(); ++k) text += ", " + taken[k];
  defaults_.note(text + " (flops= and bytes= give others)");
}

TaskGraph StgReader::read() {
  read_header();
  while (next()) read_task();
  check_counts();
  TaskGraph::Parts parts;
  std::vector<double> flops;
  for (const double time : times_) {
    flops.push_back(time * defaults_.task_flops.value_or(usual_core_flops_per_s));
    if (flops.back() > most_flops) {
      refuse_file(
          lines_.name(), 0,
          fmt::format("a task of {:g} flops; at most {:g} are possible", flops.back(), most_flops));
    }
  }
  add_passing_tasks(parts, flops, passed());
  for (std::size_t task = 0; task < flops.size(); ++task) {
    parts.task_names.push_back(fmt::format("T{}", task + first_));
  }
  parts.independent = defaults_.independent;
  note();
  return finished(std::move(parts), lines_.name());
}

}  // namespace

TaskGraph read_stg(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  return StgReader(in, name, defaults).read();
}

namespace {

const Register stg_format{
    GraphFormat{.name = ".stg", .place = 7, .title = "Standard Task Graph Set", .read = read_stg}};

}  // namespace
}  // namespace damocles
