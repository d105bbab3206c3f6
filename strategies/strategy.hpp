#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "models/ids.hpp"
#include "models/runs/task_list.hpp"

namespace damocles {

/// What a processor that asked for work is sent, and what it computes with it, in this order.
struct Grant {
  std::vector<DataId> loads;
  TaskList tasks;

  void clear() {
    loads.clear();
    tasks.clear();
  }
};

/// A scheduling strategy: simulator and executor drive it by this interface alone.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// `processor` has room for a task and asks. The caller owns, clears and reuses `grant`. A grant
  /// with data but no task is answered by asking again at once; an empty one means: nothing for
  /// you, until on_ready() or consume_wakeup() say otherwise.
  ///
  /// Where memory is limited the tasks' inputs decide what is loaded; the grant's loads are then
  /// hints, fetched in order when nothing more urgent is, until those of the next grant of tasks,
  /// or of prefetch_hints(), replace them. An empty grant ends those of a grant.
  virtual void request(ProcessorId processor, Grant& grant) = 0;

  /// A load of `data` to `processor` started. Only where memory is limited, as all that follow.
  virtual void on_loaded(ProcessorId, DataId) {}
  /// That load ended: the data is there.
  virtual void on_arrived(ProcessorId, DataId) {}
  /// `data` left the processor's memory.
  virtual void on_evicted(ProcessorId, DataId) {}
  /// The processor started to compute the task.
  virtual void on_started(ProcessorId, TaskId) {}
  /// It has computed it.
  virtual void on_finished(ProcessorId, TaskId) {}
  /// All that the task waited for has ended: it may be granted from now on, and not before. Only
  /// where tasks wait for others; at the start for those that wait for none, in the order of
  /// submission. Processors that were granted nothing are asked again.
  /// @return the processor that alone may be granted it, where it is so; only that is asked again
  virtual std::optional<ProcessorId> on_ready(TaskId) { return std::nullopt; }
  /// on_ready() has given the processor a task, for which it may ask much later: adds what to fetch
  /// ahead, as StarPU's starpu_prefetch_task_input_on_node() when a task is pushed. Where it adds
  /// any, they are the processor's hints in the place of those it had, until the next call that
  /// adds some or the next grant of tasks; an empty grant leaves them.
  virtual void prefetch_hints(ProcessorId, std::vector<DataId>& /*loads*/) {}
  /// Whether, since the last call, tasks that were planned for one processor became open to others:
  /// those that were granted nothing are asked again.
  [[nodiscard]] virtual bool consume_wakeup() { return false; }
  /// Whether no processor would be granted anything now, whichever asks: then those that starve
  /// need not be asked one by one. False where it is not known.
  [[nodiscard]] virtual bool exhausted() const { return false; }
  /// Whether this processor might be granted something now, were it to ask. True where it is not
  /// known.
  [[nodiscard]] virtual bool may_grant(ProcessorId) const { return !exhausted(); }
  /// The processors of which may_grant() is true, kept by the strategy; null where it keeps no such
  /// set, or not now. Who asks for it need not look at each of thousands.
  [[nodiscard]] virtual const boost::dynamic_bitset<>* all_it_may_grant() const { return nullptr; }
  /// Who computes the task, which this processor was granted and starts, together with it: cores
  /// alike it that compute nothing (TeamLaws). The strategy grants them nothing until it has ended
  /// (on_finished()), of which consume_wakeup() may tell them. Only where memory is limited.
  [[nodiscard]] virtual std::span<const ProcessorId> helpers(ProcessorId, TaskId) const {
    return {};
  }

  /// When its last task ends by the schedule that it made before the start [s]; nothing where it
  /// made none that says so.
  [[nodiscard]] virtual std::optional<double> planned_makespan_s() const { return std::nullopt; }

  /// Whether a processor is to ask for a further task only when the inputs of all it has are there,
  /// so that every decision sees the memory as it is, however deep the buffer.
  [[nodiscard]] virtual bool waits_for_inputs() const { return false; }

  /// Data and tasks that the decisions so far would have looked at had the algorithm been run as it
  /// is printed, without our indices; counted where MachineModel::decision_s makes them cost time.
  /// 0: the strategy looks at nothing, or counts nothing.
  [[nodiscard]] virtual std::uint64_t inspected_items() const { return 0; }

  /// Tasks planned for the processor, but not granted yet, that read `data`: n_p of IPDPS'22
  /// Algorithm 6.
  [[nodiscard]] virtual std::uint32_t reserved_uses(ProcessorId, DataId) const { return 0; }
  /// How many grants from now the processor reads `data` next, as far as the strategy knows its
  /// future; `never` where it does not, or where nobody does. For Belady's rule.
  [[nodiscard]] virtual std::uint64_t next_use(ProcessorId, DataId) { return never; }
  /// Of what the processor holds, the data that it reads last by that order, of those for which
  /// may_go(data) says true; of equal ones the one loaded, or read or written by a task that
  /// started, longest ago. Nothing where none may go, or where the strategy keeps no such order.
  [[nodiscard]] virtual std::optional<DataId> farthest_use(ProcessorId,
                                                           const std::function<bool(DataId)>&) {
    return std::nullopt;
  }
  /// Whether next_use() knows of every task that was not granted yet, so that `never` is final.
  /// Where it does not, the runtime guesses beyond it.
  [[nodiscard]] virtual bool knows_all_uses() const { return false; }
  static constexpr std::uint64_t never = ~std::uint64_t{0};
};

}  // namespace damocles
