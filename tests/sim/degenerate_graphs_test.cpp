#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sim/limited_run.hpp"
#include "sim/simulate.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/parts/forwarding.hpp"
#include "tests/sim/run_audit.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::degenerate_graphs_test {
namespace {

using Index = TaskGraph::Index;
using Parts = TaskGraph::Parts;

/// `tasks` tasks of `flops` each over `data` data of 100 bytes; reads(task) are its inputs.
template <typename Reads>
Workload graph(std::string name, std::size_t data, std::size_t tasks, double flops, Reads&& reads) {
  Parts parts;
  parts.bytes.assign(data, 100);
  for (std::size_t t = 0; t < tasks; ++t) {
    parts.add_task(reads(static_cast<Index>(t)), flops);
    parts.output_bytes.push_back(10);
  }
  return Workload::of_graph(std::move(name), TaskGraph(std::move(parts)));
}

/// What graphs are at their ends.
const std::vector<Workload>& degenerate() {
  const auto nothing = [](Index) { return std::vector<Index>{}; };
  const auto first = [](Index) { return std::vector<Index>{0}; };
  const auto all = [](Index) {
    std::vector<Index> every(6);
    std::iota(every.begin(), every.end(), Index{0});
    return every;
  };
  static const std::vector<Workload> graphs{
      graph("no data, one task", 0, 1, 1000, nothing),
      graph("no data", 0, 40, 1000, nothing),
      graph("one task", 1, 1, 1000, first),
      graph("data that nobody reads", 5, 40, 1000, nothing),
      graph("one data item for all", 1, 40, 1000, first),
      graph("one of many data for all", 50, 40, 1000, first),
      graph("every task reads everything", 6, 40, 1000, all),
      graph("one task reads everything", 6, 1, 1000, all),
      graph("no task shares", 40, 40, 1000, [](Index task) { return std::vector<Index>{task}; }),
      graph("half of them read nothing", 20, 40, 1000,
            [](Index task) {
              return task % 2 == 0 ? std::vector<Index>{} : std::vector<Index>{task / 2};
            }),
      graph("no work", 4, 40, 0, [](Index task) { return std::vector<Index>{task % 4}; }),
      graph("neither data nor work", 0, 40, 0, nothing),
  };
  return graphs;
}

/// Memory for the widest task and little more.
Platform machine(const Workload& workload, std::size_t gpus, std::uint64_t depth,
                 bool write_back = false) {
  Platform platform;
  platform.speeds.assign(gpus, 1000);
  const std::uint64_t memory = 100 * std::max<std::uint64_t>(1, workload.graph().widest()) + 150;
  platform.machine = MachineModel{.processors = {},
                                  .bus_bytes_per_s = 1000,
                                  .latency_s = 0.0625,
                                  .depth = depth,
                                  .write_back = write_back,
                                  .jitter = 0};
  platform.machine->processors.assign(
      gpus, {.flops_per_s = 1000,
             .memory_bytes = memory,
             .link_bytes_per_s = std::numeric_limits<double>::infinity()});
  return platform;
}

std::vector<std::string> choices() {
  std::vector<std::string> result{"darts:choice=starpu", "darts:choice=starpu,threshold=2",
                                  "darts:inputs=3",      "darts:opti=true",
                                  "darts:threshold=1",   "darts:evicted=lost",
                                  "hfp:ready=false",     "hfp:partner=literal"};
  for (const auto& entry : strategies()) {
    if (entry.reads_placement) continue;
    const auto defined = [&](const Workload& workload) { return defined_on(entry.name, workload); };
    if (std::any_of(degenerate().begin(), degenerate().end(), defined)) {
      result.push_back(entry.name);
    }
  }
  return result;
}

class OnDegenerateGraphs : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static std::string with(const std::string& options) {
    return GetParam() + (GetParam().find(':') == std::string::npos ? ":" : ",") + options;
  }
  static Trace run(const Workload& workload, const Platform& platform, const std::string& text) {
    const auto choice = StrategyChoice::parse(text, workload);
    RunAudit audit(
        workload, platform, platform.machine->depth,
        choice.ready_buffer() ? RunAudit::Buffer::any_ready : RunAudit::Buffer::in_order);
    Trace trace = simulate_limited(workload, platform, choice, 1, 0,
                                   [&](const RunEvent& event) { audit.take(event); });
    EXPECT_EQ(audit.broken(), "");
    EXPECT_EQ(audit.started(), std::vector<int>(workload.tasks(), 1));
    EXPECT_TRUE(std::isfinite(trace.makespan_s));
    EXPECT_TRUE(std::isfinite(trace.busy_fraction()));
    return trace;
  }
};

