#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "tests/gpu/executed_run.hpp"
#include "tests/gpu/writing_instances.hpp"

namespace damocles {

/// When each task really began and ended: none before those it waits for, as far as clocks tell
/// that are so far apart.
inline void expect_in_order(const TaskGraph& graph, const std::vector<RunEvent>& events,
                            double clocks_apart_s) {
  std::map<std::uint64_t, double> begin;
  std::map<std::uint64_t, double> end;
  for (const RunEvent& event : events) {
    if (event.kind == RunEvent::Kind::task_started) begin[event.id] = event.time_s;
    if (event.kind == RunEvent::Kind::task_ended) end[event.id] = event.time_s;
  }
  for (TaskGraph::Index task = 0; task < graph.tasks(); ++task) {
    for (const auto later : graph.dependencies().after(task)) {
      ASSERT_LE(end.at(task), begin.at(later) + clocks_apart_s) << task << " before " << later;
    }
  }
}

/// What moved in all of several runs.
struct SeenToMove {
  std::uint64_t from_peers = 0;
  std::uint64_t bytes_returned = 0;
  std::uint64_t tasks_in_host_memory = 0;
};

/// Where the runs of a law are made.
struct LawfulDevice {
  MakeDevice make = host_threads;
  Sizes sizes = Sizes::any;
  double clocks_apart_s = 0;  ///< see expect_in_order()
};

/// Runs so many instances of tasks that write: the data hold in the end what tasks write one after
/// the other, whatever ends when.
inline SeenToMove expect_nothing_lost(const StrategyChoice& choice, std::uint64_t instances,
                                      const LawfulDevice& on = {}) {
  Rng rng(13, Draw::test, 0);
  SeenToMove seen;
  for (std::uint64_t i = 0; i < instances; ++i) {
    const WritingInstance instance =
        drawn_writing_instance(rng, choice.entry->heterogeneous, on.sizes);
    const FaultyOptions device{.jitter_us = static_cast<unsigned>(rng.below(3) * 60),
                               .seed = i,
                               .lanes = 1 + rng.below(3),
                               .loads_ahead = rng.below(6)};
    SCOPED_TRACE(testing::Message() << "instance " << i << ": " << instance.workload.text() << ", "
                                    << instance.platform.processors() << " processors");
    ExecutedRun run(instance.workload, instance.platform,
                    {.seed = i, .faulty = device, .device = on.make});
    run.by(choice);

    run.expect_sound();
    expect_in_order(instance.workload.graph(), run.execution.events, on.clocks_apart_s);
    if (testing::Test::HasFailure()) return seen;
    const Trace& trace = run.execution.trace;
    for (const auto loads : trace.loads_from_peers) seen.from_peers += loads;
    for (const auto bytes : trace.bytes_written) seen.bytes_returned += bytes;
    for (std::size_t p = 0; p < trace.tasks.size(); ++p) {
      if (instance.platform.machine->processors[p].in_host_memory)
        seen.tasks_in_host_memory += trace.tasks[p];
    }
  }
  return seen;
}

}  // namespace damocles
