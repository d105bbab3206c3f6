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
  std::string results;
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

void plot(const Options& options) {
  if (!std::filesystem::is_regular_file(options.results)) {
    throw InvalidInput(fmt::format(
        "result file '{}' is not there; give a CSV file that damocles wrote", options.results));
  }
  std::vector<std::string> words{python(), script().string(), options.results};
  if (!options.formats.empty()) words.insert(words.end(), {"--format", options.formats});
  if (!options.output.empty()) words.insert(words.end(), {"-o", options.output});
  const int status = run(words);
  // The script has said what is wrong.
  if (status != 0) throw CLI::RuntimeError(status);
}

}  // namespace

void add_plot_command(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  auto* const command =
      program.add_subcommand("plot",
                             "Draws a result file: the paper's axes for hpdc14.figN.csv, else "
                             "volume over whatever varies in the "
                             "file, with bands for the spread. Writes PNG, SVG and PDF beside the "
                             "file. Needs python3 with "
                             "matplotlib.");
  command->add_option("RESULTS", options->results, "a CSV file that damocles wrote")->required();
  command
      ->add_option("-o,--output", options->output,
                   "name of the pictures, without ending, or a folder")
      ->type_name("NAME");
  command
      ->add_option("--format", options->formats,
                   "which pictures (default: by the ending of NAME, else png,svg,pdf)")
      ->type_name("LIST");
  command->footer(
      "EXAMPLES\n"
      "  damocles plot results/hpdc14.fig6.csv\n"
      "  damocles plot runs.csv -o pictures --format png\n\n"
      "ENVIRONMENT\n"
      "  DAMOCLES_PYTHON  the Python to use; DAMOCLES_PLOTS  the folder of the scripts\n");
  command->callback([options] { plot(*options); });
}

}  // namespace damocles
