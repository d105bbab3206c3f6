#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "gpu/device.hpp"
#include "models/platforms/platform.hpp"
#include "models/platforms/routing_table.hpp"

namespace damocles {

/// Waits on the run's clock that a cancelled run cuts short.
class RunClock {
 public:
  /// From now on it is time 0, and the run is not cancelled.
  void start() {
    begin_ = Clock::now();
    cancelled_.store(false, std::memory_order_relaxed);
  }
  [[nodiscard]] double now_s() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  /// Sleeps until that time; returns at once where it has passed.
  void wait_until(double time_s) const;
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  std::atomic<bool> cancelled_{false};
};

/// Copies in host memory that take as long as on the platform's bus, or as long as they take.
///
/// Real bytes are copied first, then the copy waits for its time: bytes over the bus's and its
/// link's bandwidth, after the latency. Under fair sharing a transfer goes in chunks, so that those
/// of several processors take turns. Under fifo sharing it has the bus alone, its latency included,
/// in the order in which copies were asked for, whichever thread comes to its copy first. Copies
/// between processors over links do not use it: each line of a link carries one after the other, in
/// the order in which they were asked for, and one over several holds them all (RoutingTable).
/// Those between processors over the bus share it as others do, chunk by chunk, and both
/// processors' links as well, where in the simulator they take turns on streams with others that
/// use these. Times follow from when a copy could start, not from when a thread woke up, so
/// lateness of threads does not add up.
class ThrottledBus {
 public:
  /// @param machine  nothing: copies take as long as they take
  /// @param paced   times follow from when a copy could start; always so where memory is limited
  ThrottledBus(std::optional<MachineModel> machine, bool paced, const RunClock& clock);

  /// Nothing is on its way any more; before another run, whose time starts at 0 again.
  void reset();

  /// A copy that was asked for.
  struct Call {
    std::size_t link = 0;
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
    double ready_s = 0;  ///< when it was asked for
    /// The time it has the bus for, under fifo sharing, or the links between processors.
    Interval turn;
    /// When whatever it takes turns on is free again; none where it goes in chunks.
    std::vector<double*> free_s{};
    /// Where it goes in chunks and comes from another processor: that one's link out.
    std::optional<std::size_t> from_link{};
  };

  /// Asks for a copy; the order of calls is that of turns. Any thread may carry it out later.
  /// @param link  whose: the processor's index on the way in; of p processors that plus p on the
  ///              way out. A link carries both ways at once, as in the simulator.
  [[nodiscard]] Call ask(std::size_t link, std::byte* to, const std::byte* from, std::size_t bytes,
                         double ready_s);
  /// The same between two processors, which have a link or a route where memory is limited.
  [[nodiscard]] Call ask_peer(std::size_t lender, std::size_t borrower, std::byte* to,
                              const std::byte* from, std::size_t bytes, double ready_s);
  Interval copy(const Call& call);

 private:
  void take_turn(Call& call, double latency_s, double rate);
  Interval copy_in_turn(const Call& call);
  [[nodiscard]] Interval copy_free(const Call& call) const;
  [[nodiscard]] std::size_t bus_of(std::size_t link) const;
  [[nodiscard]] double link_rate(std::size_t link) const;
  [[nodiscard]] double bus_rate(std::size_t link) const;  // of its bus [B/s]
  double reserve(const Call& call, double arrival_s, double bytes, double at_least_s);

  std::optional<MachineModel> machine_;
  std::optional<RoutingTable> routes_;  // of the machine
  bool paced_;
  const RunClock& clock_;
  std::mutex mutex_;
  std::vector<double> bus_free_s_;   // of each bus
  std::vector<double> link_free_s_;  // in, then out
  std::vector<double> peer_free_s_;  // of each line of RoutingTable
};

/// Processor time of the calling thread [s]: what work took, whoever else had the core meanwhile.
[[nodiscard]] double thread_time_s();

}  // namespace damocles
