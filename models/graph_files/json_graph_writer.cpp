#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/json_text.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// The shortest decimal that reads back as the same number.
std::string number(double value, const char* what) {
  if (std::isfinite(value)) return fmt::format("{}", value);
  throw InvalidInput(
      fmt::format("{} is {}, which JSON cannot say; give a finite number", what, value));
}

/// `, "key": ` between what is there and what comes, `"key": ` at the start.
void begin_value(std::string& object, const char* key) {
  fmt::format_to(std::back_inserter(object), "{}\"{}\": ", object.empty() ? "" : ", ", key);
}

/// @param passed_on  whether the item is temporary where the file does not say so
std::string data_object(const TaskGraph& graph, Index data, bool passed_on) {
  std::string object;
  if (!graph.parts().data_names.empty()) {
    begin_value(object, "name");
    object += json_quoted(graph.data_name(data));
  }
  begin_value(object, "bytes");
  object += fmt::format("{}", graph.bytes(data));
  const bool temporary = graph.temporary(data);
  if (graph.early_home(data)) {
    object += R"(, "home": "early")";
  } else if (temporary != passed_on) {
    object += fmt::format(", \"temporary\": {}", temporary);
  }
  return object;
}

std::string task_object(const TaskGraph& graph, Index task, const std::vector<Index>& after) {
  const auto& parts = graph.parts();
  std::string object;
  if (!parts.task_names.empty()) {
    begin_value(object, "name");
    object += json_quoted(graph.task_name(task));
  }
  if (!parts.task_kinds.empty()) {
    begin_value(object, "kind");
    object += json_quoted(graph.kind_name(task));
  }
  std::vector<Index> read;
  std::vector<Index> written;
  std::vector<Index> commuting;
  std::vector<Index> reducing;
  graph.for_each_access(task, [&](Index data, Access access) {
    if (commutes(access)) return commuting.push_back(data);
    if (reduces(access)) return reducing.push_back(data);
    if (reads(access)) read.push_back(data);
    if (writes(access)) written.push_back(data);
  });
  begin_value(object, "reads");
  object += fmt::format("[{}]", fmt::join(read, ", "));
  if (!written.empty()) {
    begin_value(object, "writes");
    object += fmt::format("[{}]", fmt::join(written, ", "));
  }
  if (!commuting.empty()) {
    begin_value(object, "commutes");
    object += fmt::format("[{}]", fmt::join(commuting, ", "));
  }
  if (!reducing.empty()) {
    begin_value(object, "reduces");
    object += fmt::format("[{}]", fmt::join(reducing, ", "));
  }
  begin_value(object, "flops");
  object += number(graph.flops(task), "a number of flops");
  if (!parts.output_bytes.empty()) {
    begin_value(object, "output_bytes");
    object += fmt::format("{}", graph.output_bytes(task));
  }
  if (!parts.priorities.empty()) {
    begin_value(object, "priority");
    object += number(graph.priority(task), "a priority");
  }
  if (!after.empty()) {
    begin_value(object, "after");
    object += fmt::format("[{}]", fmt::join(after, ", "));
  }
  return object;
}

}  // namespace

// Only texts are written by nlohmann-json. It would spell 1000 flops "1000.0", so a graph
// that was exported before would come out as another file, with another digest.
void write_json(const TaskGraph& graph, std::ostream& out) {
  out << "{\"damocles\": 1,\n \"data\": [";
  const std::vector<bool> passed_on = graph.passed_on();
  for (std::size_t d = 0; d < graph.data(); ++d) {
    out << (d == 0 ? "\n  {" : ",\n  {") << data_object(graph, static_cast<Index>(d), passed_on[d])
        << "}";
  }
  out << "],\n \"tasks\": [";
  auto waits = graph.parts().dependencies;
  std::sort(waits.begin(), waits.end());
  auto wait = waits.begin();
  std::vector<Index> after;
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    after.clear();
    for (; wait != waits.end() && wait->first == t; ++wait) after.push_back(wait->second);
    out << (t == 0 ? "\n  {" : ",\n  {") << task_object(graph, static_cast<Index>(t), after) << "}";
  }
  out << "]}\n";
}

}  // namespace damocles
