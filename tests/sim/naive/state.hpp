#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/task_graph.hpp"
#include "tests/sim/naive/network.hpp"

namespace damocles::naive {

using Index = TaskGraph::Index;

/// How a copy of a data item stands in a memory.
enum class Presence {
  absent,
  coming,     ///< its room is taken; it is on its way, or waits for its return from elsewhere
  allocated,  ///< its room is taken for a task that will write it; nothing valid is there
  stale,      ///< coming, and overwritten elsewhere meanwhile: of no use when it comes
  here,
  leaving,  ///< evicted; its room is free when it is in host memory
};

/// A memory of limited size, of one processor. Host memory is not one: all that is known of
/// it is what it holds.
struct Memory {
  std::uint64_t bytes = 0;
  std::vector<Presence> data;
  std::vector<bool> sums;  ///< by data: whether what is there is a sum of what tasks reduce
};

/// A copy of a data item has left a processor's memory: evicted, or invalidated.
struct Departure {
  std::size_t processor;
  Index data;
  bool invalidated;
};

/// A task on the compute engine.
struct Running {
  Index task;
  double begin_s;
  double end_s;
  std::vector<ProcessorId> helpers;  ///< who computes it too
  [[nodiscard]] bool waits_for_place() const { return begin_s == never; }
};

struct Processor {
  std::size_t id = 0;
  /// In State::memories, where each that has one has its own; none: a core, whose memory is in host
  /// memory.
  std::optional<std::size_t> memory;
  std::vector<Index> buffer;   ///< the running task, the next, then those that follow
  std::vector<Index> granted;  ///< beyond the buffer
  std::vector<Index> hints;    ///< data, of the last grant of tasks, or of a push since
  std::optional<Running> running;
  std::vector<Index> kept_outputs;    ///< of tasks, in room that is free, oldest first
  std::vector<Index> sent_outputs;    ///< on their way to host memory
  std::vector<Index> placed_outputs;  ///< likewise, from places beside the memory
  std::vector<Index> early_home;      ///< data that it wrote for the last time, and are to go there
  std::vector<std::pair<double, double>> computed;  ///< from, until [s]: by tasks that have ended
  bool hinted_at_push = false;                      ///< its hints are of a push
  bool hints_are_new = false;                       ///< and it was not served since
  bool has_new_tasks = false;                       ///< and it was not served since
  bool starving = false;                            ///< asked, and got nothing
  bool allotted = false;                            ///< a task became ready that only it may have
};

/// A load that waits until the data is in host memory; a core's is then done.
struct Waiting {
  Index data;
  std::size_t processor;
  bool on_demand;
};

/// All that is so at one moment of a run, and what follows from it, found by looking at all.
struct State {
  const TaskGraph& graph;
  const MachineModel& machine;
  std::vector<Memory> memories;
  std::vector<Processor> processors;
  std::vector<bool> home;      ///< whether host memory holds the data as they are now, by data
  std::vector<bool> cores;     ///< whether cores have the data, to read or to add to, by data
  std::vector<bool> reducing;  ///< by data: tasks reduce into it, sums are not added up yet
  std::vector<bool> ready;     ///< by task: whether the strategy was told so
  std::vector<bool> granted;   ///< by task
  std::vector<bool> ended;     ///< by task
  std::vector<Waiting> waiting;
  Network network;

  // --- Tasks ---

