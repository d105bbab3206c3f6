#include <fmt/format.h>

#include "experiments/figures/judging.hpp"
#include "orders/min_loads.hpp"

namespace damocles::worked_examples {
namespace {

using Index = TaskGraph::Index;

/// COLOC'21 figure 1. The drawing is lost in the text we have; this graph is consistent with all
/// that the text says: V(3) = {1}, V(4) = {2}, V(5) = {3, 4}, only D1 loaded twice.
TaskGraph five_tasks() {
  TaskGraph::Parts parts;
  parts.bytes.assign(6, 1);
  for (const std::vector<Index>& inputs :
       std::initializer_list<std::vector<Index>>{{0, 1}, {0, 2}, {1, 3}, {2, 4}, {0, 4, 5}}) {
    parts.add_task(inputs, 1);
  }
  return TaskGraph(std::move(parts));
}

Answers seven_loads(const std::vector<Record>&, std::uint64_t) {
  const std::vector<Index> natural{0, 1, 2, 3, 4};
  const auto loads = min_loads(five_tasks(), natural, 3);
  return {{holds_or_not(loads == 7, "7 loads", fmt::format("{} loads", loads))}};
}

/// IPDPS'22 figure 1, which the text gives in full.
Answers eleven_loads(const std::vector<Record>&, std::uint64_t) {
  const TaskGraph grid = Workload::parse("gemm2d:n=3").graph();
  const std::vector<Index> gpu1{0, 1, 4, 3};     // T1, T2, T5, T4
  const std::vector<Index> gpu2{2, 5, 8, 7, 6};  // T3, T6, T9, T8, T7
  const std::uint64_t two_data = 2 * grid.bytes(0);
  const auto loads1 = min_loads(grid, gpu1, two_data);
  const auto loads2 = min_loads(grid, gpu2, two_data);
  return {{holds_or_not(loads1 + loads2 == 11, "11 loads",
                        fmt::format("{} + {} loads", loads1, loads2))}};
}

std::vector<Experiment> nothing_to_run(std::uint64_t) { return {}; }

const Register entries{
    Claim{"coloc21.example",
          "5 tasks of 6 data items in a memory of M = 3: 7 loads in the natural order",
          "a graph consistent with the text of figure 1; Belady's rule, no runs",
          {{"with a memory of M = 3, the 5 tasks in their natural order need 7 loads", "fig. 1"}},
          nothing_to_run,
          seven_loads},
    Claim{"ipdps22.example",
          "3 x 3 grid, M = 2, GPU1 runs T1, T2, T5, T4 and GPU2 T3, T6, T9, T8, T7: 11 loads",
          "gemm2d:n=3; Belady's rule, no runs",
          {{"with M = 2 on each of two GPUs, this partition and order need 11 loads", "fig. 1"}},
          nothing_to_run,
          eleven_loads}};

}  // namespace
}  // namespace damocles::worked_examples
