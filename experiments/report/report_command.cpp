#include <fmt/format.h>

#include <memory>

#include "experiments/commands/command.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/report/report.hpp"
#include "experiments/results/output_file.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string output;
  std::string title;
};

void write_report(const ReportOptions& options) {
  if (options.files.empty()) {
    throw InvalidInput("a report of what? give result files, as results.csv run.json");
  }
  if (options.output.empty()) throw InvalidInput("name the page: -o report.html");
  check_ending("-o", options.output, {".html", ".htm"});
  check_writable(options.output);
  std::vector<RoleOfFile> inputs;
  for (const std::string& file : options.files) inputs.push_back({"file of the report", file});
  check_outputs({{"-o", options.output}}, inputs);
  ReportContents contents = read_report_files(options.files);
  contents.title = options.title.empty() ? "Damocles report" : options.title;
  write_output(options.output, report_page(contents));
}

}  // namespace

extern "C" void damocles_set_up_report(Command& command) {
  const auto options = std::make_shared<ReportOptions>();
  command.optional_arguments(
      "FILE", options->files,
      "results (-o x.csv, x.json), a recording (--record x.json), a trace (--trace x.json), or an "
      "explanation (explain -o x.json); several in any mixture");
  command.option("-o,--output", options->output, "FILE", "the page to write, as report.html");
  command.option("--title", options->title, "TEXT", "its title (default: Damocles report)");
  command.footer(
      "EXAMPLES\n"
      "  damocles sweep gemm2d:n=20 gpus:k=2 --vary memory=5data:40data --strategies darts,dmdar -o memory.csv\n"
      "  damocles report memory.csv -o memory.html\n"
      "  damocles simulate gemm2d:n=20 gpus:k=2,memory=200MB --strategies darts --record darts.json\n"
      "  damocles report darts.json -o darts.html\n");
  command.runs([options] { write_report(*options); });
}

}  // namespace damocles
