// The fast path, simulate_unlimited(), against the two runtimes that carry out what it only
// counts: UnlimitedMemoryRuntime on a machine whose copies take no time, and MemoryAwareRuntime
// where memory holds everything and copies take none either.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "sim/limited_run.hpp"
#include "sim/unlimited_run.hpp"
#include "strategies/parts/central_window.hpp"
#include "strategies/runtime/unlimited_memory_runtime.hpp"
#include "tests/sim/instant_machine.hpp"
#include "tests/strategies/choices.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles::unlimited_agreement_test {
namespace {

using Granted = InstantBackend::Granted;

/// What the law is about: everything but the last digits of times, which are added up in another
/// order.
struct Outcome {
  Trace trace;
  std::vector<Granted> grants;
};

void expect_same_tasks_and_times(const Outcome& fast, const Outcome& general) {
  EXPECT_EQ(fast.trace.tasks, general.trace.tasks);
  // A sum of as many times as there are tasks, each with at most three roundings.
  const double rounding = static_cast<double>(4 * fast.grants.size()) *
                          std::numeric_limits<double>::epsilon() * fast.trace.makespan_s;
  EXPECT_NEAR(fast.trace.makespan_s, general.trace.makespan_s, rounding);
  ASSERT_EQ(fast.trace.busy_s.size(), general.trace.busy_s.size());
  for (std::size_t p = 0; p < fast.trace.busy_s.size(); ++p) {
    EXPECT_NEAR(fast.trace.busy_s[p], general.trace.busy_s[p], rounding);
  }
}

void expect_same(const Outcome& fast, const Outcome& general) {
  EXPECT_EQ(fast.grants, general.grants);
  EXPECT_EQ(fast.trace.loads, general.trace.loads);
  expect_same_tasks_and_times(fast, general);
}

Watcher grants_into(std::vector<Granted>& grants) {
  return [&grants](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::granted) grants.push_back({raw(event.processor), event.id});
  };
}

Outcome fast_path(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
                  std::uint64_t replicate) {
  Outcome outcome;
  outcome.trace =
      simulate_unlimited(workload, platform, choice, 5, replicate, {}, grants_into(outcome.grants));
  return outcome;
}

Outcome dispatched(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
                   std::uint64_t replicate) {
  InstantBackend backend(platform, 5, replicate);
  UnlimitedMemoryRuntime runtime(workload, platform, choice, 5, replicate, 1, 1, backend);
  const Trace trace = backend.run(runtime);
  return {trace, backend.grants()};
}

/// What the workload's tasks take: 2^10 flops, so that seconds are exact where speeds are.
constexpr double task_flops = 1024;

/// The platform as limits that limit nothing: memory for all data, a buffer of one task, and copies
/// so fast that now + what they take is now.
Platform with_room_for_all(const Platform& unlimited) {
  Platform platform;
  MachineModel machine;
  machine.bus_bytes_per_s = 1e30;
  machine.depth = 1;
  machine.jitter = 0;
  for (const double speed : unlimited.speeds) {
    ProcessorModel gpu;
    gpu.flops_per_s = speed * task_flops;
    gpu.memory_bytes = std::uint64_t{1} << 40U;
    gpu.link_bytes_per_s = machine.bus_bytes_per_s;
    machine.processors.push_back(gpu);
    platform.speeds.push_back(gpu.flops_per_s);
  }
  platform.machine = machine;
  return platform;
}

Outcome in_limits(const Workload& workload, const Platform& platform, const StrategyChoice& choice,
                  std::uint64_t replicate) {
  Outcome outcome;
  outcome.trace = simulate_limited(workload, with_room_for_all(platform), choice, 5, replicate,
                                   grants_into(outcome.grants));
  return outcome;
}

/// From `first` on, with which the processors of the fast path ask at the start in the order of
/// their ids, as they do under MemoryAwareRuntime.
std::uint64_t replicate_in_order(std::size_t processors, std::uint64_t first) {
  while (true) {
    std::vector<std::size_t> order(processors);
    for (std::size_t p = 0; p < processors; ++p) order[p] = p;
    Rng(5, Draw::start_order, first).shuffle(std::span(order));
    if (std::is_sorted(order.begin(), order.end())) return first;
    ++first;
  }
}

/// 1, 2 or 4 tasks a second, which end together over and over; or anything between, and nothing
/// ends together.
Platform draw_platform(Rng& rng) {
  Platform platform;
  const bool ties = rng.below(2) == 0;
  const std::uint64_t processors = 1 + rng.below(5);
  while (platform.speeds.size() < processors) {
    const auto power = static_cast<double>(std::uint64_t{1} << rng.below(3));
    platform.speeds.push_back(ties ? power : power * (1 + rng.uniform()));
  }
  return platform;
}

