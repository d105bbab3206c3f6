#include "models/placements/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "models/error.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/input_file.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

constexpr std::uint64_t most_placement_bytes = 4'000'000'000;

/// A task that comes right after another one on a processor.
struct AfterOnList {
  std::uint32_t processor = 0;
  std::optional<Index> before{};
};

/// The tasks before each on the list of its processor.
std::vector<AfterOnList> places_on_lists(const GivenPlacement& placement, std::size_t tasks) {
  std::vector<AfterOnList> result(tasks);
  for (const auto& [processor, list] : placement.lists) {
    for (std::size_t at = 0; at < list.size(); ++at) {
      result[list[at]].processor = processor;
      if (at > 0) result[list[at]].before = list[at - 1];
    }
  }
  return result;
}

/// A circle in words: steps along one list count as one.
std::string in_words(std::vector<Index> circle, const std::vector<AfterOnList>& places,
                     const TaskGraph& graph) {
  constexpr std::size_t few = 6;
  const auto follows = [&](std::size_t at) {
    return places[circle[at]].before == circle[(at + 1) % circle.size()];
  };
  // From a task that is waited for by one that is not behind it on its list: such there is, as no
  // list is a circle.
  std::size_t begin = 0;
  while (follows((begin + circle.size() - 1) % circle.size())) ++begin;
  std::rotate(circle.begin(), circle.begin() + static_cast<std::ptrdiff_t>(begin), circle.end());
  std::vector<std::string> steps;
  for (std::size_t at = 0; at < circle.size();) {
    const std::size_t from = at;
    const bool on_list = follows(at);
    do {
      ++at;
    } while (on_list && at < circle.size() && follows(at));
    const auto after = shown(graph.task_name(circle[from]));
    const auto before = shown(graph.task_name(circle[at % circle.size()]));
    steps.push_back(on_list ? fmt::format("'{}' comes after '{}' on processor {}", after, before,
                                          places[circle[from]].processor)
                            : fmt::format("'{}' waits for '{}'", after, before));
  }
  const std::size_t more = steps.size() > few ? steps.size() - few : 0;
  std::string text;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (more > 0 && step + 1 == few) text += fmt::format("{} more steps, ", more);
    if (step + 1 < few || step + 1 == steps.size()) text += steps[step] + ", ";
  }
  return text + "which is a circle";
}

void refuse_order_that_cannot_run(const GivenPlacement& placement, const TaskGraph& graph) {
  const auto places = places_on_lists(placement, graph.tasks());
  const Dependencies& dependencies = graph.dependencies();
  const std::size_t nodes = graph.tasks() + dependencies.joints();
  std::vector<Dependencies::Wait> waits = placement.waits;
  for (Index node = 0; node < nodes; ++node) {
    if (node < graph.tasks() && places[node].before) waits.emplace_back(node, *places[node].before);
    for (const Index later : dependencies.nodes_after(node)) waits.emplace_back(later, node);
  }
  auto found = circle(nodes, waits);
  std::erase_if(found, [&](Index node) { return node >= graph.tasks(); });
  if (found.empty()) return;
  refuse_file(placement.file.path, 0,
              fmt::format("this order cannot run: {}; change the order on one processor",
                          in_words(found, places, graph)));
}

/// Of each processor its tasks by their turns, equal ones as submitted.
void set_lists(GivenPlacement& placement, std::vector<PlacedTask>& placed) {
  std::sort(placed.begin(), placed.end(), [](const PlacedTask& a, const PlacedTask& b) {
    return std::pair(a.turn, a.task) < std::pair(b.turn, b.task);
  });
  for (const PlacedTask& one : placed) {
    if (one.turn) placement.lists[one.processors.front()].push_back(one.task);
  }
}

}  // namespace

GivenPlacement GivenPlacement::of(SourceFile file, PlacedTasks placed, const TaskGraph& graph) {
  GivenPlacement result;
  result.file = std::move(file);
  result.waits = std::move(placed.waits);
  result.makespan_s = placed.makespan_s;
  result.group_of.resize(graph.tasks());
  result.where.resize(graph.tasks());
  for (Index task = 0; task < graph.tasks(); ++task) {
    result.priorities.push_back(graph.priority(task));
  }
  std::map<std::vector<std::uint32_t>, std::uint32_t> known{{{}, 0}};
  for (PlacedTask& one : placed.tasks) {
    auto& where = result.where[one.task];
    if (!where.empty()) {
      throw InvalidInput(
          fmt::format("file '{}', {}: task '{}' again, after {}; place each task once",
                      result.file.path, one.where, shown(graph.task_name(one.task)), where));
    }
    where = one.where;
    std::sort(one.processors.begin(), one.processors.end());
    one.processors.erase(std::unique(one.processors.begin(), one.processors.end()),
                         one.processors.end());
    const auto next = static_cast<std::uint32_t>(result.groups.size());
    const auto [group, is_new] = known.emplace(one.processors, next);
    if (is_new) result.groups.push_back(one.processors);
    result.group_of[one.task] = group->second;
    if (one.priority) result.priorities[one.task] = *one.priority;
  }
  const auto missing = [](const std::string& place) { return place.empty(); };
  const auto first = std::find_if(result.where.begin(), result.where.end(), missing);
  if (first != result.where.end()) {
    const auto others = std::count_if(first + 1, result.where.end(), missing);
    const auto task = static_cast<Index>(first - result.where.begin());
    refuse_file(result.file.path, 0,
                fmt::format("task '{}' is placed nowhere{}; say where each task runs",
                            shown(graph.task_name(task)),
                            others > 0 ? fmt::format(", nor are {} more", others) : ""));
  }
  set_lists(result, placed.tasks);
  refuse_order_that_cannot_run(result, graph);
  return result;
}

std::string GivenPlacement::place(Index task) const {
  return fmt::format("file '{}', {}", file.path, where[task]);
}

GivenPlacement read_placement(const std::string& path, const Workload& workload) {
  const std::string ending = in_lower_case(std::filesystem::path(path).extension().string());
  constexpr const char* right = "give StarPU's tasks.rec or sched.rec, or a .json of our own";
  if (ending != ".rec" && ending != ".json") {
    throw InvalidInput(fmt::format("placement '{}' ends in '{}'; {}", path, ending, right));
  }
  const std::string text =
      read_file(path, {.what = "placement", .right = right, .most_bytes = most_placement_bytes});
  Digest digest;
  digest.add(text);
  const bool recorded = text.starts_with("JobId:") || text.find("\nJobId:") != std::string::npos;
  PlacedTasks placed = ending == ".json" ? read_json_placement(text, path, workload)
                       : recorded        ? read_recorded_placement(text, path, workload)
                                         : read_scheduled_placement(text, path, workload);
  return GivenPlacement::of({path, digest.hex()}, std::move(placed), workload.graph());
}

}  // namespace damocles
