#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <string_view>
#include <utility>

#include "damocles_version.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/manual.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/interrupt.hpp"
#include "experiments/message.hpp"
#include "experiments/plugins.hpp"
#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/ranks.hpp"

namespace damocles {
namespace {

constexpr const char* exit_status =
    "EXIT STATUS\n  0 success; 1 the run failed; "
    "2 invalid request (one line says what is wrong\n"
    "  and what to write); 130 or 143 interrupted.";

constexpr const char* program_description =
    "Predict, simulate and execute data-aware task schedulers. "
    "Damocles compares scheduling strategies on task graphs whose tasks share data. "
    "It reports how much data each strategy moves, how long a run takes, "
    "and how far both are from proven lower bounds. Predictions are closed forms and ODEs, "
    "simulations run in virtual time, executions on host threads, CUDA GPUs or several machines.";

constexpr const char* grammar =
    "GRAMMAR\n  Workloads, platforms and strategies are name:key=value,key=value;\n"
    "  `damocles list` says which there are.\n\nEXAMPLES\n"
    "  damocles beta outer:n=100 homogeneous:p=20\n"
    "  damocles compare outer:n=100 uniform:p=20,lo=10,hi=100 --strategies all\n"
    "  damocles run gemm2d:n=20,tile=64 gpus:k=2,memory=10data --strategies darts\n"
    "  damocles reproduce hpdc14.fig6 -o results\n";

/// The commands that the overview explains, in its order; it names the others.
constexpr std::array<std::string_view, 11> with_a_line{
    "simulate", "predict", "recommend", "explain", "compare", "run",
    "sweep",    "query",   "report",    "plot",    "list"};

/// What the program says where it is given no command: enough to go on, on a screen of 24 lines.
std::string overview() {
  std::string text =
      "Damocles predicts, simulates and executes data-aware task schedulers.\n\n"
      "  damocles simulate gemm2d:n=50 gpus:k=2,memory=500MB --strategies darts,eager\n"
      "  damocles recommend gemm2d:n=50 gpus:k=2,memory=500MB\n"
      "  damocles beta outer:n=100 homogeneous:p=20\n\nCOMMANDS\n";
  for (const std::string_view name : with_a_line) {
    const auto* const entry = Table<CommandEntry>::find(name);
    text += fmt::format("  {:<11}{}\n", name, first_sentence(entry->description));
  }
  std::string others = "also";
  for (const CommandEntry& entry : Table<CommandEntry>::entries()) {
    if (std::find(with_a_line.begin(), with_a_line.end(), entry.name) != with_a_line.end())
      continue;
    others += (others == "also" ? " " : ", ") + entry.name;
  }
  return text + wrapped(others, 2) +
         "\n\n`damocles COMMAND --help` explains a command, `damocles --help` all of this.\n";
}

/// What the user means by `damocles help [COMMAND]` and `damocles version`.
std::vector<std::string> normalise_arguments(std::vector<std::string> words) {
  if (words.empty() || words[0] != "help") {
    if (!words.empty() && words[0] == "version") return {"--version"};
    return words;
  }
  std::erase(words, "help");
  words.emplace_back("--help");
  return words;
}

/// The words without `--plugin FILE`, wherever it stands. Each file is loaded: what it registers,
/// which may be a command, is known when the command line is made.
std::vector<std::string> load_plugins(const std::vector<std::string>& words) {
  constexpr std::string_view option = "--plugin";
  std::vector<std::string> others;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == option) {
      if (++word == words.end()) throw InvalidInput("--plugin needs a value: FILE, as libmine.so");
      load_plugin(*word);
    } else if (word->starts_with("--plugin=")) {
      load_plugin(word->substr(option.size() + 1));
    } else {
      others.push_back(*word);
    }
  }
  return others;
}

/// CLI11 calls an unknown command an unexpected argument; name it and suggest.
void check_command(const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return;
  const auto names = Table<CommandEntry>::names();
  if (std::find(names.begin(), names.end(), words[0]) == names.end()) {
    if (words.size() > 1 && words[0].find(':') != std::string::npos) {
      throw InvalidInput(fmt::format("missing command before '{0}'; e.g. damocles simulate {0} {1}",
                                     words[0], words[1]));
    }
    refuse_unknown("command", words[0], names, "damocles --help");
  }
}

int print_and_return(int status, const std::string& message) {
  print_diagnostic(message);
  return status;
}

