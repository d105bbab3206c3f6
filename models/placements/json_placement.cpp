#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "models/error.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/graph_files/json_text.hpp"
#include "models/placements/placement.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using PlacementJson = nlohmann::ordered_json;

constexpr const char* whole_placement =
    R"({"damocles_placement": 1, "processors": [["T0", 2], [1]], "groups": [{"tasks": [3]}]})";

class PlacementReader {
 public:
  PlacementReader(const std::string& file, const TaskGraph& graph) : file_(file), graph_(graph) {}

  PlacedTasks read(std::string_view text);

 private:
  [[noreturn]] void refuse(std::string_view why) const { refuse_file(file_, 0, why); }
  [[nodiscard]] PlacementJson parsed(std::string_view text) const;
  void check_keys(const PlacementJson& object, const std::string& where,
                  const std::vector<std::string>& known) const;
  [[nodiscard]] const PlacementJson& list(const PlacementJson& value, const std::string& where,
                                          const char* of) const;
  void read_processors(const PlacementJson& value);
  void read_group(const PlacementJson& group, const std::string& where);
  [[nodiscard]] Index task(const PlacementJson& value, const std::string& where);
  [[nodiscard]] Index named(const std::string& name, const std::string& where);

  const std::string& file_;
  const TaskGraph& graph_;
  std::unordered_map<std::string, Index> names_;  // of the graph's tasks, where one is asked for
  PlacedTasks result_;
};

/// What nests deeper than a placement does is refused on the way: it may nest as deep as a file is
/// long.
PlacementJson PlacementReader::parsed(std::string_view text) const {
  constexpr int deepest = 4;  // {groups: [{tasks: [name
  const auto shallow = [&](int depth, PlacementJson::parse_event_t, const PlacementJson&) {
    if (depth > deepest) {
      refuse(fmt::format("lists or objects more than {} deep; write {}", deepest, whole_placement));
    }
    return true;
  };
  try {
    return PlacementJson::parse(text, shallow);
  } catch (const PlacementJson::parse_error& error) {
    const auto lines = std::count(
        text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size())),
        '\n');
    refuse_file(file_, static_cast<std::size_t>(lines) + 1,
                fmt::format("{}; write {}", json_fault(error.what()), whole_placement));
  } catch (const PlacementJson::exception& error) {  // a number too large
    refuse(fmt::format("not JSON that can be read: {}", shown(error.what(), 200)));
  }
}

void PlacementReader::check_keys(const PlacementJson& object, const std::string& where,
                                 const std::vector<std::string>& known) const {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    refuse(fmt::format("{} has the unknown key '{}'; write {}", where, shown(key),
                       fmt::join(known, ", ")));
  }
}

const PlacementJson& PlacementReader::list(const PlacementJson& value, const std::string& where,
                                           const char* of) const {
  if (!value.is_array()) refuse(fmt::format("{} must be a list of {}, [...]", where, of));
  return value;
}

Index PlacementReader::named(const std::string& name, const std::string& where) {
  constexpr Index two = ~Index{0};
  const bool unknown = names_.empty();
  for (Index task = 0; unknown && task < graph_.tasks(); ++task) {
    const auto [entry, is_new] = names_.emplace(graph_.task_name(task), task);
    if (!is_new) entry->second = two;
  }
  const auto found = names_.find(name);
  if (found == names_.end()) {
    refuse(fmt::format(
        "{}: no task is called '{}'; write a name of the workload, or an index below {}", where,
        shown(name), graph_.tasks()));
  }
  if (found->second == two) {
    refuse(fmt::format("{}: two tasks are called '{}'; write the index", where, shown(name)));
  }
  return found->second;
}

Index PlacementReader::task(const PlacementJson& value, const std::string& where) {
  if (value.is_string()) return named(value.get_ref<const std::string&>(), where);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() < graph_.tasks()) {
    return value.get<Index>();
  }
  refuse(fmt::format("{} must be a task, a name or an index below {}", where, graph_.tasks()));
}

void PlacementReader::read_processors(const PlacementJson& value) {
  const PlacementJson& lists = list(value, "processors", "lists of tasks");
  for (std::size_t p = 0; p < lists.size(); ++p) {
    const std::string of = fmt::format("processors[{}]", p);
    const PlacementJson& tasks = list(lists[p], of, "tasks");
    for (std::size_t at = 0; at < tasks.size(); ++at) {
      const std::string where = fmt::format("{}[{}]", of, at);
      result_.tasks.push_back({.task = task(tasks[at], where),
                               .processors = {static_cast<std::uint32_t>(p)},
                               .turn = static_cast<double>(at),
                               .where = where});
    }
  }
}

void PlacementReader::read_group(const PlacementJson& group, const std::string& where) {
  if (!group.is_object() || !group.contains("tasks")) {
    refuse(fmt::format(R"({} must be {{"tasks": [...], "processors": [...]}})", where));
  }
  check_keys(group, where, {"tasks", "processors"});
  std::vector<std::uint32_t> processors;
  if (group.contains("processors")) {
    for (const auto& value : list(group["processors"], where + ".processors", "processors")) {
      if (!value.is_number_unsigned() ||
          value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
        refuse(fmt::format("{}.processors must hold numbers of processors, from 0", where));
      }
      processors.push_back(value.get<std::uint32_t>());
    }
    if (processors.empty()) {
      refuse(fmt::format("{}.processors is empty; leave it out where any may run them", where));
    }
  }
  const PlacementJson& tasks = list(group["tasks"], where + ".tasks", "tasks");
  for (std::size_t at = 0; at < tasks.size(); ++at) {
    const std::string place = fmt::format("{}.tasks[{}]", where, at);
    result_.tasks.push_back(
        {.task = task(tasks[at], place), .processors = processors, .where = place});
  }
}

PlacedTasks PlacementReader::read(std::string_view text) {
  const PlacementJson all = parsed(text);
  if (!all.is_object() || !all.contains("damocles_placement") || all["damocles_placement"] != 1) {
    refuse(fmt::format("no placement; write {}", whole_placement));
  }
  check_keys(all, "the file", {"damocles_placement", "processors", "groups"});
  if (all.contains("processors")) read_processors(all["processors"]);
  if (!all.contains("groups")) return std::move(result_);
  const PlacementJson& groups = list(all["groups"], "groups", "groups of tasks");
  for (std::size_t g = 0; g < groups.size(); ++g) {
    read_group(groups[g], fmt::format("groups[{}]", g));
  }
  return std::move(result_);
}

}  // namespace

PlacedTasks read_json_placement(std::string_view text, const std::string& file,
                                const Workload& workload) {
  return PlacementReader(file, workload.graph()).read(text);
}

}  // namespace damocles
