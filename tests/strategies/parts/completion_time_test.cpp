// dmda's list, by hand.

#include "strategies/parts/completion_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/platforms/scenario.hpp"
#include "models/rng.hpp"
#include "models/runs/node_memory.hpp"
#include "models/workload.hpp"
#include "strategies/parts/alike_processors.hpp"

namespace damocles::completion_time_test {
namespace {

using Index = TaskGraph::Index;
using Lists = std::vector<std::vector<Index>>;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// GPUs on a bus, on which a byte takes 2 K / bandwidth, unless links are slower.
struct TestMachine {
  std::vector<double> speeds;  ///< [flop/s]
  double bandwidth = 0;
  double latency_s = 0;
  std::vector<double> links{};  ///< of each GPU; empty: unlimited
};

/// What dmda expects on that machine.
class Expected {
 public:
  Expected(const TaskGraph::Parts& parts, const TestMachine& machine, const char* strategy = "dmda")
      : workload_(Workload::of_graph("by hand", TaskGraph(TaskGraph::Parts(parts)))),
        platform_{.speeds = machine.speeds, .machine = limits(machine)},
        memory_(machine.speeds.size(), workload_.data()),
        spec_(Spec::parse(strategy, "strategy")),
        times({workload_, platform_, memory_, spec_, Rng(1, Draw::strategy, 0)}) {}

  /// The lists where all tasks are allotted, one after the other.
  Lists allot_all() {
    Lists lists(platform_.processors());
    for (Index task = 0; task < workload_.tasks(); ++task) {
      lists[raw(times.allot(task))].push_back(task);
    }
    return lists;
  }

 private:
  static MachineModel limits(const TestMachine& machine) {
    MachineModel limits{.processors = {},
                        .bus_bytes_per_s = machine.bandwidth,
                        .latency_s = machine.latency_s,
                        .jitter = 0};
    for (std::size_t k = 0; k < machine.speeds.size(); ++k) {
      limits.processors.push_back({.flops_per_s = machine.speeds[k],
                                   .memory_bytes = 1'000'000,
                                   .link_bytes_per_s = unlimited});
      if (!machine.links.empty()) limits.processors.back().link_bytes_per_s = machine.links[k];
    }
    return limits;
  }

  Workload workload_;
  Platform platform_;
  NodeMemory memory_;
  Spec spec_;

