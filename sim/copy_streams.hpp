#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/cache_hint.hpp"
#include "models/ids.hpp"
#include "models/platforms/platform.hpp"
#include "models/short_queue.hpp"
#include "sim/bus.hpp"
#include "sim/crossed_buses.hpp"

namespace damocles {

/// The copy engines of processors in virtual time: what a stream carries goes one after the other,
/// in the order in which it was asked for; streams share the bus.
///
/// A processor has two streams, one a direction, or one for both (MachineModel::copy_streams). Both
/// directions share the bandwidth of its bus, or each has its own (MachineModel::duplex). Buses
/// know nothing of each other; at one time the first goes first.
///
/// A copy in from another processor over the bus (RoutingTable) takes its turn on that one's stream
/// out too, and begins when it is the first of both; of two that become so at once the one asked
/// for first. It goes to host memory over the bus of the one and from there over that of the other,
/// which may be the same, and takes its rate of each (CrossedBuses); of the way to host memory
/// nothing where only links hold that up (MachineModel::duplex). It has at most the rate of the
/// slower of the two ways.
///
/// Where such copies cross one bus once (MachineModel::peers_cross_once), they pass a switch on
/// streams of their own, one for each pair. Then what comes to a processor waits for what it sends
/// to others and the other way round; what it sends to several of them goes at once, and beside
/// what goes to host memory. A copy begins when those asked for before it for which it waits have
/// ended: O(copies^2). Source: transfers_are_sequential() in src/core/simgrid.c of StarPU, observed
/// with CUDA.
class CopyStreams {
 public:
  struct Copy {
    ProcessorId processor{};
    ProcessorId lender{};  ///< from which it comes, where it is from_peer
    std::uint64_t id = 0;  ///< a data item, or a task whose output is on its way out
    double bytes = 0;
    double wait_s = 0;        ///< before it begins, beyond the latency
    std::uint64_t asked = 0;  ///< how many were ordered before it; the streams set it
    bool out = false;
    bool returning = false;  ///< a data item on its way out
    bool from_peer = false;  ///< not from host memory, but from the lender
  };

  /// @param start_s  before which no stream of the processor moves anything [s], shape (p)
  CopyStreams(const MachineModel& machine, std::vector<double> start_s);

  /// @pre copy.bytes > 0, now >= the time of every earlier call
  void order(const Copy& copy, double now);

  /// When something happens next; infinity if nothing.
  [[nodiscard]] double next_time() const;
  /// Whose copy that is. @pre something happens
  [[nodiscard]] ProcessorId next_processor() const {
    const Bus::Link link = crossed_ ? crossed_->next_link() : next().next_link();
    return ProcessorId{static_cast<std::uint32_t>(link % processors_)};
  }
  /// Brings the processor's copies in into the cache.
  void prefetch_state(ProcessorId processor) const {
    prefetch_line(waiting_[raw(processor)]);
    if (!crossed_)
      buses_[bus_of_[raw(processor)]].prefetch_state(static_cast<Bus::Link>(raw(processor)));
  }
  /// Takes the next event: the copy that ended, if one did. Copies in go first.
  std::optional<Copy> advance();

 private:
  using Queue = ShortQueue<Copy, 2>;
  struct Pending {
    Copy copy;
    bool begun = false;
  };

  Queue& stream(ProcessorId processor, bool out);
  [[nodiscard]] const Bus& next() const;
  void begin_first(Queue& waiting, double now);
  void begin_firsts(Queue& waiting, Queue& of_lender, double now);
  void put_on_bus(const Copy& copy, double now);
  std::optional<Bus::Link> advance_buses();
  [[nodiscard]] bool take_turns(const Copy& a, const Copy& b) const;
  void begin_pending(double now);
  Copy end_pending(Bus::Link link, double now);

  std::size_t processors_;
  std::size_t streams_;
  std::vector<Bus> buses_;               // then, where the way to host memory is another, that
  std::optional<CrossedBuses> crossed_;  // in their place, where copies cross several
  bool cross_once_;                      // a copy between processors takes one bus once
  std::vector<Pending> pending_;         // in place of waiting_ where it does
  std::vector<std::size_t> bus_of_;
  std::optional<std::size_t> bus_home_;
  std::vector<Queue> waiting_;  // on each stream; the first is on the bus
  std::vector<double> start_s_;
  std::vector<double> rates_;  // of the ways from host memory, and to it, by processor
  std::uint64_t asked_ = 0;
};

}  // namespace damocles
