#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "models/bounds/grid_bound.hpp"
#include "models/bounds/workload_bound.hpp"
#include "orders/min_loads.hpp"
#include "sim/limited_run.hpp"
#include "strategies/eviction/eviction.hpp"
#include "tests/sim/run_audit.hpp"
#include "tests/strategies/choices.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles::limited_laws_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

constexpr int random_instances = 60;

enum class Memory { tight, medium, all };

/// One instance of a run; tests print it where they fail.
struct Instance {
  Workload workload;
  Platform platform;
  Memory memory;
  std::uint64_t depth;
};

std::ostream& operator<<(std::ostream& out, const Instance& instance) {
  const MachineModel& machine = *instance.platform.machine;
  return out << instance.workload.text() << " on " << machine.processors.size() << " GPUs of "
             << machine.processors.front().memory_bytes << " B, depth " << instance.depth
             << (machine.write_back ? ", write-back" : "")
             << (machine.sharing == BusSharing::fifo ? ", fifo" : ", fair");
}

std::uint64_t most_bytes(const Workload& workload, bool write_back) {
  const TaskGraph& graph = workload.graph();
  std::uint64_t most = 0;
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    most = std::max(most, graph.footprint(task) + (write_back ? graph.output_bytes(task) : 0));
  }
  return most;
}

std::uint64_t all_bytes(const Workload& workload) {
  const TaskGraph& graph = workload.graph();
  std::uint64_t all = 0;
  for (TaskGraph::Index data = 0; data < graph.data(); ++data) all += graph.bytes(data);
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) all += graph.output_bytes(task);
  return all;
}

/// GPUs of 1000, 2000, ... flop/s, every second one behind a link of half the bus, which has 1000
/// B/s: a block of 400 bytes travels for 0.4 s, a task of 2000 flop runs for 2 s on the first. At
/// depth 4 tasks take longer than that, and copies delay them.
Instance make_instance(const Workload& workload, std::size_t processors, Memory memory,
                       std::uint64_t depth, bool write_back, BusSharing sharing) {
  const std::uint64_t least = most_bytes(workload, write_back);
  const std::uint64_t all = std::max(least, all_bytes(workload));
  MachineModel machine{.processors = {},
                       .bus_bytes_per_s = 1000,
                       .latency_s = depth == 2 ? 0 : 0.0625,
                       .overhead_s = depth == 4 ? 0.25 : 0,
                       // Copies to host memory are not seen from outside.
                       .interference = depth == 4 && !write_back ? 0.5 : 0,
                       .sharing = sharing,
                       .depth = depth,
                       .write_back = write_back};
  Platform platform;
  for (std::size_t p = 0; p < processors; ++p) {
    const double speed = 1000 * static_cast<double>(p + 1);
    platform.speeds.push_back(speed);
    machine.processors.push_back(
        {.flops_per_s = speed,
         .memory_bytes = memory == Memory::tight    ? least
                         : memory == Memory::medium ? (least + all / 3)
                                                    : all,
         .link_bytes_per_s = p % 2 == 0 ? std::numeric_limits<double>::infinity() : 500});
  }
  platform.machine = machine;
  return {workload, platform, memory, depth};
}

Workload of_several_sizes(std::uint64_t stream) {
  Rng rng(5, Draw::test, stream);
  TaskGraph::Parts parts = oracle::random_graph(rng, 20, 9, 4, 9).parts();
  for (std::size_t t = 0; t < parts.flops.size(); ++t) parts.output_bytes.push_back(rng.below(6));
  return Workload::of_graph("several-sizes", TaskGraph(std::move(parts)));
}

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = [] {
    std::vector<Workload> result;
    for (const auto* text :
         {"gemm2d:n=1,tile=10,k=10", "gemm2d:m=3,n=7,tile=10,k=10",
          "gemm2d:n=6,tile=10,k=10,order=random,seed=2", "gemm3d:n=3,tile=10",
          "gemm3d:m=2,n=3,k=4,tile=10,c=yes", "gemm3d:n=3,tile=10,c=later,order=random,seed=3",
          "cholesky:n=5,tile=10,deps=false", "sparse2d:n=12,tile=10,k=10,density=0.15,seed=4"}) {
      result.push_back(Workload::parse(text));
    }
    result.push_back(of_several_sizes(0));
    result.push_back(of_several_sizes(1));
    return result;
  }();
  return all;
}

