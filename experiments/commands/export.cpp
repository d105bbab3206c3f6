#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <sstream>

#include "experiments/commands/command.hpp"
#include "experiments/results/output_file.hpp"
#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/workload.hpp"

namespace damocles {
namespace {

struct ExportOptions {
  std::string workload;
  std::string output;
};

using Writer = void (*)(const Bipartite&, std::ostream&);

Writer writer_for(const std::string& path) {
  if (is_standard_output(path)) return write_json;
  const auto ending = std::filesystem::path(path).extension();
  if (ending == ".json") return write_json;
  if (ending == ".hgr") return write_hgr;
  throw InvalidInput(fmt::format(
      "cannot export to '{}'; end it in .json (all of the graph) or .hgr (hMETIS)", path));
}

void export_graph(const ExportOptions& options) {
  if (options.output.empty()) throw InvalidInput("say where to: -o FILE.json or -o FILE.hgr");
  const Writer write = writer_for(options.output);
  check_writable(options.output);
  const Workload workload = Workload::parse(options.workload);
  if (const auto& file = workload.source()) {
    check_outputs({{"-o", options.output}}, {{"workload", file->path}});
  }
  std::ostringstream text;
  write(workload.graph(), text);
  write_output(options.output, text.str());
}

}  // namespace

void add_export_command(Command program) {
  const auto options = std::make_shared<ExportOptions>();
  Command command = program.add(
      "export",
      "Writes a workload as a task graph, for other programs or to read again as file:path=FILE. "
      "JSON says everything; .hgr (hMETIS: vertex = task, hyperedge = data) says who reads what, "
      "bytes and flops.");
  command.argument("WORKLOAD", options->workload, "tasks and data, see damocles list workloads");
  command.option("-o,--output", options->output, "FILE",
                 "the file: .json or .hgr; - writes JSON to standard output");
  command.footer(
      "EXAMPLES\n"
      "  damocles export gemm2d:n=10 -o product.json\n"
      "  damocles export file:path=matrix.mtx,bytes=1MB -o matrix.hgr\n");
  command.runs([options] { export_graph(*options); });
}

}  // namespace damocles