/// `status`, or 1 where what was printed did not arrive.
int printed(int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return status;
  return print_and_return(
      1, fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

/// The script that started this program, or "": programs that this one starts are not told.
const std::string& own_script() {
  static const std::string script = [] {
    const char* const name = std::getenv("DAMOCLES_SCRIPT");  // NOLINT(concurrency-mt-unsafe)
    std::string given = name == nullptr ? "" : name;
    unsetenv("DAMOCLES_SCRIPT");  // NOLINT(concurrency-mt-unsafe): before there are threads
    return given;
  }();
  return script;
}

/// Adds the commands that the words name, with their options, of which all together are hundreds;
/// where they name none, all commands without options, for the page of help.
void add_commands(CommandLine& line, const std::vector<std::string>& words) {
  const auto& all = Table<CommandEntry>::entries();
  const auto named = [&](const CommandEntry& entry) {
    return std::find(words.begin(), words.end(), entry.name) != words.end();
  };
  const bool any = std::any_of(all.begin(), all.end(), named);
  for (const CommandEntry& entry : all) {
    if (any && !named(entry)) continue;
    const Command command = line.program().add(entry.name, entry.description);
    if (any) entry.set_up(command);
  }
}

/// Registers the commands, then does what the words say.
int run_words(int argc, const char* const* argv) {
  const auto words = normalise_arguments(load_plugins({argv + std::min(argc, 1), argv + argc}));
  if (words.empty()) {
    fmt::print("{}", overview());
    return printed(0);
  }
  CommandLine line("damocles", program_description, std::string("damocles ") + version);
  add_commands(line, words);
  std::vector<std::string> plugins;  // they are loaded: the option is for the page of help
  line.program().repeated(
      "--plugin", plugins, "FILE",
      "load a plug-in, a shared library that adds strategies or whatever else has a "
      "name; with any command; may be repeated (docs/howto/plugin.md)");
  line.program().footer(grammar);
  line.below_every_page(exit_status);
  check_command(words);
  fmt::print("{}", line.run(words));
  const int status = printed(0);
  if (status != 0) return status;
  return print_notes(std::find(words.begin(), words.end(), "--quiet") != words.end()) ? 0 : 1;
}

/// Whether the words say `--backend mpi`.
bool asks_for_ranks(int argc, const char* const* argv) {
  const std::vector<std::string_view> words{argv + std::min(argc, 1), argv + argc};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--backend=mpi") return true;
    if (words[i] == "--backend" && i + 1 < words.size() && words[i + 1] == "mpi") return true;
  }
  return false;
}

/// Where the script ./damocles started this program: that builds the part, and starts it anew with
/// the same words. Then it does not return.
void have_part_built(const std::string& part, int argc, const char* const* argv) {
  const std::string& script = own_script();
  const char* const before = std::getenv("DAMOCLES_PARTS");  // NOLINT(concurrency-mt-unsafe)
  const std::string parts = before == nullptr ? "" : before;
  if (script.empty() || is_rank() ||
      (" " + parts + " ").find(" " + part + " ") != std::string::npos)
    return;
  setenv("DAMOCLES_PARTS", (parts + " " + part).c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  std::vector<char*> words;
  for (int i = 0; i < argc; ++i) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): execv() writes into no word
    words.push_back(const_cast<char*>(argv[i]));
  }
  words.push_back(nullptr);
  execv(script.c_str(), words.data());
}

/// A run failed, or an interrupt let it fail.
int tell_and_end(const std::string& message) {
  print_diagnostic(message);
  (void)std::fflush(stdout);  // what failed says why, also where that is why it failed
  end_if_interrupted();
  return 1;
}

/// What one replicate frees the next one takes: else it goes back to the system each time, and
/// comes again page by page, which takes longer than a short run.
void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int mebibyte = 1 << 20;
  (void)mallopt(M_MMAP_THRESHOLD, 32 * mebibyte);  // the largest there is
  (void)mallopt(M_TRIM_THRESHOLD, 256 * mebibyte);
#endif
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  keep_freed_memory();
  try {
    (void)own_script();
    keep_standard_streams();
    end_on_interrupt();
    return asks_for_ranks(argc, argv) ? run_on_ranks(argc, argv, run_words) : run_words(argc, argv);
  } catch (const ExitStatus& end) {  // a program we started has said what is wrong
    return end.status;
  } catch (const MissingPart& missing) {
    have_part_built(missing.part(), argc, argv);
    return print_and_return(2, missing.what());
  } catch (const InvalidInput& error) {
    return print_and_return(2, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return print_and_return(2, words_on_file(error));
  } catch (const std::bad_alloc&) {
    tell_out_of_memory("out of memory; use fewer processors, a smaller workload or --jobs 1");
    return 1;
  } catch (const std::runtime_error& error) {
    return tell_and_end(error.what());
  } catch (const std::exception& error) {  // of a library, or of the language: nobody foresaw it
    return tell_and_end(words_on_defect(error));
  } catch (...) {
    return tell_and_end("a plug-in threw something that is no std::exception");
  }
}

}  // namespace damocles
