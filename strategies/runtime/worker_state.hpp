#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "models/short_queue.hpp"
#include "models/task_graph.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/parts/uses_in_order.hpp"
#include "strategies/runtime/coherence.hpp"

namespace damocles {

/// One processor of a run with limited memory: what is in its memory, its task buffer, and the
/// tasks granted beyond it.
class WorkerState final : public EvictionCandidates {
 public:
  using Index = TaskGraph::Index;
  using Buffer = ShortQueue<Index, 16>;
  static constexpr double bytes_by_data = 8;  ///< Slot

  /// Which task of the buffer runs next: the one taken first, or the readiest.
  enum class Order : std::uint8_t { taken, ready };

  /// @param in_host_memory  it computes in the memory that holds all data: all are there at first,
  /// but
  ///                 temporary ones
  /// @param coherence  which copies are modified, where tasks write; else null. It outlives this.
  /// @param expected   what is guessed of uses that the strategy does not know; or null. Likewise.
  WorkerState(ProcessorId id, const TaskGraph& graph, Strategy& strategy,
              std::uint64_t memory_bytes, Order order, bool in_host_memory = false,
              const Coherence* coherence = nullptr, UsesInOrder* expected = nullptr)
      : graph_(graph),
        strategy_(strategy),
        coherence_(coherence),
        expected_(expected),
        id_(id),
        order_(order),
        in_host_memory_(in_host_memory),
        memory_bytes_(memory_bytes),
        slots_(graph.data()) {
    if (!in_host_memory) return;
    for (std::size_t data = 0; data < slots_.size(); ++data) {
      if (graph.temporary(static_cast<Index>(data))) continue;
      slots_[data].state = State::resident;
      used_bytes_ += graph.bytes(static_cast<Index>(data));
    }
  }

  [[nodiscard]] ProcessorId id() const { return id_; }
  /// Whether it computes in the memory that holds all data, which has room for everything.
  [[nodiscard]] bool in_host_memory() const { return in_host_memory_; }
  [[nodiscard]] const Buffer& buffer() const { return buffer_; }
  /// Tasks on the compute engine, the first of the buffer.
  [[nodiscard]] std::size_t running() const { return running_; }
  [[nodiscard]] bool absent(Index data) const { return slots_[data].state == State::absent; }
  [[nodiscard]] bool resident(Index data) const { return slots_[data].state == State::resident; }
  /// Whether room is taken for what a task will write here, and nothing valid is there yet.
  [[nodiscard]] bool allocated(Index data) const { return slots_[data].state == State::allocated; }
  [[nodiscard]] std::uint64_t free_bytes() const { return memory_bytes_ - used_bytes_; }
  /// Of what is not free, what will be when data that are leaving have left.
  [[nodiscard]] std::uint64_t leaving_bytes() const { return leaving_bytes_; }

  /// The task that runs next, whose inputs are pinned: the first that does not run yet.
  [[nodiscard]] std::optional<Index> next_task() const {
    return running_ < buffer_.size() ? std::optional(buffer_[running_]) : std::nullopt;
  }
  /// Chooses the next task again where the readiest comes first: the one that lacks the fewest
  /// bytes, those on their way included; among equals the fewest that are not; then the one taken
  /// first (IPDPS'22, Algorithm 2, over the buffer). Called when what is in memory has changed.
  void choose_next();

  /// Whether all inputs of the task are in memory; what it only writes may be absent, or have room.
  [[nodiscard]] bool ready(Index task) const {
    const auto needed = graph_.needed(task);
    for (const Index input : needed) {
      if (slots_[input].state != State::resident) return false;
    }
    for (const Index created : graph_.inputs(task).subspan(needed.size())) {
      if (!resident(created) && !absent(created) && !allocated(created)) return false;
    }
    return true;
  }

  /// The first buffered task that does not run yet and of which an input is neither in memory nor
  /// on its way, or which lacks room for what it only writes. Amortised O(1) while nothing leaves
  /// that a buffered task reads.
  [[nodiscard]] std::optional<Index> first_lacking() {
    provided_ = std::max(provided_, running_);
    while (provided_ < buffer_.size() && !lacks(buffer_[provided_])) ++provided_;
    return provided_ < buffer_.size() ? std::optional(buffer_[provided_]) : std::nullopt;
  }

