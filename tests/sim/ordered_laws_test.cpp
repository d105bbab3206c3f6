// Laws of simulated runs whose tasks wait for others and write, from their events alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/bounds/workload_bound.hpp"
#include "models/levels.hpp"
#include "orders/partition.hpp"
#include "sim/limited_run.hpp"
#include "tests/sim/causes_audit.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::ordered_laws_test {
namespace {

using Index = TaskGraph::Index;
using Kind = RunEvent::Kind;

/// Keeps the books of which version lies where, and notes every law that an event breaks.
class OrderAudit {
 public:
  OrderAudit(const TaskGraph& graph, const MachineModel& limits)
      : graph_(graph),
        limits_(limits),
        now_(graph.data(), 0),
        home_(graph.data(), 0),
        ended_(graph.tasks(), false),
        copies_(limits.processors.size(), std::vector<Copy>(graph.data())),
        used_bytes_(limits.processors.size(), 0),
        causes_(limits.processors.size()) {}

  void take(const RunEvent& event) {
    if (event.time_s < time_s_) note("time goes back");
    time_s_ = event.time_s;
    causes_.take(event);
    const std::size_t p = raw(event.processor);
    const auto id = static_cast<Index>(event.id);
    if (limits_.processors[p].in_host_memory && event.kind != Kind::granted &&
        event.kind != Kind::task_started && event.kind != Kind::task_ended) {
      note("something moves to or from a processor that computes at home");
    }
    const auto copy = [&]() -> Copy& { return copies_[p][id]; };
    switch (event.kind) {
      case Kind::granted:
        break;
      case Kind::load_started:
        // From host memory, or from a processor that has a link here.
        if (home_[id] != now_[id] && !(limits_.has_peers() && held(id))) {
          note("an old version is loaded");
        }
        enter(p, id, now_[id], false);
        break;
      case Kind::load_ended:
        copy().there = true;
        break;
      case Kind::created:
        enter(p, id, never, true);
        break;
      case Kind::return_started:
        if (copy().sum == 0 && (!copy().there || copy().version != now_[id])) {
          note("what is not valid returns");
        }
        break;
      case Kind::return_ended:
        home_[id] = copy().sum > 0 ? home_[id] + std::exchange(copy().sum, 0) : copy().version;
        break;
      case Kind::evicted:
        if (!copy().there) note("what is not there goes");
        copy() = {};
        if (home_[id] != now_[id] && !held(id)) lost_.push_back(id);
        used_bytes_[p] -= graph_.bytes(id);
        break;
      case Kind::joined:
      case Kind::left:
        note("nobody computes with another here");
        break;
      case Kind::task_started:
        start(p, id);
        break;
      case Kind::task_ended:
        ended_[id] = true;
        break;
    }
  }

  [[nodiscard]] const std::string& broken() const { return broken_; }
  [[nodiscard]] const CausesAudit& causes() const { return causes_; }
  [[nodiscard]] bool all_home() const { return home_ == now_; }
  [[nodiscard]] bool all_ended() const {
    return std::all_of(ended_.begin(), ended_.end(), [](bool ended) { return ended; });
  }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  struct Copy {
    bool there = false;
    std::uint64_t version = never;
    std::uint64_t sum = 0;  // of what tasks reduce: how many of them
  };

  /// Sums of what tasks reduce: what host memory is short of.
  [[nodiscard]] std::uint64_t added(Index data) const {
    std::uint64_t result = 0;
    for (const auto& copies : copies_) result += copies[data].sum;
    return result;
  }
  /// Whether some processor has the data as they are now, or processors have what host memory
  /// lacks.
  [[nodiscard]] bool held(Index data) const {
    if (added(data) > 0) return home_[data] + added(data) == now_[data];
    return std::any_of(copies_.begin(), copies_.end(), [&](const auto& copies) {
      return copies[data].there && copies[data].version == now_[data];
    });
  }
  void note(const std::string& what) {
    if (broken_.empty()) broken_ = what;
  }
  void enter(std::size_t p, Index data, std::uint64_t version, bool there) {
    if (copies_[p][data].version != never) note("what is there comes again");
    copies_[p][data] = {there, version};
    used_bytes_[p] += graph_.bytes(data);
    if (used_bytes_[p] > limits_.processors[p].memory_bytes) note("more is in memory than fits");
  }
  void start(std::size_t p, Index task) {
    for (Index before = 0; before < graph_.tasks(); ++before) {
      const bool waits = graph_.dependencies().waits(task, before);
      if (waits && !ended_[before]) note("a task starts before one it waits for has ended");
    }
    graph_.for_each_access(task, [&](Index data, Access access) {
      if (limits_.processors[p].in_host_memory) {
        if (reads(access) && home_[data] != now_[data]) note("an old version is read at home");
        if (!writes(access)) return;
        if (reduces(access)) check_sums(data);
        ++now_[data];
        home_[data] = reduces(access) ? home_[data] + 1 : now_[data];
        std::erase(lost_, data);  // copies were taken for this
        return;
      }
      if (!copies_[p][data].there) note("a task starts without its data");
      if (reads(access) && copies_[p][data].version != now_[data]) note("an old version is read");
      if (!writes(access)) return;
      if (reduces(access)) {
        check_sums(data);
        ++now_[data];
        ++copies_[p][data].sum;
        copies_[p][data].version = never;
        return;
      }
      if (added(data) > 0) note("what was added is not added up");
      copies_[p][data].version = ++now_[data];
      std::erase(lost_, data);  // its other copies were taken for this
    });
    if (!lost_.empty()) note("what was written is lost");
  }

