#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/executor.hpp"
#include "gpu/host/host_device.hpp"
#include "gpu/verification/verify.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/runs/decisions.hpp"
#include "strategies/runtime/replay_runtime.hpp"
#include "tests/gpu/faulty_device.hpp"

namespace damocles {

/// Memory of one processor [B]: of the largest task's inputs alone, of that and a third of all
/// data, or of all data.
enum class Room { tight, medium, all };

inline std::uint64_t room_bytes(const Workload& workload, Room room) {
  const TaskGraph& graph = workload.graph();
  std::uint64_t most = 1;
  std::uint64_t all = 0;
  for (TaskGraph::Index t = 0; t < graph.tasks(); ++t) most = std::max(most, graph.footprint(t));
  for (TaskGraph::Index d = 0; d < graph.data(); ++d) all += graph.bytes(d);
  return room == Room::tight ? most : room == Room::medium ? most + all / 3 : std::max(most, all);
}

/// Processors of 1, 2, ... Gflop/s on a bus of 1 GB/s, with that much memory each.
inline Platform limited(std::size_t processors, std::uint64_t memory_bytes, std::uint64_t depth) {
  MachineModel machine{.processors = {}, .bus_bytes_per_s = 1e9, .depth = depth};
  Platform platform;
  for (std::size_t p = 0; p < processors; ++p) {
    const double speed = 1e9 * static_cast<double>(p + 1);
    platform.speeds.push_back(speed);
    machine.processors.push_back(
        {.flops_per_s = speed, .memory_bytes = memory_bytes, .link_bytes_per_s = 1e9});
  }
  platform.machine = machine;
  return platform;
}

/// Beside these so many that compute in host memory.
inline void add_cores(Platform& platform, std::size_t cores) {
  for (; cores > 0; --cores) {
    platform.speeds.push_back(1e9);
    platform.machine->processors.push_back(
        {.flops_per_s = 1e9, .kind = "cpu", .in_host_memory = true});
  }
}

/// The processors of a platform.
using MakeDevice = std::unique_ptr<Device> (*)(const Platform&);
inline std::unique_ptr<Device> host_threads(const Platform& platform) {
  return make_host_device({.processors = platform.processors()});
}
/// Which of them compute in host memory.
inline std::vector<bool> in_host_memory(const Platform& platform) {
  std::vector<bool> result;
  for (const auto& processor : platform.machine->processors)
    result.push_back(processor.in_host_memory);
  return result;
}

struct RunOptions {
  std::uint64_t seed = 1;
  ArithmeticOptions arithmetic{.tile = 8, .rank = 8};
  FaultyOptions faulty{};
  MakeDevice device = host_threads;
};

/// A workload on processors behind a device that checks how it is used, run once, in one of the
/// ways below; and all that a test may ask about it.
class ExecutedRun {
 public:
  ExecutedRun(const Workload& workload, const Platform& platform, const RunOptions& options = {})
      : workload_(workload),
        platform_(platform),
        options_(options),
        device_(options.device(platform), options.faulty),
        arithmetic_(Arithmetic::of(workload, options.arithmetic, 5)),
        store_(arithmetic_, device_) {
    if (platform.machine) {
      memory_bytes_ = memory_bytes(*platform.machine, workload);
      const std::uint64_t set_aside = (device_.lanes() + 1) * arithmetic_.output_bytes();
      for (auto& bytes : memory_bytes_) bytes -= platform.machine->write_back ? set_aside : 0;
    } else {
      std::uint64_t all = 0;
      for (std::uint64_t d = 0; d < workload.data(); ++d) all += arithmetic_.data_bytes(DataId{d});
      memory_bytes_.assign(platform.processors(), all);
    }
  }

  const Execution& by(const StrategyChoice& strategy) {
    held_before_ = device_.held();
    return execution = execute(workload_, platform_, strategy, arithmetic_, store_, device_,
                               {.seed = options_.seed, .keep_events = true});
  }
  const Execution& by(const std::string& strategy) {
    return by(StrategyChoice::parse(strategy, workload_));
  }
  const Execution& replay(const std::vector<RunEvent>& events) {
    held_before_ = device_.held();
    const Decisions decisions{platform_.processors(), events};
    check(decisions);
    return execution =
               execute(workload_, platform_, arithmetic_, store_, device_, memory_bytes_,
                       [&](ExecutionBackend& m) {
                         return std::make_unique<ReplayRuntime>(decisions, workload_, platform_, m);
                       },
                       {.writes_count = platform_.machine && platform_.machine->write_back,
                        .keep_events = true});
  }

  /// Everything that must hold after every run that ended well.
  void expect_sound() {
    ASSERT_EQ(execution.failure, "");
    const auto verdict = verify(arithmetic_, workload_, store_, Check::full);
    EXPECT_TRUE(verdict.right) << verdict.text;
    const Trace& trace = execution.trace;
    EXPECT_EQ(std::accumulate(trace.tasks.begin(), trace.tasks.end(), std::uint64_t{0}),
              workload_.tasks());
    EXPECT_NO_THROW(check({platform_.processors(), execution.events}));
    expect_counts_of_events();
    for (std::size_t p = 0; p < platform_.processors(); ++p) {
      EXPECT_LE(execution.peak_bytes[p], memory_bytes_[p]);
      // A sum of as many times as there are tasks, rounded each.
      EXPECT_LE(trace.busy_s[p], trace.makespan_s * (1 + 1e-9));
    }
    EXPECT_LE(trace.makespan_s, execution.total_s);
    EXPECT_EQ(device_.held(), held_before_);
  }

  [[nodiscard]] FaultyDevice& device() { return device_; }
  [[nodiscard]] const Arithmetic& arithmetic() const { return arithmetic_; }
  [[nodiscard]] std::size_t held_before() const { return held_before_; }

  Execution execution;

 private:
  void check(const Decisions& decisions) {
    check_decisions(decisions, workload_, platform_, memory_bytes_,
                    [&](DataId data) { return arithmetic_.data_bytes(data); });
  }

  /// Loads, bytes, evictions and tasks, as the events have them.
  void expect_counts_of_events() {
    Trace told;
    for (auto* counts : {&told.loads, &told.tasks, &told.bytes_loaded, &told.evictions}) {
      counts->resize(platform_.processors());
    }
    std::vector<std::uint64_t> granted(platform_.processors());
    for (const RunEvent& event : execution.events) {
      const std::size_t p = raw(event.processor);
      granted[p] += event.kind == RunEvent::Kind::granted ? 1U : 0U;
      if (event.kind == RunEvent::Kind::load_started) {
        ++told.loads[p];
        told.bytes_loaded[p] += arithmetic_.data_bytes(DataId{event.id});
      }
      told.evictions[p] += event.kind == RunEvent::Kind::evicted ? 1U : 0U;
      told.tasks[p] += event.kind == RunEvent::Kind::task_ended ? 1U : 0U;
    }
    EXPECT_EQ(execution.trace.loads, told.loads);
    EXPECT_EQ(execution.trace.bytes_loaded, told.bytes_loaded);
    // A copy that is no longer valid is forgotten too.
    if (!workload_.writes()) {
      EXPECT_EQ(execution.trace.evictions, told.evictions);
    }
    EXPECT_EQ(execution.trace.tasks, told.tasks);
    EXPECT_EQ(granted, told.tasks);
  }

  Workload workload_;
  Platform platform_;
  RunOptions options_;
  FaultyDevice device_;
  Arithmetic arithmetic_;
  Store store_;
  std::vector<std::uint64_t> memory_bytes_;  // for data, of each processor
  std::size_t held_before_ = 0;
};

}  // namespace damocles
