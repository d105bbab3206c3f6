#include "experiments/commands/command_rows.hpp"

#include "experiments/message.hpp"
#include "experiments/results/stored_rows.hpp"

namespace damocles {

std::vector<Record> rows_answering(const Experiment& experiment, const CommonOptions& options,
                                   const Onlookers& onlookers) {
  const auto asked = jobs(experiment);
  if (options.store.empty()) {
    return run_jobs(asked, options.threads(), onlookers.progress, {}, onlookers.check);
  }
  check_store_name(options.store);
  // Without a store, a run that is infeasible or fails ends the command.
  auto [records, counts, all] =
      run_into_store(options.store, study_of(options.as_given(), options.seed), asked,
                     runner_on_threads(options.threads(), onlookers.progress, onlookers.check),
                     all_of(asked), Taken::with_result);
  if (counts.made > 0) note_written(options.store);
  return std::move(records);
}

}  // namespace damocles
