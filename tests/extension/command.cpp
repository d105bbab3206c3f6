#include "experiments/commands/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace damocles {
namespace {

void print_footprint(const std::string& text) {
  const Workload workload = Workload::parse(text);
  const TaskGraph& graph = workload.graph();
  std::uint64_t most = 0;
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    most = std::max(most, graph.footprint(task));
  }
  fmt::print("{}\n", most);
}

void set_up_footprint(Command command) {
  const auto workload = std::make_shared<std::string>();
  command.argument("WORKLOAD", *workload, "tasks and data, see damocles list workloads");
  command.footer("EXAMPLE\n  damocles footprint gemm2d:n=10\n");
  command.runs([workload] { print_footprint(*workload); });
}

const Register footprint_command{
    CommandEntry{.name = "footprint",
                 .place = 200,
                 .description = "The bytes of the inputs of the task that reads most",
                 .set_up = set_up_footprint}};

}  // namespace
}  // namespace damocles