 public:
  CompletionTimes times;  // NOLINT(misc-non-private-member-variables-in-classes)
};

Lists allot(const TaskGraph::Parts& parts, const std::vector<double>& speeds, double bandwidth,
            double latency_s = 0, double link = unlimited) {
  const TestMachine machine{speeds, bandwidth, latency_s, std::vector(speeds.size(), link)};
  return Expected(parts, machine).allot_all();
}

TaskGraph::Parts tasks(const std::vector<std::uint64_t>& bytes,
                       const std::vector<std::vector<Index>>& reads, double flops) {
  TaskGraph::Parts parts;
  parts.bytes = bytes;
  for (const auto& inputs : reads) parts.add_task(inputs, flops);
  return parts;
}

TEST(AllotByCompletionTime, KeepsTasksWithTheirDataWhereItTravelsLong) {
  // 10 B at 2 * 2 / 4 = 1 s a byte. T0: to 0, there at 10, done at 11. T1 there: done at 12, cost
  // 12; elsewhere done at 11, cost 11 + 10.
  EXPECT_EQ(allot(tasks({10}, {{0}, {0}}, 1), {1, 1}, 4), (Lists{{0, 1}, {}}));
}

TEST(AllotByCompletionTime, SharesTasksOutWhereDataTravelFast) {
  EXPECT_EQ(allot(tasks({10}, {{0}, {0}}, 1), {1, 1}, 4e9), (Lists{{0}, {1}}));
}

TEST(AllotByCompletionTime, GivesTiesToTheFirst) {
  // 1 B takes 1 s. T0 ends on 0 at 2. T1: on 0 at 3 for nothing; on 1 at 2, and 1 s of transfer.
  EXPECT_EQ(allot(tasks({1}, {{0}, {0}}, 1), {1, 1}, 4), (Lists{{0, 1}, {}}));
}

TEST(AllotByCompletionTime, CountsLatencyAndTheSlowerOfLinkAndBus) {
  // A byte takes no time on the bus; over links of 1 B/s or with 1 s of latency it takes 1 s.
  const auto two = tasks({1}, {{0}, {0}}, 0.75);
  EXPECT_EQ(allot(two, {1, 1}, 4e9), (Lists{{0}, {1}}));
  EXPECT_EQ(allot(two, {1, 1}, 4e9, 1), (Lists{{0, 1}, {}}));
  EXPECT_EQ(allot(two, {1, 1}, 4e9, 0, 1), (Lists{{0, 1}, {}}));
}

TEST(AllotByCompletionTime, PrefersTheFasterProcessor) {
  // Ends on 1 at 1/3, 2/3 and 1; T3 would end there at 4/3.
  EXPECT_EQ(allot(tasks({1}, {{0}, {0}, {0}, {0}}, 1), {1, 3}, 4e9), (Lists{{3}, {0, 1, 2}}));
}

TEST(AllotByCompletionTime, DropsTheWaitForATransferWhenTheTaskStarts) {
  // T0 waits 10 s for 10 B on 0, and computes 1 s. T1 reads 1 B. While T0 waits it ends on 0 at 12
  // and on 1 at 2; when T0 has started, at 2 on either, and the first gets it.
  const auto two = tasks({10, 1}, {{0}, {1}}, 1);
  Expected waits(two, {{1, 1}, 4});
  EXPECT_EQ(waits.times.allot(0), ProcessorId{0});
  EXPECT_EQ(waits.times.allot(1), ProcessorId{1});
  Expected runs(two, {{1, 1}, 4});
  EXPECT_EQ(runs.times.allot(0), ProcessorId{0});
  runs.times.started(ProcessorId{0}, 0);
  EXPECT_EQ(runs.times.allot(1), ProcessorId{0});
}

TEST(AllotByCompletionTime, CountsTheRunningTaskUntilItHasEnded) {
  // Without transfers worth the name: T0 runs on 0, T1 goes to 1; when both have ended, T2 to 0.
  Expected expected(tasks({1, 1, 1}, {{0}, {1}, {2}}, 1), {{1, 1}, 4e9});
  EXPECT_EQ(expected.times.allot(0), ProcessorId{0});
  expected.times.started(ProcessorId{0}, 0);
  EXPECT_EQ(expected.times.allot(1), ProcessorId{1});
  expected.times.started(ProcessorId{1}, 1);
  expected.times.finished(ProcessorId{0}, 0);
  expected.times.finished(ProcessorId{1}, 1);
  EXPECT_TRUE(expected.times.idle());
  EXPECT_EQ(expected.times.allot(2), ProcessorId{0});
}

TEST(AllotByCompletionTime, QueuesTransfersWhereAsked) {
  // 1 B takes 1 s to 0 and 2 s to 1; a task computes 0.25 s. Alone: on 0 a task costs its end, at
  // most 2, and 1 s; on 1 it costs 4.25. Queued: T2 ends on 0 at 3.25 and costs 4.25, as on 1; T3
  // would cost 5.25.
  const auto four = tasks({1, 1, 1, 1}, {{0}, {1}, {2}, {3}}, 0.25);
  const TestMachine machine{{1, 1}, 4e9, 0, {1, 0.5}};
  EXPECT_EQ(Expected(four, machine).allot_all(), (Lists{{0, 1, 2, 3}, {}}));
  EXPECT_EQ(Expected(four, machine, "dmda:transfers=queued").allot_all(), (Lists{{0, 1, 2}, {3}}));
}

TEST(AllotByCompletionTime, EndsAQueuedTransferWhenItsTaskStarts) {
  const auto four = tasks({1, 1, 1, 1}, {{0}, {1}, {2}, {3}}, 0.25);
  Expected expected(four, {{1, 1}, 4e9, 0, {1, 0.5}}, "dmda:transfers=queued");
  for (Index task = 0; task < 3; ++task) EXPECT_EQ(expected.times.allot(task), ProcessorId{0});
  expected.times.started(ProcessorId{0}, 0);
  // Two transfers are left on 0: T3 ends there at 3.25 and costs 4.25, as on 1.
  EXPECT_EQ(expected.times.allot(3), ProcessorId{0});
}

/// Where a task goes by the rule as it is written, with a look at every processor.
class EveryProcessor {
 public:
  EveryProcessor(const Workload& workload, const Platform& platform)
      : graph_(workload.graph()),
        platform_(platform),
        durations_(workload, platform),
        held_(platform.processors(), std::vector<bool>(graph_.data())),
        left_s_(platform.processors()) {
    for (std::size_t k = 0; k < held_.size(); ++k) {
      if (in_host_memory(k)) held_[k].assign(graph_.data(), true);
    }
  }

