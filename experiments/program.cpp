#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>

#include "damocles_version.hpp"
#include "experiments/command.hpp"
#include "experiments/manual.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

constexpr const char* exit_status =
    "EXIT STATUS\n  0 done; 1 the run failed; 2 the request was wrong (one line says what, and "
    "what "
    "would be right).";

void add_commands(CLI::App& program) {
  add_list_command(program);
  add_beta_command(program);
  add_predict_command(program);
  add_simulate_command(program);
  add_run_command(program);
  add_replay_command(program);
  add_calibrate_command(program);
  add_compare_command(program);
  add_trajectory_command(program);
  add_sweep_command(program);
  add_reproduce_command(program);
  add_measured_command(program);
  add_plot_command(program);
  add_export_command(program);
}

/// To the commands, and to those within them.
void add_exit_status(CLI::App& app) {
  for (auto* const command : app.get_subcommands({})) {
    command->footer(command->get_footer() + "\n" + exit_status);
    add_exit_status(*command);
  }
}

/// The commands given, each with a space behind: "plot gantt ".
std::string given(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name() + " " + given(*chosen.front());
}

void describe(CLI::App& program) {
  program.description(
      "A laboratory for data-movement-aware scheduling. Tasks share data, processors compute at "
      "different speeds, data travel from one memory: which strategy moves least? Damocles "
      "predicts the "
      "volume (closed forms, ODEs), simulates it (virtual time), executes it (host threads, CUDA), "
      "and lays all three side by side.");
  program.footer(
      "GRAMMAR\n  Workloads, platforms and strategies are name:key=value,key=value; `damocles "
      "list` shows "
      "all.\n\nEXAMPLES\n"
      "  damocles beta outer:n=100 homogeneous:p=20\n"
      "  damocles compare outer:n=100 uniform:p=20,lo=10,hi=100 --strategies all\n"
      "  damocles run gemm2d:n=20,tile=64,k=256 gpus:k=2,memory=10data --strategies darts,eager\n"
      "  damocles reproduce hpdc14.fig6 -o results\n\n" +
      std::string(exit_status));
  program.set_version_flag("--version", std::string("damocles ") + version,
                           "the version, and exit");

  program.require_subcommand(1);
  add_exit_status(program);
}

/// CLI11 calls an unknown command an unexpected argument; name it and suggest.
void check_command(const CLI::App& program, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const auto* const command : program.get_subcommands({}))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    refuse_unknown("command", argv[1], names);
  }
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int fail(int status, const std::string& message) {
  // Where standard error is closed, the status must do.
  std::fputs(fmt::format("damocles: {}\n", one_line(message)).c_str(), stderr);
  return status;
}

/// `status`, or 1 where what was printed did not arrive.
int printed(int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return status;
  return fail(1, fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  CLI::App program;
  program.name("damocles");
  program.formatter(std::make_shared<Manual>());
  program.set_help_flag("-h,--help", "this page, and exit");
  add_commands(program);
  describe(program);
  try {
    check_command(program, argc, argv);
    program.parse(argc, argv);
    return printed(0);
  } catch (const CLI::Success& success) {  // --help, --version
    return printed(program.exit(success));
  } catch (const CLI::RuntimeError& error) {  // a program we started has said what is wrong
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return fail(2, fmt::format("{}; see `damocles {}--help`", error.what(), given(program)));
  } catch (const InvalidInput& error) {
    return fail(2, error.what());
  } catch (const std::bad_alloc&) {
    return fail(1, "out of memory; use fewer processors, a smaller workload or --jobs 1");
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}

}  // namespace damocles
