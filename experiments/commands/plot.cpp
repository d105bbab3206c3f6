#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "experiments/commands/command.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/interrupt.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

struct PlotOptions {
  std::vector<std::string> files;
  std::vector<std::string> where;
  /// Options of the script that take one value, by name.
  std::map<std::string, std::string> values;
  /// Those that take none.
  std::map<std::string, bool> flags;
};

/// plots/draw.py: a link in the build tree, wherever that is, and in share/ where it was installed.
std::filesystem::path script() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  const char* const chosen = std::getenv("DAMOCLES_PLOTS");
  const std::vector<std::filesystem::path> places{
      chosen != nullptr ? std::filesystem::path(chosen) : std::filesystem::path(),
      program / ".." / "plots", program / ".." / "share" / "damocles" / "plots"};
  if (!places[0].empty() && !std::filesystem::exists(places[0] / "draw.py", failed)) {
    throw InvalidInput(fmt::format(
        "DAMOCLES_PLOTS is '{}', which has no draw.py; set it to the folder plots/, or unset it",
        chosen));
  }
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
  arguments.reserve(words.size() + 1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): execvp changes nothing
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t program = getpid();
  const pid_t child = fork_in_silence();
  if (child == 0) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): there is no other
    prctl(PR_SET_PDEATHSIG, SIGTERM);    // it ends with us
    if (getppid() != program) _exit(1);  // as it would have
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  if (child < 0) throw std::runtime_error("cannot start python3");
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0) throw std::runtime_error("cannot wait for python3");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A Python that has matplotlib: $DAMOCLES_PYTHON, the first on the path, Debian's.
std::string python() {
  const char* const chosen = std::getenv("DAMOCLES_PYTHON");
  for (std::string candidate : {chosen != nullptr ? chosen : "", "python3", "/usr/bin/python3"}) {
    if (candidate.empty()) continue;
    if (run({candidate, "-c",
             // Nothing is imported before the current folder has left the path.
             "import sys; sys.path[:] = [place for place in sys.path if place]; import "
             "importlib.util; sys.exit(importlib.util.find_spec('matplotlib') is None)"}) == 0) {
      return candidate;
    }
  }
  throw InvalidInput("drawing needs python3 with matplotlib; install python3-matplotlib");
}

/// What writes the rows of a claim, or which claims its paper has, where the name is that of one.
std::string of_claim(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  if (name.ends_with(".csv")) name.resize(name.size() - 4);
  const std::string paper = name.substr(0, name.find('.') + 1);
  std::vector<std::vector<std::string>> claims;
  add_claims(claims);
  std::string of_paper;
  for (const auto& claim : claims) {
    if (claim.front() == name) return fmt::format("; `damocles reproduce {}` writes it", name);
    if (paper.empty() || !claim.front().starts_with(paper)) continue;
    of_paper += fmt::format("{}{}", of_paper.empty() ? "" : ", ", claim.front());
  }
  return of_paper.empty() ? ""
                          : fmt::format("; `damocles reproduce CLAIM` writes one, of {}", of_paper);
}

void check_files(const PlotOptions& options, const std::string& what, const std::string& right) {
  if (options.files.empty()) {
    throw InvalidInput(fmt::format("missing {}; give {}", what, right));
  }
  for (const auto& file : options.files) {
    std::error_code unseen;
    const auto kind = std::filesystem::status(file, unseen).type();
    if (kind == std::filesystem::file_type::none) {
      throw InvalidInput(
          fmt::format("'{}' cannot be used: {}; give another name", file, unseen.message()));
    }
    if (kind == std::filesystem::file_type::not_found) {
      throw InvalidInput(what == "TRACE"
                             ? no_such_file("trace", file, "give " + right)
                             : no_such_file("result file", file, "give " + right + of_claim(file)));
    }
  }
}