  [[nodiscard]] std::size_t choice(Index task) const {
    std::size_t best = 0;
    double least = unlimited;
    for (std::size_t k = 0; k < held_.size(); ++k) {
      if (!durations_.runs(k, task)) continue;
      const double cost = end_s(k, task) + transfer_s(k, task);
      if (cost >= least) continue;
      least = cost;
      best = k;
    }
    return best;
  }
  /// Between the soonest and the latest end.
  [[nodiscard]] double spread_s(Index task) const {
    double soonest = unlimited;
    double latest = 0;
    for (std::size_t k = 0; k < held_.size(); ++k) {
      if (!durations_.runs(k, task)) continue;
      soonest = std::min(soonest, end_s(k, task));
      latest = std::max(latest, end_s(k, task));
    }
    return latest - soonest;
  }
  void allot(std::size_t k, Index task) {
    waits_s_[task] = std::max(0.0, transfer_s(k, task) - left_s_[k]);
    left_s_[k] = end_s(k, task);
    ++tasks_[k];
    graph_.for_each_access(task, [&](Index data, Access access) {
      const bool sent = !held_[k][data] && reads(access);
      for (std::size_t other = 0; other < held_.size(); ++other) {
        if (other == k) continue;
        if (writes(access)) held_[other][data] = in_host_memory(other) && in_host_memory(k);
        if (!writes(access) && sent && in_host_memory(other)) held_[other][data] = true;
      }
      held_[k][data] = true;
    });
  }
  void start(std::size_t k, Index task) {
    left_s_[k] = std::max(0.0, left_s_[k] - std::exchange(waits_s_[task], 0));
  }
  void finish(std::size_t k, Index task) {
    left_s_[k] = --tasks_[k] == 0 ? 0 : std::max(0.0, left_s_[k] - durations_.s(k, task));
  }

 private:
  [[nodiscard]] bool in_host_memory(std::size_t k) const {
    return platform_.machine->processors[k].in_host_memory;
  }
  [[nodiscard]] double end_s(std::size_t k, Index task) const {
    return std::max(left_s_[k], transfer_s(k, task)) + durations_.s(k, task);
  }
  [[nodiscard]] double transfer_s(std::size_t k, Index task) const {
    const MachineModel& limits = *platform_.machine;
    const ProcessorModel& gpu = limits.processors[k];
    const double share = 2 * static_cast<double>(limits.on_bus(gpu.bus));
    const double rate = std::min(gpu.link_bytes_per_s, limits.bus_rate(gpu.bus) / share);
    double time_s = 0;
    for (const Index data : graph_.needed(task)) {
      if (held_[k][data]) continue;
      time_s += limits.latency_s + static_cast<double>(graph_.bytes(data)) / rate;
    }
    return time_s;
  }

  const TaskGraph& graph_;
  const Platform& platform_;
  Durations durations_;
  std::vector<std::vector<bool>> held_;
  std::vector<double> left_s_;
  std::map<Index, double> waits_s_;
  std::map<std::size_t, std::size_t> tasks_;
};

TEST(AllotByCompletionTime, ChoosesAsALookAtEveryProcessorDoes) {
  const std::vector<std::string> machines{
      "gpus:k=1,memory=500MB",
      "gpus:k=9,memory=500MB,latency=0us",
      "gpus:k=12,memory=500MB,buses=4,bandwidth=12GB/s+3GB/s+12GB/s+6GB/s",
      "gpus:k=70,memory=500MB",
      "gpus:k=3,memory=500MB,cpus=4,cpu_gflops=700",
      "gpus:k=6,memory=500MB,cpus=9,cpu_gflops=700",
      "gpus:k=2,memory=500MB,cpus=3,cpu_gflops=300,times=POTRF:never,cpu_times=GEMM:never",
      "gpus:k=7,memory=500MB,cpus=5,cpu_gflops=300,times=POTRF:never,cpu_times=GEMM:never",
  };
  for (const std::string& machine : machines) {
    for (const std::string text : {"cholesky:n=7,deps=true", "lu:n=5,deps=true,updates=commute"}) {
      if (text.starts_with("lu") && machine.find("POTRF") != std::string::npos) continue;
      const Workload workload = Workload::parse(text);
      const Platform platform = Scenario::parse(machine).draw(1, 0);
      const NodeMemory memory(platform.processors(), workload.data());
      const Spec spec = Spec::parse("dmda", "strategy");
      CompletionTimes times({workload, platform, memory, spec, Rng(1, Draw::strategy, 0)});
      EveryProcessor every(workload, platform);
      // Tasks are allotted in order; some start, and end, at random in between.
      Rng rng(2, Draw::workload, 0);
      std::deque<std::pair<ProcessorId, Index>> waiting;
      std::deque<std::pair<ProcessorId, Index>> running;
      for (Index task = 0; task < workload.tasks(); ++task) {
        ASSERT_EQ(times.spread_s(task), every.spread_s(task))
            << machine << ' ' << text << ' ' << task;
        const ProcessorId to = times.allot(task);
        ASSERT_EQ(raw(to), every.choice(task)) << machine << ' ' << text << ' ' << task;
        every.allot(raw(to), task);
        waiting.emplace_back(to, task);
        while (!waiting.empty() && rng.below(2) == 0) {
          times.started(waiting.front().first, waiting.front().second);
          every.start(raw(waiting.front().first), waiting.front().second);
          running.push_back(waiting.front());
          waiting.pop_front();
        }
        while (!running.empty() && rng.below(2) == 0) {
          times.finished(running.front().first, running.front().second);
          every.finish(raw(running.front().first), running.front().second);
          running.pop_front();
        }
      }
    }
  }
}

/// dmdasd's placement on a machine.
class ByPriority {
 public:
  ByPriority(const Workload& workload, const std::string& machine)
      : platform_(Scenario::parse(machine).draw(1, 0)),
        memory_(platform_.processors(), workload.data()),
        spec_(Spec::parse("dmdasd:gamma=0", "strategy")),
        times({workload, platform_, memory_, spec_, Rng(1, Draw::strategy, 0)},
              {.by_priority = true}) {}