  /// Whether a buffered task that does not run yet waits for inputs. Amortised as first_lacking().
  [[nodiscard]] bool waits() {
    arrived_ = std::max(arrived_, running_);
    while (arrived_ < buffer_.size() && ready(buffer_[arrived_])) ++arrived_;
    return arrived_ < buffer_.size();
  }

  void buffer_task(Index task) {
    buffer_.push_back(task);
    for (const Index input : graph_.inputs(task)) ++slots_[input].uses;
    pin_next();
  }
  void start_next() {
    ++running_;
    pinned_next_ = false;
    if (order_ == Order::ready) bring_readiest_forward();
    pin_next();
  }
  /// Ends the running task that started first.
  void finish() {
    const Index task = buffer_.front();
    buffer_.pop_front();
    for (const Index input : graph_.inputs(task)) {
      --slots_[input].uses;
      --slots_[input].pins;
    }
    --running_;
    if (provided_ > 0) --provided_;
    if (arrived_ > 0) --arrived_;
  }

  void begin_load(Index data) {
    slots_[data].state = State::loading;
    used_bytes_ += graph_.bytes(data);
    // A task that only writes it was ready while it was absent, and is not while it is on its way.
    if (slots_[data].uses > 0 && graph_.creates_data()) arrived_ = 0;
  }
  /// Room for what a task will write.
  void allocate(Index data) {
    slots_[data].state = State::allocated;
    used_bytes_ += graph_.bytes(data);
  }
  void end_load(Index data) { slots_[data].state = State::resident; }
  /// What is on its way will be of no use when it comes.
  void make_stale(Index data) { slots_[data].state = State::stale; }
  [[nodiscard]] bool stale(Index data) const { return slots_[data].state == State::stale; }
  /// It goes when it has been copied to host memory.
  void begin_leaving(Index data) {
    slots_[data].state = State::leaving;
    leaving_bytes_ += graph_.bytes(data);
    if (slots_[data].uses > 0) look_again();
  }
  [[nodiscard]] bool leaving(Index data) const { return slots_[data].state == State::leaving; }
  /// It stays until it is unpinned as often.
  void pin(Index data) { ++slots_[data].pins; }
  void unpin(Index data) { --slots_[data].pins; }
  void evict(Index data) {
    if (leaving(data)) leaving_bytes_ -= graph_.bytes(data);
    slots_[data].state = State::absent;
    used_bytes_ -= graph_.bytes(data);
    if (slots_[data].uses > 0) look_again();
  }
  /// Room for outputs, which no policy evicts.
  void reserve(std::uint64_t bytes) { used_bytes_ += bytes; }
  void release(std::uint64_t bytes) { used_bytes_ -= bytes; }

  /// For whom room is sought. The next task may take all that is not pinned; a later one of the
  /// buffer, what no buffered task reads; a prefetch hint, what moreover no planned task reads.
  enum class FetchReason : std::uint8_t { next_task, later_task, prefetch_hint };
  void seek_room_for(FetchReason reason, std::uint64_t bytes) {
    reason_ = reason;
    sought_bytes_ = bytes;
  }

  [[nodiscard]] bool evictable(DataId data) const override {
    const std::size_t d = raw(data);
    const bool there = slots_[d].state == State::resident || slots_[d].state == State::allocated;
    if (!there || slots_[d].pins > 0) return false;
    if (reason_ == FetchReason::next_task) return true;
    return slots_[d].uses == 0 &&
           (reason_ == FetchReason::later_task || strategy_.reserved_uses(id_, data) == 0);
  }
  [[nodiscard]] bool reusable(DataId data) const override {
    const auto index = static_cast<Index>(raw(data));
    return coherence_ != nullptr && graph_.bytes(index) == sought_bytes_ &&
           !coherence_->must_return(id_, index);
  }
  [[nodiscard]] std::uint32_t buffered_uses(DataId data) const override {
    return slots_[raw(data)].uses;
  }
  [[nodiscard]] std::uint64_t next_use(DataId data) const override;
  [[nodiscard]] std::optional<DataId> farthest_use() const override;