  /// Home holds what there was before, and all that was added to it or is in sums.
  void check_sums(Index data) {
    if (home_[data] + added(data) != now_[data]) note("a task adds to an old version");
  }

  const TaskGraph& graph_;
  const MachineModel& limits_;
  std::vector<std::uint64_t> now_;   // versions of each data item: how often it was written
  std::vector<std::uint64_t> home_;  // which of them lies in host memory
  std::vector<bool> ended_;
  std::vector<std::vector<Copy>> copies_;
  std::vector<std::uint64_t> used_bytes_;
  CausesAudit causes_;
  std::vector<Index> lost_;  // unless the next task that starts writes them
  double time_s_ = 0;
  std::string broken_;
};

/// GPUs of 1000, 2000, ... flop/s on a bus of 1000 B/s; tiles of 4 x 4 numbers have 64 B.
Platform machine(const TaskGraph& graph, std::size_t processors, double room, bool write_back,
                 bool by_kind) {
  std::uint64_t least = 0;
  std::uint64_t all = 0;
  for (Index t = 0; t < graph.tasks(); ++t) least = std::max(least, graph.footprint(t));
  for (Index d = 0; d < graph.data(); ++d) all += graph.bytes(d);
  MachineModel limits{.processors = {},
                      .bus_bytes_per_s = 1000,
                      .latency_s = 0.01,
                      .sharing = write_back ? BusSharing::fair : BusSharing::fifo,
                      .depth = 3,
                      .write_back = write_back};
  limits.jitter = 0;
  Platform platform;
  for (std::size_t p = 0; p < processors; ++p) {
    const double speed = 1000 * static_cast<double>(p + 1);
    platform.speeds.push_back(speed);
    limits.processors.push_back(
        {.flops_per_s = speed,
         .memory_bytes = least + static_cast<std::uint64_t>(room * static_cast<double>(all)),
         .link_bytes_per_s = 800});
    if (by_kind) limits.processors.back().kernel_times = {{"POTRF", 3}, {"GEMM", 0.01}};
  }
  platform.machine = limits;
  return platform;
}

/// Of four GPUs: on two buses, over which all may copy; or over two links, of which one is half
/// duplex, and over the bus.
void add_routes(MachineModel& limits, double room) {
  if (room == 0.0) {
    limits.bus_rates = {1000, 700};
    limits.processors[1].bus = limits.processors[3].bus = 1;
    limits.peers_over_bus = true;
  } else if (room == 1.0) {
    limits.peer_links.push_back({1, 2, 2000, true});
    limits.peer_routes = {{2, 0, {1}}, {0, 3, {}}};
  }
}

/// Runs the workload on one, two and four GPUs with little and much memory.
void expect_laws(const std::string& text, const std::string& choice) {
  const Workload workload = Workload::parse(text);
  const TaskGraph& graph = workload.graph();
  for (const std::size_t processors : {1U, 2U, 4U}) {
    for (const double room : {0.0, 0.2, 1.0}) {
      for (const bool write_back : {false, true}) {
        const bool by_kind = write_back && graph.kind_name(0) == "POTRF";
        Platform platform = machine(graph, processors, room, write_back, by_kind);
        // Links of all pairs; of one; none. Of four moreover routes.
        if (room == 0.2) platform.machine->peer_bytes_per_s = 3000;
        if (room == 1.0) platform.machine->peer_links = {{0, 1, 3000}};
        if (processors == 4) add_routes(*platform.machine, room);
        if (room == 0.2 && write_back) platform.machine->noise = Noise{0.7};
        SCOPED_TRACE(testing::Message() << text << " on " << processors << ", room " << room);
        OrderAudit audit(graph, *platform.machine);

        const Trace trace =
            simulate_limited(workload, platform, StrategyChoice::parse(choice, workload), 3, 1,
                             [&](const RunEvent& event) { audit.take(event); });

        ASSERT_EQ(audit.broken(), "");
        audit.causes().expect(trace);
        ASSERT_TRUE(audit.all_ended());
        ASSERT_TRUE(audit.all_home() || !write_back);
        const LoadBound loads = workload_load_bound(workload, *platform.machine);
        ASSERT_GE(trace.total_loads(), loads.loads);
        const auto bound = workload_makespan_bound(
            workload, platform, Durations::drawn(workload, platform, 3, 1), loads);
        ASSERT_GE(trace.makespan_s * (1 + 1e-12), bound.seconds) << bound.argument;
        if (room == 1.0 && processors == 1 && !workload.graph().reduces()) {  // sums leave
          ASSERT_EQ(trace.evictions[0], 0U);
          ASSERT_EQ(trace.total_loads(), loads.loads);  // each once, and none twice
        }
      }
    }
  }
}

class EveryOrderedRun : public testing::TestWithParam<std::string> {};

TEST_P(EveryOrderedRun, KeepsTheLawsAndStaysAboveTheBounds) {
  for (const auto* text :
       {"cholesky:n=6,tile=4,deps=true", "cholesky:n=6,tile=4,deps=true,updates=commute",
        "cholesky:n=6,tile=4,deps=true,updates=reduce", "stencil:n=4,steps=3,tile=4",
        "layered:n=6,layers=5,tile=4,reads=3,seed=2", "gemm3d:n=4,k=3,tile=4,c=made"}) {
    expect_laws(text, GetParam());
  }
}

constexpr const char* reducing = "gemm3d:n=4,k=3,tile=4,c=made,updates=reduce";

/// Tasks write there, and none waits for another.
class EveryReducingRun : public testing::TestWithParam<std::string> {};

TEST_P(EveryReducingRun, KeepsTheLawsAndStaysAboveTheBounds) { expect_laws(reducing, GetParam()); }

/// Two GPUs, three cores that are faster at one kind of task and cannot run another.
TEST_P(EveryOrderedRun, KeepsTheLawsBesideCores) {
  for (const auto* text :
       {"cholesky:n=6,tile=4,deps=true", "cholesky:n=6,tile=4,deps=true,updates=commute",
        "cholesky:n=6,tile=4,deps=true,updates=reduce", "stencil:n=4,steps=3,tile=4",
        "layered:n=6,layers=5,tile=4,reads=3,seed=2", "gemm3d:n=4,k=3,tile=4,c=made"}) {
    const Workload workload = Workload::parse(text);
    const TaskGraph& graph = workload.graph();
    const auto choice = StrategyChoice::parse(GetParam(), workload);
    if (!choice.entry->heterogeneous) GTEST_SKIP() << "does not support heterogeneous platforms";
    for (const double room : {0.0, 0.2, 1.0}) {
      for (const bool write_back : {false, true}) {
        for (const std::size_t gpus : {0U, 1U, 2U}) {
          Platform platform = machine(graph, gpus, room, write_back, false);
          if (room == 0.2) platform.machine->peer_bytes_per_s = 3000;
          const bool by_kind = gpus > 0 && graph.kind_name(0) == "POTRF";
          for (int core = 0; core < 3; ++core) {
            platform.speeds.push_back(500);
            platform.machine->processors.push_back(
                {.flops_per_s = 500, .kind = "cpu", .in_host_memory = true});
            if (!by_kind) continue;
            platform.machine->processors.back().kernel_times = {{"POTRF", 0.01}, {"GEMM", never_s}};
          }
          SCOPED_TRACE(testing::Message() << text << " on " << gpus << ", room " << room);
          OrderAudit audit(graph, *platform.machine);

          const Trace trace = simulate_limited(workload, platform, choice, 3, 1,
                                               [&](const RunEvent& event) { audit.take(event); });

          ASSERT_EQ(audit.broken(), "");
          audit.causes().expect(trace);
          ASSERT_TRUE(audit.all_ended());
          ASSERT_TRUE(audit.all_home() || !write_back);
          const LoadBound loads = workload_load_bound(workload, *platform.machine);
          ASSERT_EQ(loads.loads, 0U);
          const auto bound = workload_makespan_bound(workload, platform, loads);
          ASSERT_GE(trace.makespan_s * (1 + 1e-12), bound.seconds) << bound.argument;
          if (gpus == 0) {
            ASSERT_EQ(trace.total_loads(), 0U);
          }
        }
      }
    }
  }
}

std::vector<std::string> ordered_choices() {
  std::vector<std::string> result;
  const Workload ordered = Workload::parse("cholesky:n=2,deps=true");
  for (const auto& choice : every_choice()) {
    if (defined_on(choice, ordered)) result.push_back(choice);
  }
  for (const auto* choice :
       {"darts:choice=starpu", "darts:eviction=lru", "darts:inputs=3", "dmdar:eviction=belady",
        "eager:buffer=ready", "dmda:prefetch=push", "dmdar:prefetch=push", "dmdas:prefetch=push",
        "heft:prefetch=push", "hfp:ready=false", "hfp:patient=false,ready=3"}) {
    result.emplace_back(choice);
  }
  if (partition_built()) {
    for (const auto* choice : {"hypergraph:split=memory", "hypergraph:parts=random,ready=false"}) {
      result.emplace_back(choice);
    }
  }
  return result;
}

std::vector<std::string> reducing_choices() {
  std::vector<std::string> result;
  const Workload workload = Workload::parse(reducing);
  for (const auto& choice : every_choice()) {
    if (defined_on(choice, workload)) result.push_back(choice);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOrderedRun, testing::ValuesIn(ordered_choices()),
                         [](const auto& test) { return test_name(test.param); });
INSTANTIATE_TEST_SUITE_P(Table, EveryReducingRun, testing::ValuesIn(reducing_choices()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::ordered_laws_test
