#include "orders/balance.hpp"
#include "orders/packing.hpp"
#include "strategies/parts/level_by_level.hpp"

namespace damocles {
namespace {

/// What Ready looks at: STARPU_NTASKS_THRESHOLD in the runs of COLOC'21 (IPDPS'22: 10). Over the
/// whole list it tears packages apart where memory is short (docs/reference/limited_memory.md);
/// where memory holds less than these tasks read, as 8 blocks do, fewer are better.
constexpr std::size_t tasks_in_view = 30;

/// Hierarchical Fair Packing, on several processors mHFP: packages of tasks that share data, one
/// list a processor, balanced, with stealing; where tasks wait for others those of each level.
///
/// Source: COLOC'21 Algorithm 1; IPDPS'22 Algorithm 4. Levels are ours.
std::unique_ptr<Strategy> make_hfp(const StrategyContext& context) {
  const PackingOptions options = packing_options(context.spec);
  const auto packages_of = [&](const TaskGraph& graph) {
    auto packages = pack(graph, smallest_memory(context), context.platform.processors(), options);
    packages.resize(context.platform.processors());  // fewer tasks than processors
    balance(packages, graph);
    return packages;
  };
  return following(context, packages_of, allotted(context.spec, tasks_in_view));
}

const Register hfp_entry{StrategyEntry{
    .name = "hfp",
    .source = "COLOC'21, Alg. 1; IPDPS'22, Alg. 4",
    .summary = "Pack tasks that share data into packages that fit in memory, then balance them",
    .paper_names = {"HFP", ""},
    .aliases = {{"mHFP", "ready=10,eviction=lru"}},
    .options =
        {{"flip", "false: never reverse a package (default true)", OptionValues::true_or_false()},
         {"ready",
          "how many listed tasks to compare, to run the one with the fewest missing bytes first (default 30); "
          "true: the whole list; false: keep the package order",
          ready_values()},
         {"patient",
          "true (default): take a task only when earlier inputs have arrived; false: earlier, by older residency",
          OptionValues::true_or_false()},
         {"partner",
          "fair (default): of the partners that fit, the one that shares most bytes, then the one with the fewest tasks; "
          "literal: the one that shares most, even if it does not fit (one package then grows very large)",
          OptionValues::words({"fair", "literal"})},
         {"sorted",
          "how to break ties: true (default): by inputs; false: by order of submission, as in StarPU",
          OptionValues::true_or_false()}},
    .make = make_hfp,
    .supports_dependencies = true,
    .loads_implicit = true,
    .eviction = "belady",
    .host_bytes = {.by_data = ReadyList::bytes_by_data},
    .loads_ahead = true,
    .by_residency = true,
    .whole_graph = true,
    .representative = true}};

}  // namespace
}  // namespace damocles