/// Calls visit(instance) for every workload on which `choice` is defined and every machine.
template <typename Visit>
void for_each_instance(const std::string& choice, Visit&& visit) {
  for (const Workload& workload : workloads()) {
    if (!defined_on(choice, workload)) continue;
    for (const std::size_t processors : {1U, 2U, 3U}) {
      for (const auto memory : {Memory::tight, Memory::medium, Memory::all}) {
        for (const std::uint64_t depth : {1U, 2U, 4U}) {
          for (const bool write_back : {false, true}) {
            for (const auto sharing : {BusSharing::fair, BusSharing::fifo}) {
              visit(make_instance(workload, processors, memory, depth, write_back, sharing));
              if (testing::Test::HasFailure()) return;  // the first says enough
            }
          }
        }
      }
    }
  }
}

Trace simulate(const Instance& instance, const std::string& choice, const Watcher& watcher) {
  return simulate_limited(instance.workload, instance.platform,
                          StrategyChoice::parse(choice, instance.workload), 3, 1, watcher);
}

/// "eager" -> "eager:eviction=lru"; "hfp:flip=true" -> "hfp:flip=true,eviction=lru".
std::string with_eviction(const std::string& choice, const std::string& eviction) {
  return choice + (choice.find(':') == std::string::npos ? ":" : ",") + "eviction=" + eviction;
}

/// Every strategy of the table, and options that change what it does, with every eviction policy.
std::vector<std::string> choices() {
  std::vector<std::string> result;
  std::vector<std::string> bare{"darts:choice=starpu", "darts:inputs=3",    "darts:opti=true",
                                "darts:threshold=3",   "hfp:ready=false",   "hfp:partner=literal",
                                "eager:buffer=ready",  "darts:buffer=ready"};
  for (const auto& entry : strategies()) {
    if (entry.reads_placement) continue;
    bare.push_back(entry.name == "dynamic-2phases" ? entry.name + ":beta=3" : entry.name);
  }
  for (const auto& choice : bare) {
    if (is_kin_of_another(choice)) {
      result.push_back(choice);
      continue;
    }
    for (const auto& policy : evictions()) result.push_back(with_eviction(choice, policy.name));
  }
  return result;
}

RunAudit audit_of(const Instance& instance, const std::string& choice) {
  const bool ready = choice.find("buffer=ready") != std::string::npos;
  return {instance.workload, instance.platform, instance.depth,
          ready ? RunAudit::Buffer::any_ready : RunAudit::Buffer::in_order};
}

class EveryLimitedRun : public testing::TestWithParam<std::string> {};

TEST_P(EveryLimitedRun, KeepsTheRulesOfMemoryAndRunsEachTaskOnce) {
  for_each_instance(GetParam(), [&](const Instance& instance) {
    SCOPED_TRACE(testing::Message() << instance);
    RunAudit audit = audit_of(instance, GetParam());

    const Trace trace = simulate(instance, GetParam(), [&](const auto& e) { audit.take(e); });

    EXPECT_EQ(audit.broken(), "");
    EXPECT_EQ(audit.started(), std::vector<int>(instance.workload.tasks(), 1));
    for (std::size_t p = 0; p < audit.gpus().size(); ++p) {
      const auto& gpu = audit.gpus()[p];
      EXPECT_TRUE(gpu.line.empty());
      EXPECT_EQ(trace.loads[p], gpu.loads);
      EXPECT_EQ(trace.bytes_loaded[p], gpu.loaded_bytes);
      EXPECT_EQ(trace.evictions[p], gpu.evictions);
      EXPECT_EQ(trace.invalidations[p], 0U);
      EXPECT_EQ(trace.loads_first[p] + trace.loads_after_eviction[p], gpu.loads);
      EXPECT_EQ(trace.loads_after_invalidation[p], 0U);
      if (instance.memory == Memory::all) {
        EXPECT_EQ(trace.loads_after_eviction[p], 0U);
      }
      EXPECT_EQ(trace.tasks[p], gpu.tasks);
      // Sums of at most 100 times, in the same order.
      EXPECT_NEAR(trace.busy_s[p], gpu.busy_s, 100 * eps * gpu.busy_s);
    }
    EXPECT_FALSE(audit.loads_for_nothing());
  });
}

