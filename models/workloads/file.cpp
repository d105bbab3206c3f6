#include <fmt/format.h>

#include <optional>

#include "models/graph_files/graph_files.hpp"
#include "models/quantity.hpp"
#include "models/workloads/family.hpp"

namespace damocles {
namespace {

std::optional<double> quantity_in(const Spec& spec, const char* key, Unit unit) {
  const auto text = spec.word(key);
  if (!text) return std::nullopt;
  const auto value = parse_quantity(*text, unit);
  if (!value) spec.refuse(quantity_error(key, *text, unit));
  return value;
}

/// The same tasks without any order, where a format did not leave it out itself.
TaskGraph independent(TaskGraph graph) {
  if (!graph.writes() && graph.dependencies().empty()) return graph;
  TaskGraph::Parts parts = graph.parts();
  parts.independent = true;
  return TaskGraph(std::move(parts));
}

Workload graph_of_file(const Spec& spec) {
  const auto path = spec.word("path");
  if (!path) {
    spec.refuse("needs path, as in file:path=graph.mtx; a task graph ends in " +
                endings_in_words());
  }
  GraphDefaults defaults;
  defaults.task_flops = quantity_in(spec, "flops", Unit::flops);
  if (const auto bytes = quantity_in(spec, "bytes", Unit::bytes)) {
    if (!(*bytes >= 1 && *bytes <= 0x1p50)) spec.refuse("bytes must be from 1B to 1PiB");
    defaults.data_bytes = static_cast<std::uint64_t>(*bytes);
  }
  const std::string deps = spec.word("deps").value_or("keep");
  if (deps != "keep" && deps != "ignore") {
    spec.refuse("deps must be keep or ignore, not '" + deps + "'");
  }
  defaults.independent = deps == "ignore";
  SourceFile source;
  TaskGraph graph = read_graph(*path, defaults, &source, spec.word("format").value_or(""));
  if (defaults.independent) graph = independent(std::move(graph));
  return Workload::of_graph(spec.text(), std::move(graph), std::move(source));
}

const Register file_family{WorkloadFamily{
    .name = "file",
    .place = 9,
    .keys = {"path", "format", "bytes", "flops", "deps"},
    .forms = {{"file:path=FILE",
               "task graph of a .mtx (row: task, column: data), .hgr, .hdag, .stg, .json (ours or "
               "WfCommons'), .dot, .gv or StarPU tasks.rec file, also packed by gzip (.gz); "
               "format=dot if the ending does not name the format; path=- is standard input; "
               "bytes=14.7MB and flops=7GF if the file has none; deps=ignore drops the "
               "dependencies; what a task writes is then its output"}},
    .make = graph_of_file}};

}  // namespace
}  // namespace damocles