  [[nodiscard]] static bool among(std::span<const Index> list, Index one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  }
  [[nodiscard]] bool accesses(Index task, Index data) const {
    return among(graph.inputs(task), data);
  }
  [[nodiscard]] bool writes(Index task, Index data) const {
    bool result = false;
    graph.for_each_access(task, [&](Index own, Access access) {
      result = result || (own == data && damocles::writes(access));
    });
    return result;
  }
  [[nodiscard]] bool reduces_into(Index task, Index data) const {
    bool result = false;
    graph.for_each_access(task, [&](Index own, Access access) {
      result = result || (own == data && damocles::reduces(access));
    });
    return result;
  }
  [[nodiscard]] bool waits_for_others(Index task) const {
    for (Index before = 0; before < graph.tasks(); ++before) {
      if (!ended[before] && graph.dependencies().waits(task, before)) return true;
    }
    return false;
  }
  [[nodiscard]] bool commutes_on(Index task, Index data) const {
    bool result = false;
    graph.for_each_access(task, [&](Index own, Access access) {
      result = result || (own == data && damocles::commutes(access));
    });
    return result;
  }
  /// Whether a data item on which it commutes is another's, who is ready or runs.
  [[nodiscard]] bool waits_for_its_turn(Index task) const {
    for (const Index data : graph.inputs(task)) {
      for (Index other = 0; commutes_on(task, data) && other < graph.tasks(); ++other) {
        if (ready[other] && !ended[other] && commutes_on(other, data)) return true;
      }
    }
    return false;
  }
  /// The buffered task that runs next.
  [[nodiscard]] static std::optional<Index> next_task(const Processor& processor) {
    const std::size_t at = processor.running ? 1 : 0;
    return at < processor.buffer.size() ? std::optional(processor.buffer[at]) : std::nullopt;
  }
  /// Whether it may run: all that it reads is there; what it only writes is there, has room or is
  /// absent.
  [[nodiscard]] bool has_inputs(const Processor& processor, Index task) const {
    const auto needed = graph.needed(task);
    return std::all_of(graph.inputs(task).begin(), graph.inputs(task).end(), [&](Index input) {
      const Presence presence = presence_of(processor, input);
      return presence == Presence::here ||
             (!among(needed, input) &&
              (presence == Presence::absent || presence == Presence::allocated));
    });
  }
  /// What it reads first, then what it only writes, which needs room but in host memory.
  [[nodiscard]] std::span<const Index> wanted(const Processor& processor, Index task) const {
    return processor.memory ? graph.inputs(task) : graph.needed(task);
  }
  /// Whether something that it reads is neither there nor coming, or it lacks room for what it only
  /// writes.
  [[nodiscard]] bool lacks_some(const Processor& processor, Index task) const {
    const auto all = wanted(processor, task);
    return std::any_of(all.begin(), all.end(),
                       [&](Index one) { return presence_of(processor, one) == Presence::absent; });
  }
  /// Whether some buffered task that does not run yet lacks inputs, or they are on their way.
  [[nodiscard]] bool buffer_waits(const Processor& processor) const {
    for (std::size_t at = processor.running ? 1 : 0; at < processor.buffer.size(); ++at) {
      if (!has_inputs(processor, processor.buffer[at])) return true;
    }
    return false;
  }
  [[nodiscard]] std::uint32_t buffered_uses(const Processor& processor, Index data) const {
    return static_cast<std::uint32_t>(
        std::count_if(processor.buffer.begin(), processor.buffer.end(),
                      [&](Index task) { return accesses(task, data); }));
  }

  // --- Room ---

  /// What the output of a task takes on its way to host memory [B]; a core's is there.
  [[nodiscard]] std::uint64_t output_bytes(const Processor& processor, Index task) const {
    return machine.write_back && processor.memory ? graph.output_bytes(task) : 0;
  }
  /// What of it takes room in memory from the start of the task on [B].
  [[nodiscard]] std::uint64_t output_room(const Processor& processor, Index task) const {
    return machine.outputs_take_memory ? output_bytes(processor, task) : 0;
  }
  [[nodiscard]] std::uint64_t bytes_that_are(const Memory& memory, Presence presence) const {
    std::uint64_t bytes = 0;
    for (Index data = 0; data < graph.data(); ++data) {
      if (memory.data[data] == presence) bytes += graph.bytes(data);
    }
    return bytes;
  }
  /// @pre it is no core; free_bytes() likewise
  [[nodiscard]] std::uint64_t leaving_bytes(const Processor& processor) const {
    return bytes_that_are(memories[*processor.memory], Presence::leaving);
  }
  [[nodiscard]] std::uint64_t free_bytes(const Processor& processor) const {
    const Memory& memory = memories[*processor.memory];
    std::uint64_t used = 0;
    for (const auto presence : {Presence::coming, Presence::allocated, Presence::stale,
                                Presence::here, Presence::leaving}) {
      used += bytes_that_are(memory, presence);
    }
    if (processor.running) used += output_room(processor, processor.running->task);
    for (const Index task : processor.sent_outputs) used += output_room(processor, task);
    return memory.bytes - used;
  }
  /// Whether the outputs that it keeps exceed the room that is free.
  [[nodiscard]] bool outputs_crowd(const Processor& processor) const {
    std::uint64_t kept = 0;
    for (const Index task : processor.kept_outputs) kept += output_bytes(processor, task);
    return kept > 0 && kept > free_bytes(processor);
  }
  [[nodiscard]] std::uint64_t loads_coming(const Processor& processor) const {
    std::uint64_t count = 0;
    for (Index data = 0; data < graph.data(); ++data) {
      const Presence presence = presence_of(processor, data);
      if (presence == Presence::coming || presence == Presence::stale) ++count;
    }
    return count;
  }
  /// Whether it has to stay: the running or the next task accesses it, or it is copied from there.
  [[nodiscard]] bool pinned(const Processor& processor, Index data) const {
    const auto next = next_task(processor);
    return (processor.running && accesses(processor.running->task, data)) ||
           (next && accesses(*next, data)) ||
           std::any_of(network.copies().begin(), network.copies().end(), [&](const Copy& copy) {
             return copy.id == data && copied_from(copy) == processor.memory;
           });
  }
  [[nodiscard]] static std::optional<std::size_t> copied_from(const Copy& copy) {
    if (copy.what == Copy::What::returned) return copy.memory;
    if (copy.what == Copy::What::load_from_peer) return copy.lender;
    return std::nullopt;
  }