/// A small graph of data of several sizes, tasks of 0 to 4 inputs and 0 to 4 flop, on a machine of
/// which everything is drawn.
Instance random_instance(Rng& rng) {
  TaskGraph::Parts parts =
      oracle::random_graph(rng, 1 + rng.below(24), 1 + rng.below(12), 4, 1 + rng.below(9)).parts();
  for (std::size_t t = 0; t < parts.flops.size(); ++t) parts.output_bytes.push_back(rng.below(6));
  const auto workload = Workload::of_graph("random", TaskGraph(std::move(parts)));
  Instance instance =
      make_instance(workload, 1 + rng.below(4), Memory::medium, 1 + rng.below(5), rng.below(2) == 0,
                    rng.below(2) == 0 ? BusSharing::fair : BusSharing::fifo);
  MachineModel& machine = *instance.platform.machine;
  const std::uint64_t least = std::max<std::uint64_t>(1, most_bytes(workload, machine.write_back));
  machine.bus_bytes_per_s = static_cast<double>(1 + rng.below(5000));
  for (auto& gpu : machine.processors) gpu.memory_bytes = least + rng.below(20);
  if (machine.processors.size() > 1 && rng.below(3) == 0) {
    machine.bus_rates = {machine.bus_bytes_per_s, static_cast<double>(1 + rng.below(5000))};
    for (std::size_t p = 1; p < machine.processors.size(); ++p) machine.processors[p].bus = p % 2;
  }
  return instance;
}

TEST_P(EveryLimitedRun, KeepsTheRulesOnRandomGraphs) {
  Rng rng(6, Draw::test, 0);
  for (int i = 0; i < random_instances && !HasFailure(); ++i) {
    const Instance instance = random_instance(rng);
    if (!defined_on(GetParam(), instance.workload)) return;
    SCOPED_TRACE(testing::Message() << "instance " << i << ": " << instance);
    RunAudit audit = audit_of(instance, GetParam());

    const Trace trace = simulate(instance, GetParam(), [&](const auto& e) { audit.take(e); });

    EXPECT_EQ(audit.broken(), "");
    EXPECT_EQ(audit.started(), std::vector<int>(instance.workload.tasks(), 1));
    EXPECT_GE(static_cast<double>(trace.total_loads()), compulsory_loads(instance.workload));
    const MachineModel& machine = *instance.platform.machine;
    const auto bound = workload_makespan_bound(instance.workload, instance.platform,
                                               workload_load_bound(instance.workload, machine));
    EXPECT_GE(trace.makespan_s * (1 + 1000 * eps), bound.seconds) << bound.argument;
  }
}

TEST_P(EveryLimitedRun, StaysAboveTheBounds) {
  for_each_instance(GetParam(), [&](const Instance& instance) {
    SCOPED_TRACE(testing::Message() << instance);
    const MachineModel& machine = *instance.platform.machine;
    const TaskGraph& graph = instance.workload.graph();
    RunAudit audit = audit_of(instance, GetParam());

    const Trace trace = simulate(instance, GetParam(), [&](const auto& e) { audit.take(e); });

    const LoadBound loads = workload_load_bound(instance.workload, machine);
    EXPECT_GE(trace.total_loads(), loads.loads);
    if (instance.memory == Memory::all && machine.processors.size() == 1) {
      EXPECT_EQ(static_cast<double>(trace.total_loads()), compulsory_loads(instance.workload));
      EXPECT_EQ(trace.evictions[0], 0U);
    }
    double speed = 0;
    std::uint64_t written = 0;
    for (std::size_t p = 0; p < machine.processors.size(); ++p) {
      speed += machine.processors[p].flops_per_s;
      written += trace.bytes_written[p];
    }
    // A load may still be on its way when the last task ends, so not all need be in time.
    const auto bytes = static_cast<double>(audit.arrived_bytes() + written);
    // A run adds up at most a few hundred times.
    const double makespan = trace.makespan_s * (1 + 1000 * eps);
    const auto bound = workload_makespan_bound(instance.workload, instance.platform, loads);
    EXPECT_GE(makespan, bound.seconds) << bound.argument;
    EXPECT_GE(makespan, graph.total_flops() / speed);
    EXPECT_GE(makespan, bytes / machine.bus_bytes_per_s);
    std::uint64_t outputs = 0;
    for (TaskGraph::Index t = 0; t < graph.tasks(); ++t) outputs += graph.output_bytes(t);
    EXPECT_EQ(written, machine.write_back ? outputs : 0);
    EXPECT_GE(trace.makespan_s, audit.last_end_s());
    if (written == 0) {
      EXPECT_EQ(trace.makespan_s, audit.last_end_s());
    }
  });
}

