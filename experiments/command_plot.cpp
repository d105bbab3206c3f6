#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "experiments/command.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

struct Options {
  std::string file;
  std::string output;
  std::string formats;
};

/// plots/draw.py: beside the sources where the program was built, in share/ where it was installed.
std::filesystem::path script() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  const char* const chosen = std::getenv("DAMOCLES_PLOTS");
  const std::vector<std::filesystem::path> places{
      chosen != nullptr ? std::filesystem::path(chosen) : std::filesystem::path(),
      program / ".." / ".." / "plots", program / ".." / "share" / "damocles" / "plots"};
  for (const auto& place : places) {
    if (!place.empty() && std::filesystem::exists(place / "draw.py")) {
      return std::filesystem::canonical(place / "draw.py");
    }
  }
  throw InvalidInput("the plot scripts are not found; set DAMOCLES_PLOTS to the folder plots/");
}

/// Runs a program and returns its exit status.
int run(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) throw std::runtime_error("cannot start python3");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// A Python that has matplotlib: $DAMOCLES_PYTHON, the first on the path, Debian's.
std::string python() {
  const char* const chosen = std::getenv("DAMOCLES_PYTHON");
  for (const std::string candidate :
       {chosen != nullptr ? chosen : "", "python3", "/usr/bin/python3"}) {
    if (candidate.empty()) continue;
    if (run({candidate, "-c",
             "import importlib.util, sys; sys.exit(importlib.util.find_spec('matplotlib') is "
             "None)"}) == 0) {
      return candidate;
    }
  }
  throw InvalidInput("drawing needs python3 with matplotlib; install python3-matplotlib");
}

void draw(const Options& options, bool trace) {
  if (options.output == "-") {
    throw InvalidInput("-o '-': pictures are files; give a name without ending, or a folder");
  }
  std::vector<std::string> words{python(), script().string()};
  if (trace) words.emplace_back("gantt");
  words.push_back(options.file);
  if (!options.formats.empty()) words.insert(words.end(), {"--format", options.formats});
  if (!options.output.empty()) words.insert(words.end(), {"-o", options.output});
  const int status = run(words);
  // The script has said what is wrong.
  if (status != 0) throw ExitStatus{status};
}

void plot(const Options& options) {
  if (!std::filesystem::is_regular_file(options.file)) {
    throw InvalidInput(fmt::format(
        "result file '{}' is not there; give a CSV file that damocles wrote", options.file));
  }
  draw(options, false);
}

void plot_gantt(const Options& options) {
  if (!std::filesystem::is_regular_file(options.file)) {
    throw InvalidInput(
        fmt::format("trace '{}' is not there; give a .json file that `damocles simulate --trace` "
                    "wrote",
                    options.file));
  }
  draw(options, true);
}

void add_picture_options(Command command, Options& options) {
  command.option("-o,--output", options.output, "NAME",
                 "name of the pictures, without ending, or a folder");
  command.option("--format", options.formats, "LIST",
                 "which pictures (default: by the ending of NAME, else png,svg,pdf)");
}

void add_gantt(Command plot, const std::shared_ptr<Options>& options) {
  Command command = plot.add(
      "gantt",
      "Draws a trace: what each processor computes, copies, evicts and waits for, over time. Tasks "
      "are coloured by number, or by kind where their names tell a few. Several runs in one file "
      "stand one above the other. Writes PNG, SVG and PDF beside the file. Needs python3 with "
      "matplotlib.");
  command.argument("TRACE", options->file, "a .json file that --trace wrote");
  add_picture_options(command, *options);
  command.footer(
      "EXAMPLES\n"
      "  damocles simulate gemm2d:n=20 gpus:k=2,memory=200MB --strategies darts --trace d.json\n"
      "  damocles plot gantt d.json --format png\n");
  command.runs([options] { plot_gantt(*options); });
}

}  // namespace

void add_plot_command(Command program) {
  const auto options = std::make_shared<Options>();
  Command command =
      program.add("plot",
                  "Draws a result file: the paper's axes for hpdc14.figN.csv, else "
                  "volume over whatever varies in the "
                  "file, with bands for the spread; `gantt` draws a trace. Writes PNG, "
                  "SVG and PDF beside the "
                  "file. Needs python3 with "
                  "matplotlib.");
  command.optional_argument("RESULTS", options->file, "a CSV file that damocles wrote");
  add_picture_options(command, *options);
  add_gantt(command, options);
  command.footer(
      "EXAMPLES\n"
      "  damocles plot results/hpdc14.fig6.csv\n"
      "  damocles plot runs.csv -o pictures --format png\n"
      "  damocles plot gantt trace.json\n\n"
      "ENVIRONMENT\n"
      "  DAMOCLES_PYTHON  the Python to use; DAMOCLES_PLOTS  the folder of the scripts\n");
  command.runs([=] {
    // Were it required, CLI11 would take `gantt` for it.
    if (options->file.empty())
      throw InvalidInput("RESULTS is required; give a CSV file, see `damocles plot --help`");
    plot(*options);
  });
}

}  // namespace damocles
