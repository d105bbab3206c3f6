#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/ids.hpp"

namespace damocles {

/// Something that happened in a run: at `time_s` [s] from its start, on one processor.
struct RunEvent {
  enum class Kind {
    granted,
    load_started,
    load_ended,
    evicted,  ///< or, where `overwritten`, invalidated: its room is free
    task_started,
    task_ended,
    created,  ///< room for a data item that the next task writes without reading
    return_started,
    return_ended,  ///< a data item that was written is in host memory
    joined,        ///< it computes the task together with the processor that starts it next
    left,          ///< that task, which has ended
  };
  Kind kind = Kind::granted;
  double time_s = 0;
  ProcessorId processor{};
  std::uint64_t id = 0;  ///< of the task or data
  /// Of a load that started: the processor that it comes from, nothing where that is in host
  /// memory.
  std::optional<ProcessorId> lender{};
  /// Of an eviction: it is an invalidation, as another processor writes the data item, or as nobody
  /// will access it any more, and it is temporary.
  bool overwritten = false;

  friend bool operator==(const RunEvent&, const RunEvent&) = default;
};

/// Told of every event, in the order in which it is decided: per processor and engine in order of
/// time.
using Watcher = std::function<void(const RunEvent&)>;

/// What a run did, counted where it happened; the same type for simulated and executed runs.
struct Trace {
  std::vector<std::uint64_t> loads;  ///< data sent to each processor, shape (p)
  std::vector<std::uint64_t> tasks;  ///< tasks that each processor was granted and computed
  /// Time each processor computed, together with others too, shape (p).
  std::vector<double> busy_s;
  double makespan_s = 0;  ///< end of the last task, or of the last write-back
  /// Where memory is limited: bytes sent to and written back by each processor [B], copies that it
  /// evicted, and copies that writes elsewhere invalidated, shape (p); else empty.
  std::vector<std::uint64_t> bytes_loaded{};
  std::vector<std::uint64_t> bytes_written{};
  std::vector<std::uint64_t> evictions{};
  std::vector<std::uint64_t> invalidations{};
  /// There too: the loads by their causes (LoadCauses), which add up to them, shape (p); empty
  /// where nobody can tell.
  std::vector<std::uint64_t> loads_first{};
  std::vector<std::uint64_t> loads_after_eviction{};
  std::vector<std::uint64_t> loads_after_invalidation{};
  /// Of the loads, those that came from another processor, shape (p); empty where none can.
  std::vector<std::uint64_t> loads_from_peers{};
  /// Where the platform says what processors draw: what their tasks drew [J], shape (p).
  std::vector<double> compute_j{};

  /// Makespan of the strategy's static schedule [s]; nothing where it makes none.
  std::optional<double> planned_makespan_s{};
  /// Wall time inside strategy and eviction policy; 0 where it was not measured.
  double scheduling_s = 0;

  [[nodiscard]] std::uint64_t total_loads() const {
    std::uint64_t total = 0;
    for (const std::uint64_t count : loads) total += count;
    return total;
  }
  /// Computing time over p times the makespan, in [0, 1].
  [[nodiscard]] double busy_fraction() const {
    double busy = 0;
    for (const double time : busy_s) busy += time;
    const double total = makespan_s * static_cast<double>(busy_s.size());
    return total > 0 ? busy / total : 0;
  }

  friend bool operator==(const Trace&, const Trace&) = default;
};

}  // namespace damocles
