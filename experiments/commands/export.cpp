#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <sstream>

#include "experiments/commands/command.hpp"
#include "experiments/message.hpp"
#include "experiments/results/output_file.hpp"
#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/workload.hpp"
#include "models/workloads/family.hpp"

namespace damocles {
namespace {

struct ExportOptions {
  std::string workload;
  std::string output;
};

using Writer = void (*)(const TaskGraph&, std::ostream&);

Writer writer_for(const std::string& path) {
  if (is_standard_output(path)) return write_json;
  const GraphFormat* const format = graph_format_of(path);
  if (format != nullptr && format->write != nullptr) return format->write;
  std::vector<std::string> endings;
  for (const GraphFormat& other : Table<GraphFormat>::entries()) {
    if (other.write != nullptr) endings.push_back(other.name);
  }
  throw InvalidInput(
      fmt::format("cannot export to '{}'; end it in {}", path, fmt::join(endings, " or ")));
}

void export_graph(const ExportOptions& options) {
  if (options.output.empty()) {
    throw InvalidInput("missing output file; add -o FILE.json, -o FILE.hgr or -o FILE.dot");
  }
  const Writer write = writer_for(options.output);
  check_writable(options.output);
  const Workload workload = Workload::parse(options.workload);
  const std::string changed = note_on_changed_default(workload);
  if (!changed.empty()) note(changed);
  if (const auto& file = workload.source()) {
    check_outputs({{"-o", options.output}}, {{"workload", file->path}});
  }
  std::ostringstream text;
  write(workload.graph(), text);
  write_output(options.output, text.str());
}

void set_up_export(Command command) {
  const auto options = std::make_shared<ExportOptions>();
  command.argument("WORKLOAD", options->workload, "tasks and data, see damocles list workloads");
  command.option("-o,--output", options->output, "FILE",
                 "the file: .json, .hgr or .dot; - writes JSON to standard output");
  command.footer(
      "EXAMPLES\n"
      "  damocles export gemm2d:n=10 -o product.json\n"
      "  damocles export file:path=matrix.mtx,bytes=1MB -o matrix.hgr\n");
  command.runs([options] { export_graph(*options); });
}

const Register export_command{CommandEntry{
    .name = "export",
    .place = 140,
    .description =
        "Write a workload as a task graph (JSON, hMETIS, DOT). Other programs can read it, "
        "and Damocles can as file:path=FILE. JSON holds everything. hMETIS (.hgr: a vertex is a task, "
        "a hyperedge a data item) holds reads, bytes and flops. "
        "DOT (Graphviz) holds dependencies and the bytes they carry.",
    .set_up = set_up_export}};

}  // namespace
}  // namespace damocles