TEST_P(EveryLimitedRun, RepeatsItselfForOneSeed) {
  if (left_out_of_build(GetParam())) GTEST_SKIP() << "not built in";
  std::size_t events = 0;
  for_each_instance(GetParam(), [&](const Instance& instance) {
    if (instance.depth != 2) return;
    SCOPED_TRACE(testing::Message() << instance);
    std::vector<RunEvent> first;
    std::vector<RunEvent> second;

    const Trace a = simulate(instance, GetParam(), [&](const auto& e) { first.push_back(e); });
    const Trace b = simulate(instance, GetParam(), [&](const auto& e) { second.push_back(e); });

    EXPECT_EQ(a, b);
    EXPECT_EQ(first, second);
    events += first.size();
  });
  EXPECT_GT(events, 0U);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLimitedRun, testing::ValuesIn(choices()),
                         [](const auto& test) { return test_name(test.param); });

/// Strategies whose order of tasks is known from the start.
class FixedOrderRun : public testing::TestWithParam<std::string> {};

std::vector<std::string> fixed_orders() {
  std::vector<std::string> names;
  for (const auto& entry : strategies()) {
    const bool known = entry.static_order || entry.order_known != nullptr;
    if (known && !entry.reads_placement) names.push_back(entry.name);
  }
  return names;
}

TEST_P(FixedOrderRun, LoadsLeastWithBelady) {
  // COLOC'21, Theorem 1: data of one size, one processor. Depth 1: nothing is fetched before its
  // turn.
  int more = 0;
  int fetched_ahead = 0;
  for (const Workload& workload : workloads()) {
    if (!workload.graph().uniform_bytes()) continue;
    for (const auto memory : {Memory::tight, Memory::medium, Memory::all}) {
      const auto instance = make_instance(workload, 1, memory, 1, false, BusSharing::fair);
      SCOPED_TRACE(testing::Message() << instance);
      std::vector<TaskGraph::Index> order;
      bool running = false;
      const Watcher watcher = [&](const RunEvent& event) {
        if (event.kind == RunEvent::Kind::task_started) {
          order.push_back(static_cast<TaskGraph::Index>(event.id));
          running = true;
        }
        if (event.kind == RunEvent::Kind::task_ended) running = false;
        if (event.kind == RunEvent::Kind::load_started && running) ++fetched_ahead;
      };

      const auto loads =
          simulate(instance, with_eviction(GetParam(), "belady"), watcher).total_loads();

      const auto least =
          min_loads(workload.graph(), order, instance.platform.machine->processors[0].memory_bytes);
      EXPECT_EQ(loads, least);
      for (const auto& policy : evictions()) {
        const auto others =
            simulate(instance, with_eviction(GetParam(), policy.name), {}).total_loads();
        EXPECT_GE(others, least) << policy.name;
        more += others > least ? 1 : 0;
      }
    }
  }
  EXPECT_GT(more, 5);  // the memories are small enough for policies to differ
  EXPECT_EQ(fetched_ahead, 0);
}

INSTANTIATE_TEST_SUITE_P(Table, FixedOrderRun, testing::ValuesIn(fixed_orders()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::limited_laws_test