  // --- Where data are valid ---

  /// How the data stands for the processor. For a core what is in host memory is here, and what it
  /// has asked for is coming.
  [[nodiscard]] Presence presence_of(const Processor& processor, Index data) const {
    if (processor.memory) return memories[*processor.memory].data[data];
    if (cores[data]) return Presence::here;
    const bool asked = std::any_of(waiting.begin(), waiting.end(), [&](const Waiting& load) {
      return load.data == data && load.processor == processor.id;
    });
    return asked ? Presence::coming : Presence::absent;
  }
  [[nodiscard]] bool valid(std::size_t memory, Index data) const {
    const Presence presence = memories[memory].data[data];
    return presence == Presence::here || presence == Presence::leaving;
  }
  /// The lowest memory in which it is valid. @pre there is one
  [[nodiscard]] std::size_t holder(Index data) const {
    std::size_t memory = 0;
    while (!valid(memory, data)) ++memory;
    return memory;
  }
  /// Whether the copy in this memory is the only valid one.
  [[nodiscard]] bool modified(std::size_t memory, Index data) const {
    if (home[data] || !valid(memory, data)) return false;
    for (std::size_t other = 0; other < memories.size(); ++other) {
      if (other != memory && valid(other, data)) return false;
    }
    return true;
  }
  [[nodiscard]] bool being_written(Index data) const {
    return std::any_of(processors.begin(), processors.end(), [&](const Processor& processor) {
      return processor.running && writes(processor.running->task, data) &&
             !reduces_into(processor.running->task, data);
    });
  }
  [[nodiscard]] bool returns(Index data) const {
    return std::any_of(network.copies().begin(), network.copies().end(), [&](const Copy& copy) {
      return copy.what == Copy::What::returned && copy.id == data;
    });
  }
  /// Whether something of this memory is on its way to host memory, or an output.
  [[nodiscard]] bool sends_home(const Processor& processor) const {
    return !processor.sent_outputs.empty() ||
           std::any_of(network.copies().begin(), network.copies().end(), [&](const Copy& copy) {
             return copy.what == Copy::What::returned && copy.memory == processor.memory;
           });
  }
  /// Whether the task, which has ended, was the last one to write the data item.
  [[nodiscard]] bool wrote_last(Index task, Index data) const {
    const auto users = graph.users(data);
    return writes(task, data) && std::all_of(users.begin(), users.end(), [&](Index user) {
             return ended[user] || !writes(user, data);
           });
  }
  /// Whether the data item is temporary, and all tasks that access it have ended.
  [[nodiscard]] bool over(Index data) const {
    const auto users = graph.users(data);
    return graph.temporary(data) &&
           std::all_of(users.begin(), users.end(), [&](Index task) { return ended[task]; });
  }
  /// Whether it exists, and tasks may still access it.
  [[nodiscard]] bool of_use(Index data) const {
    bool exists = home[data];
    for (std::size_t memory = 0; memory < memories.size(); ++memory) {
      exists = exists || valid(memory, data);
    }
    return exists && !over(data);
  }
  /// Whether it is being copied from a processor, to host memory or to another one, and so cannot
  /// be written.
  [[nodiscard]] bool being_copied(Index data) const {
    return std::any_of(network.copies().begin(), network.copies().end(),
                       [&](const Copy& copy) { return copied_from(copy) && copy.id == data; });
  }
  /// Whether it is being copied from host memory, and so cannot be written there.
  [[nodiscard]] bool being_sent(Index data) const {
    return std::any_of(network.copies().begin(), network.copies().end(), [&](const Copy& copy) {
      return copy.what == Copy::What::load && copy.id == data;
    });
  }
};

}  // namespace damocles::naive