/// Starts the script on the files, with the options that were given. `of_trace`: what is drawn of a
/// trace, "" for results.
void draw(const Command& command, const PlotOptions& options, const std::string& of_trace) {
  if (const auto output = options.values.find("--output");
      output != options.values.end() && output->second == "-") {
    throw InvalidInput("-o '-': pictures are files; give a name without ending, or a folder");
  }
  std::vector<std::string> words{python(), script().string()};
  if (!of_trace.empty()) words.push_back(of_trace);
  for (const auto& [name, value] : options.values) {
    if (command.given(name)) words.push_back(fmt::format("{}={}", name, value));
  }
  for (const auto& [name, on] : options.flags) {
    if (on) words.push_back(name);
  }
  for (const auto& condition : options.where) words.push_back("--where=" + condition);
  words.emplace_back("--");
  words.insert(words.end(), options.files.begin(), options.files.end());
  const int status = run(words);
  // The script has said what is wrong.
  if (status != 0) throw ExitStatus{status};
}

void add_picture_options(Command command, PlotOptions& options) {
  auto& values = options.values;
  command.option("-o,--output", values["--output"], "NAME",
                 "name of the pictures, without ending or with .png, .svg or .pdf, or a folder");
  command.option("--format", values["--format"], "LIST",
                 "formats to write (default: by the ending of NAME, else png,svg,pdf)");
  command.option("--size", values["--size"], "WxH", "width and height in inches, as 6x4");
  command.option("--title", values["--title"], "TEXT", "title of the picture");
  command.option("--style", values["--style"], "NAME",
                 "screen, slides (large fonts) or paper (a column of 3.3 inches, fonts of 7 to 8 "
                 "points, no title) (default: paper where --size is at most 4.5 inches wide, else "
                 "screen)");
}

void add_axes_options(Command command, PlotOptions& options) {
  auto& values = options.values;
  command.option("--x", values["--x"], "COLUMN",
                 "column of the x axis (default: the parameter with the most values)");
  command.option(
      "--y", values["--y"], "LIST",
      "columns of the y axis, with a panel for each (default: volume_ratio; with limited memory gflops,bytes_loaded)");
  command.option("--log", values["--log"], "AXES",
                 "x, y or xy: logarithmic; none (default: x where it spans a factor of 100)");
  command.option("--facet", values["--facet"], "COLUMN",
                 "a panel for each value of it; none for one panel (default: a second parameter "
                 "that varies, where there are several strategies)");
  command.option("--strategies", values["--strategies"], "LIST",
                 "draw these alone, or all (default: of more than eight lines the best eight)");
  command.flag("--all-lines", options.flags["--all-lines"], "draw more than eight lines");
  command.repeated("--where", options.where, "CONDITION",
                   "only those rows: COLUMN=VALUE,VALUE, COLUMN!=VALUE or COLUMN<NUMBER (<=, >, "
                   ">=); may be given several times");
}

/// A picture of a trace: its name, what it shows, and an example of a run to draw.
struct TracePicture {
  const char* name;
  const char* description;
  const char* example;
  bool animated;
};

const std::array pictures_of_traces{
    TracePicture{
        "gantt",
        "Draw a trace: what each processor computes, copies, evicts and waits for, over time. Tasks "
        "are coloured by number, or by kind where their names tell a few. Several runs, in one file "
        "or in several, stand one above the other. Writes PNG, SVG and PDF beside the file. Needs "
        "python3 with matplotlib.",
        "  damocles simulate gemm2d:n=20 gpus:k=2,memory=200MB --strategies darts --trace d.json\n"
        "  damocles plot gantt d.json --format png\n",
        false},
    TracePicture{
        "grid",
        "Draw the blocks of a trace: which processor computed each block of a product or a "
        "factorisation (colour), and when (light is early, dark is late). A block of several tasks "
        "has a strip for each, in the order in which they ran. Several runs stand side by side. "
        "Writes TRACE.grid.png, .svg and .pdf, or an animation. Needs python3 with matplotlib.",
        "  damocles simulate gemm2d:n=20 gpus:k=2,memory=200MB --strategies darts --trace d.json\n"
        "  damocles plot grid d.json --format png\n"
        "  damocles plot grid d.json -o d.gif\n",
        true},
    TracePicture{
        "memory",
        "Draw the memory of a trace: the loads of each processor over time, and what its memory "
        "holds, with the limit that the platform names. Several runs stand side by side. Writes TRACE.memory.png, .svg and "
        ".pdf, or an animation. Needs python3 with matplotlib.",
        "  damocles simulate gemm2d:n=20 gpus:k=2,memory=200MB --strategies eager --trace e.json\n"
        "  damocles plot memory e.json --format png\n",
        true}};

