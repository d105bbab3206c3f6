#include <memory>

#include "experiments/commands/command.hpp"
#include "experiments/commands/parts.hpp"
#include "experiments/prediction/trajectories.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/output_file.hpp"

namespace damocles {

extern "C" void damocles_set_up_trajectory(Command& command) {
  const auto options = std::make_shared<CommonOptions>();
  const auto instants = std::make_shared<std::string>("201");
  options->strategies = "dynamic-2phases";
  options->replicates = "60";
  options->add_experiment(command, true);
  command.option(
      "--strategy", options->strategies, "NAME",
      "a strategy, with options (default dynamic-2phases); with unlimited memory dynamic "
      "or dynamic-2phases");
  options->add_replicates(command, "simulated runs (default 60)");
  command.option("--instants", *instants, "N", "points of a curve (default 201)");
  command.option("--jobs", options->jobs, "N", "threads; 0: all that are available (default 0)");
  command.option("-o,--output", options->output, "FILE",
                 "write to FILE, atomically, instead of standard output");
  command.footer(
      "EXAMPLES\n"
      "  damocles trajectory outer:n=100 homogeneous:p=20 -o run.csv && damocles plot run.csv\n"
      "  damocles trajectory outer:m=50,n=200 dyn.20:p=20 --strategy dynamic -o drift.csv\n"
      "  damocles trajectory matrix:n=40 set.3:p=100,draw=1 --strategy dynamic-2phases:beta=3\n"
      "  damocles trajectory gemm2d:n=50 gpus:k=2,memory=500MB --strategy darts -o darts.csv\n");
  command.runs([=] {
    check_ending("-o", options->output, {".csv"});
    const Experiment experiment = options->experiment();
    const auto points = static_cast<int>(parse_integer_option("--instants", *instants, 2, 100'000));
    write_output(options->output,
                 to_csv(trajectories(experiment, points, options->threads()), experiment));
  });
}

}  // namespace damocles