  /// An output lies in free room until it travels back.
  void keep_output(Index task) {
    outputs_.push_back(task);
    output_bytes_ += graph_.output_bytes(task);
  }
  [[nodiscard]] bool keeps_outputs() const { return !outputs_.empty(); }
  /// Whether the outputs it keeps exceed the room that is free.
  [[nodiscard]] bool outputs_crowd() const { return output_bytes_ > free_bytes(); }
  /// Takes out the oldest of them. @pre keeps_outputs()
  Index take_output() {
    const Index task = outputs_.front();
    outputs_.pop_front();
    output_bytes_ -= graph_.output_bytes(task);
    return task;
  }

  /// Whether it has nothing to start, to fetch or to send: until something ends there, or it is
  /// granted or asks ahead for more.
  [[nodiscard]] bool only_asks() const {
    return running_ == buffer_.size() && granted.empty() && hints_done == hints.size() &&
           outputs_.empty() && early_home.empty();
  }

  // NOLINTBEGIN(misc-non-private-member-variables-in-classes)
  // Driver's own: tasks granted beyond the buffer, and loads asked for ahead by the last grant or
  // push.
  ShortQueue<Index> granted;
  std::vector<DataId> hints;
  std::size_t hints_done = 0;
  bool hinted_at_push = false;
  std::size_t in_flight = 0;      // loads
  std::size_t in_flight_out = 0;  // outputs
  std::size_t returning = 0;      // data items on their way to host memory
  ShortQueue<Index> early_home;   // written for the last time, and to be sent there
  double pending_overhead_s = 0;  // wall time of decisions that its next task pays
                                  // NOLINTEND(misc-non-private-member-variables-in-classes)

 private:
  enum class State : std::uint8_t {
    absent,
    loading,
    stale,      // loading what was overwritten meanwhile
    allocated,  // room for what a buffered task will write
    resident,
    leaving,  // evicted, and on its way to host memory
  };

  /// A data item's; all of it on one cache line.
  struct Slot {
    std::uint32_t uses = 0;  // by buffered tasks, the running one included
    // By the running tasks and the next, and by copies from here, of which there may be one to each
    // other processor.
    std::uint16_t pins = 0;
    State state = State::absent;
  };
  static_assert(sizeof(Slot) == bytes_by_data);

  void pin_next() {
    const auto next = next_task();
    if (pinned_next_ || !next) return;
    for (const Index input : graph_.inputs(*next)) ++slots_[input].pins;
    pinned_next_ = true;
  }

  void bring_readiest_forward();
  /// What was known of the tasks in the buffer holds no longer.
  void look_again() { provided_ = arrived_ = 0; }
  /// In host memory nothing needs room.
  [[nodiscard]] bool lacks(Index task) const {
    const auto data = in_host_memory_ ? graph_.needed(task) : graph_.inputs(task);
    return std::any_of(data.begin(), data.end(), [&](Index one) { return absent(one); });
  }

  const TaskGraph& graph_;
  Strategy& strategy_;
  const Coherence* coherence_;
  UsesInOrder* expected_;
  ProcessorId id_;
  Order order_;
  bool in_host_memory_;
  std::uint64_t memory_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t leaving_bytes_ = 0;
  std::vector<Slot> slots_;  // by data
  Buffer buffer_;            // the running tasks, the next, then those that follow
  std::size_t running_ = 0;
  std::size_t provided_ = 0;   // of the buffer, from its front, at least so many lack nothing
  std::size_t arrived_ = 0;    // of which at least so many have their inputs in memory
  ShortQueue<Index> outputs_;  // kept, oldest first
  std::uint64_t output_bytes_ = 0;
  bool pinned_next_ = false;
  FetchReason reason_ = FetchReason::next_task;
  std::uint64_t sought_bytes_ = 0;
};

}  // namespace damocles