void add_picture_of_traces(Command plot, const TracePicture& picture) {
  const auto options = std::make_shared<PlotOptions>();
  Command command = plot.add(picture.name, picture.description);
  command.optional_arguments("TRACE", options->files, "a .json file that --trace wrote");
  add_picture_options(command, *options);
  if (picture.animated) {
    command.flag("--animate", options->flags["--animate"],
                 "write an animation: a GIF, or an APNG where NAME ends in .png or .apng (without "
                 "this flag: where NAME ends in .gif or .apng)");
  }
  command.footer(std::string("EXAMPLES\n") + picture.example);
  command.runs([=, name = std::string(picture.name)] {
    check_files(*options, "TRACE",
                fmt::format("a .json file that `damocles simulate --trace` wrote; see `damocles "
                            "plot {} --help`",
                            name));
    draw(command, *options, name);
  });
}

void set_up_plot(Command command) {
  const auto options = std::make_shared<PlotOptions>();
  command.optional_arguments("RESULTS", options->files,
                             "CSV or JSON files that damocles wrote; or folders of CSV files");
  add_axes_options(command, *options);
  add_picture_options(command, *options);
  for (const TracePicture& picture : pictures_of_traces) add_picture_of_traces(command, picture);
  command.footer(
      "EXAMPLES\n"
      "  damocles plot results/hpdc14.fig6.csv\n"
      "  damocles plot runs.csv -o pictures --format png\n"
      "  damocles plot study.csv --x n --y makespan_s --facet memory\n"
      "  damocles plot study.csv --where strategy=darts,dmdar --where 'n>20' --log y\n"
      "  damocles plot study.csv --size 6x4 --title 'More than 20 blocks a side'\n"
      "  damocles plot monday.csv tuesday.csv -o both.svg\n"
      "  damocles plot study.csv --style paper --format pdf\n"
      "  damocles plot gantt trace.json\n"
      "  damocles plot grid trace.json -o grid.gif\n\n"
      "AXES, unless --x or --y says otherwise\n"
      "  hpdc14.figN.csv, coloc21.figN.csv, ipdps22.figN.csv: as in the paper's figure\n"
      "  results of `damocles beta`: volume_ratio over beta, and its minima\n"
      "  results of `damocles trajectory`: the shares over time\n"
      "  results with limited memory: gflops and bytes_loaded over whatever varies\n"
      "  other results: volume_ratio over whatever varies\n\n"
      "COLUMNS\n"
      "  those of the file; the options of workload, platform and strategy: n, p, tile,\n"
      "  memory, ... (workload.k and platform.k where k alone could mean both); and file,\n"
      "  where there are several\n\n"
      "ENVIRONMENT\n"
      "  DAMOCLES_PYTHON  the Python to use; DAMOCLES_PLOTS  the folder of the scripts\n");
  command.runs([=] {
    // Were it required, CLI11 would take `gantt` for it.
    check_files(*options, "RESULTS", "a CSV file that damocles wrote; see `damocles plot --help`");
    draw(command, *options, "");
  });
}

const Register plot_command{CommandEntry{
    .name = "plot",
    .place = 130,
    .description =
        "Draw result files. Their kind chooses the axes, as listed under AXES. Bands show one standard deviation of a single run. "
        "Several files make one picture, a folder one picture for each file. "
        "Failed runs are left out of means, counted and marked. `gantt`, `grid` and `memory` draw traces. "
        "Writes PNG, SVG and PDF beside the file. Needs python3 with matplotlib.",
    .set_up = set_up_plot}};

}  // namespace
}  // namespace damocles