TEST_P(OnDegenerateGraphs, RunsEachTaskOnceWithEveryEviction) {
  for (const Workload& workload : degenerate()) {
    if (!defined_on(GetParam(), workload)) continue;
    for (const std::size_t gpus : {1U, 3U}) {
      for (const auto& policy : evictions()) {
        for (const char* const buffer : {"taken", "ready"}) {
          SCOPED_TRACE(testing::Message() << workload.text() << ", " << gpus << " GPUs, "
                                          << policy.name << ", buffer=" << buffer);
          const std::string options = std::string("buffer=") + buffer + ",eviction=" + policy.name;
          run(workload, machine(workload, gpus, 3), with(options));
          if (HasFailure()) return;  // the first says enough
        }
      }
    }
  }
}

TEST_P(OnDegenerateGraphs, RunsEachTaskOnceOnAnyNumberOfGpus) {
  for (const Workload& workload : degenerate()) {
    if (!defined_on(GetParam(), workload)) continue;
    for (const std::size_t gpus : {1U, 2U, 3U, 4U, 5U, 8U, 13U, 33U}) {
      SCOPED_TRACE(testing::Message() << workload.text() << ", " << gpus << " GPUs");
      run(workload, machine(workload, gpus, 1 + gpus % 3, gpus % 2 == 0), GetParam());
      if (HasFailure()) return;
    }
  }
}

/// Does what a strategy does, and counts how often it is asked.
class Counted final : public Forwarding {
 public:
  Counted(std::unique_ptr<Strategy> to, std::size_t& asked)
      : Forwarding(std::move(to)), asked_(asked) {}
  void request(ProcessorId processor, Grant& grant) override {
    ++asked_;
    Forwarding::request(processor, grant);
  }

 private:
  std::size_t& asked_;
};

TEST_P(OnDegenerateGraphs, AreAskedNoMoreOftenForADepthBeyondAllTasks) {
  for (const Workload& workload : degenerate()) {
    if (!defined_on(GetParam(), workload)) continue;
    SCOPED_TRACE(workload.text());
    const StrategyChoice choice = StrategyChoice::parse(GetParam(), workload);
    std::size_t asked = 0;
    StrategyEntry counting = *choice.entry;
    counting.make = [&](const StrategyContext& context) {
      return std::make_unique<Counted>(choice.make(context), asked);
    };
    const StrategyChoice counted{&counting, choice.spec};
    const auto trace = [&](std::uint64_t depth) {
      asked = 0;
      return simulate_limited(workload, machine(workload, 33, depth), counted, 1, 0);
    };

    const Trace all = trace(workload.tasks() + 1);
    const std::size_t asked_for_all = asked;

    EXPECT_EQ(trace(1'000'000), all);
    EXPECT_EQ(asked, asked_for_all);  // asking all 33 for each place of the buffer: 33 10^6 times
    EXPECT_GE(asked, workload.tasks());
    if (HasFailure()) return;
  }
}

TEST_P(OnDegenerateGraphs, RunsEachTaskOnceInUnlimitedMemory) {
  for (const Workload& workload : degenerate()) {
    if (!defined_on(GetParam(), workload)) continue;
    for (const std::size_t processors : {1U, 2U, 7U, 33U}) {
      SCOPED_TRACE(testing::Message() << workload.text() << ", " << processors << " processors");
      const Platform platform{std::vector<double>(processors, 1.0), 0, {}};
      std::vector<int> times(workload.tasks(), 0);
      const Trace trace = simulate(workload, platform, StrategyChoice::parse(GetParam(), workload),
                                   1, 0, [&](double, ProcessorId, const Grant& grant) {
                                     grant.tasks.for_each([&](TaskId task) { ++times[raw(task)]; });
                                   });
      EXPECT_EQ(times, std::vector<int>(workload.tasks(), 1));
      EXPECT_TRUE(std::isfinite(trace.makespan_s));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OnDegenerateGraphs, testing::ValuesIn(choices()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::degenerate_graphs_test
