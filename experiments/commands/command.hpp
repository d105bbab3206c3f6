#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/commands/command_line.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/result_table.hpp"
#include "experiments/studies/study.hpp"
#include "models/table.hpp"

namespace damocles {

/// One command of the program, in a file of its own name.
struct CommandEntry {
  static constexpr const char* what = "command";
  std::string name;
  int place = 0;  ///< in the list of commands
  std::string description;
  /// Says its arguments and options, and what runs when it was the one given.
  void (*set_up)(Command command);
};

/// The options that the asking commands share, as the user wrote them.
struct CommonOptions {
  static constexpr const char* one_strategy = "exactly one strategy";
  std::string workload;
  std::string platform;
  std::string strategies;  ///< "": a dozen that represent the others (StrategyEntry)
  std::string models = "all";
  std::string replicates = "10";
  std::string seed = "1";
  std::string jobs = "0";
  std::string format;
  std::string output;
  std::string trace;
  std::string recording;
  std::string store;                      ///< the database that has rows, or ""
  std::function<std::string()> as_given;  ///< the command, where it may have a store
  bool summary = false;
  bool quiet = false;
  bool charge_scheduling = false;
  TableChoice table;
  std::string top;
  std::string columns;
  bool tables_of_results = false;  ///< all formats may be asked for, not table, csv and json alone
  bool models_only = false;        ///< models are asked, which assume unlimited memory

  /// @param of_models  what models_only says
  void add_experiment(Command command, bool of_models = false);
  void add_strategies(Command command);
  void add_models(Command command);
  void add_replicates(Command command, const std::string& meaning);
  void add_runs(Command command);
  void add_recording(Command command, const std::string& required = one_strategy);
  void add_output(Command command);
  void add_store(Command command);
  /// Of a command that answers in sentences: text or JSON.
  void add_answer(Command command);
  void add_trace(Command command, const std::string& required = one_strategy);
  /// What a table of results shows, beside add_output().
  void add_table(Command command);

  /// @throws InvalidInput on anything that is wrong in them
  [[nodiscard]] Experiment experiment() const;
  /// The same; says so where tasks compute in another precision than a preset's GFlop/s are of, as
  /// the seconds of a simulation are then nobody's.
  [[nodiscard]] Experiment experiment_to_simulate() const;
  /// Whether the user named strategies one by one.
  [[nodiscard]] bool names_strategies() const { return !strategies.empty() && strategies != "all"; }
  /// Which strategies `all` leaves out, and why; "" where it leaves out none or was not asked for.
  [[nodiscard]] std::string note_on_left_out(const Experiment& experiment) const;
  /// Says so; not where `--quiet` is given. To be called when there is an answer, as a refusal is
  /// one line.
  void print_left_out(const Experiment& experiment) const;
  /// Refuses, before anything runs, outputs that cannot be written, are what is read or each other,
  /// and names that JSON cannot hold. `outputs` and `inputs` are those of the command beside ours.
  void check_files(const Experiment& experiment, const std::vector<RoleOfFile>& outputs = {},
                   std::vector<RoleOfFile> inputs = {}) const;
  [[nodiscard]] int threads() const;
  /// Writes the decisions where that is asked for: `events` are those of the first of `records`.
  /// Nothing where that run failed: half of its decisions cannot be replayed.
  void write_recording_of(const std::vector<Record>& records,
                          const std::vector<RunEvent>& events) const;
  /// Writes the trace where one is asked for: `events` are those of the first of `records`.
  void write_trace_of(const Experiment& of, const std::vector<Record>& records,
                      std::vector<RunEvent> events) const;
  /// As asked; else by the ending of the file; without a file a table.
  [[nodiscard]] Format chosen_format() const;
  /// Whether add_answer() asks for JSON. @throws InvalidInput where it asks for CSV
  [[nodiscard]] bool answers_in_json(const std::string& what) const;
  /// What a table of results is to show. @throws InvalidInput on a column that does not exist
  [[nodiscard]] TableChoice table_choice() const;
  /// Which share of the strategies ran where none was named, as a line below a table; else "".
  [[nodiscard]] std::string note_on_others(const Experiment& experiment) const;
  /// Writes the records in the chosen format. A table is summarised where there are replicates.
  /// @param notes  lines that stand below a table
  /// @param more  adds columns to a table for which the user chose none
  void write(const std::vector<Record>& records, const std::string& command,
             const std::string& notes = "",
             const std::function<void(ResultTable&)>& more = {}) const;
};

/// A whole number from an option. @throws InvalidInput naming the option
[[nodiscard]] std::uint64_t parse_integer_option(const std::string& option, const std::string& text,
                                                 std::uint64_t lowest, std::uint64_t highest);

/// Refuses an option that is about one run where several strategies run. @throws InvalidInput
void require_one_strategy(const std::string& option, const Experiment& experiment);

/// Says so where the user gave the platform before the workload.
void refuse_swapped(const std::string& workload, const std::string& platform);

/// Parses and runs; returns the exit status: 0 done, 1 the run failed, 2 the request was wrong.
int run_program(int argc, const char* const* argv);

}  // namespace damocles