 private:
  Platform platform_;
  NodeMemory memory_;
  Spec spec_;

 public:
  CompletionTimes times;  // NOLINT(misc-non-private-member-variables-in-classes)
};

TEST(AllotByPriority, ChoosesAsWhereEnergyMakesItLookAtEveryProcessor) {
  for (const std::string machine :
       {"gpus:k=24,memory=500MB", "gpus:k=70,memory=500MB,buses=2,bandwidth=12GB/s+3GB/s"}) {
    for (const char* const text : {"stencil:n=6,steps=6", "cholesky:n=5,deps=true"}) {
      const Workload workload = Workload::parse(text);
      ByPriority few(workload, machine);
      ByPriority every(workload, machine + ",power=300W");  // which weighs nothing
      Rng rng(2, Draw::workload, 0);
      std::array<std::deque<std::pair<ProcessorId, Index>>, 3> queues;  // listed, granted, running
      const auto step = [&](std::size_t from, auto&& tell) {
        while (!queues[from].empty() && rng.below(2) == 0) {
          const auto [to, task] = queues[from].front();
          queues[from].pop_front();
          for (ByPriority* one : {&few, &every}) tell(one->times, to, task);
          if (from < 2) queues[from + 1].emplace_back(to, task);
        }
      };
      for (Index at = 0; at < workload.tasks(); ++at) {
        // Every other task from the end, so that high priorities come behind low ones too.
        const auto task = at % 2 == 0 ? at : static_cast<Index>(workload.tasks() / 2 * 2 - at);
        const ProcessorId to = few.times.allot(task);
        ASSERT_EQ(to, every.times.allot(task)) << machine << ' ' << text << ' ' << task;
        queues[0].emplace_back(to, task);
        step(0, [](CompletionTimes& times, auto k, Index t) { times.granted(k, t); });
        step(1, [](CompletionTimes& times, auto k, Index t) { times.started(k, t); });
        step(2, [](CompletionTimes& times, auto k, Index t) { times.finished(k, t); });
      }
    }
  }
}

TEST(AlikeProcessors, FindTheLeastOfThousandsInAFewLooks) {
  const Workload workload = Workload::parse("gemm2d:n=2");
  const Platform platform = Scenario::parse("gpus:k=4096,memory=500MB").draw(1, 0);
  const Durations durations(workload, platform);
  AlikeProcessors alike(durations, std::vector<double>(4096, 1e9), 4096);
  ASSERT_EQ(alike.groups().size(), 1);
  AlikeProcessors::Group& group = alike.groups().front();
  for (std::size_t k = 0; k < 4096; ++k) alike.set(k, static_cast<double>(5000 - k % 4000));
  std::size_t looks = 0;
  const auto look = [&](double left_s) {
    ++looks;
    return left_s <= 1001.0;
  };
  EXPECT_EQ(group.least_s(), 1001);
  EXPECT_EQ(group.most_s(), 5000);
  EXPECT_EQ(group.first_if(look), std::size_t{3999});
  EXPECT_LE(looks, 8 * 4 * 8);  // of 8 a level on 4 levels, and as many where bounds were too low
  looks = 0;
  alike.set(77, 0);
  EXPECT_EQ(group.first_if(look), std::size_t{77});
  EXPECT_LE(looks, 8 * 4);
  EXPECT_EQ(group.first_if([](double left_s) { return left_s < 0; }), std::nullopt);
}

}  // namespace
}  // namespace damocles::completion_time_test