/// A grid of either kind, or a graph written out; all with sizes.
Workload draw_workload(Rng& rng) {
  const auto side = [&] { return 1 + rng.below(7); };
  switch (rng.below(3)) {
    case 0:
      return Workload::parse(fmt::format("gemm2d:m={},n={},tile=8,k=8", side(), side()));
    case 1:
      return Workload::parse(
          fmt::format("gemm3d:m={},n={},k={},tile=8,c=yes", side(), side(), side()));
    default: {
      TaskGraph::Parts parts =
          oracle::random_graph(rng, 1 + rng.below(40), 1 + rng.below(12), 4, 9).parts();
      std::fill(parts.flops.begin(), parts.flops.end(), task_flops);
      return Workload::of_graph("drawn", TaskGraph(std::move(parts)));
    }
  }
}

/// Those that list so many tasks a processor list all, as they do where nobody is asked again.
std::string with_room(const std::string& choice) {
  const auto& options = Table<StrategyEntry>::named(name_in(choice)).options;
  const bool lists = std::any_of(options.begin(), options.end(),
                                 [](const auto& option) { return option == room_option(); });
  if (!lists || choice.find("threshold") != std::string::npos) return choice;
  return choice + (choice.find(':') == std::string::npos ? ":" : ",") + "threshold=1000000";
}

class EveryUnlimitedRun : public testing::TestWithParam<std::string> {
 protected:
  /// Drawn runs on which the choice is defined, others for each choice: visit(workload, platform,
  /// choice, run).
  template <typename Visit>
  static void for_each_run(Visit&& visit) {
    std::uint64_t stream = 0;
    for (const char letter : GetParam()) stream = 31 * stream + static_cast<unsigned char>(letter);
    Rng rng(17, Draw::test, stream);
    for (std::uint64_t run = 0; run < 60 && !HasFailure(); ++run) {
      const Workload workload = draw_workload(rng);
      const Platform platform = draw_platform(rng);
      if (!defined_on(GetParam(), workload)) continue;
      SCOPED_TRACE(fmt::format("run {}: {}, {} tasks on {} processors", run, workload.text(),
                               workload.tasks(), platform.processors()));
      visit(workload, platform, StrategyChoice::parse(with_room(GetParam()), workload), run);
    }
  }
};

TEST_P(EveryUnlimitedRun, EqualsTheRuntimeWhereCopiesTakeNoTime) {
  for_each_run([](const auto& workload, Platform platform, const auto& choice, auto run) {
    if (run % 3 == 0) platform.drift = 0.2;
    expect_same(fast_path(workload, platform, choice, run),
                dispatched(workload, platform, choice, run));
  });
}

/// Strategies that choose among the tasks of a processor's list by what is there, and hint for what
/// its next tasks read. Without limits nobody tells them what has come (Strategy::on_loaded), and
/// hints are not sent; with them they are, for tasks too that others steal. So these take the
/// tasks of a list in another order; whose tasks they are, and when a processor is idle, is the
/// same, as tasks that take the same time are told apart by nothing else.
bool depends_on_what_came(const std::string& choice) {
  return Table<StrategyEntry>::named(name_in(choice)).by_residency;
}
/// It takes what moves least, and two of its candidates are such.
bool depends_on_candidates(const std::string& choice) { return choice == "portfolio"; }

TEST_P(EveryUnlimitedRun, EqualsTheMemoryAwareRuntimeWhereMemoryHoldsEverything) {
  bool all_same = true;
  bool any = false;
  for_each_run([&](const auto& workload, const Platform& platform, const auto& choice, auto run) {
    const std::uint64_t replicate = replicate_in_order(platform.processors(), 1000 * run);
    const Outcome fast = fast_path(workload, platform, choice, replicate);
    const Outcome general = in_limits(workload, platform, choice, replicate);
    any = true;
    all_same = all_same && fast.grants == general.grants && fast.trace.loads == general.trace.loads;
    if (depends_on_candidates(GetParam())) return;
    if (depends_on_what_came(GetParam())) return expect_same_tasks_and_times(fast, general);
    expect_same(fast, general);
  });
  // Where the law holds in full, the exception has to go.
  EXPECT_EQ(any && !all_same,
            any && (depends_on_what_came(GetParam()) || depends_on_candidates(GetParam())))
      << "StrategyEntry::by_residency says whether a strategy is an exception";
}

std::vector<std::string> choices() {
  std::vector<std::string> result = every_choice();
  for (const auto* const candidate : {"eager", "mst", "rcm", "darts", "panel-streaming"}) {
    result.push_back(fmt::format("portfolio:use={}", candidate));
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryUnlimitedRun, testing::ValuesIn(choices()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::unlimited_agreement_test
