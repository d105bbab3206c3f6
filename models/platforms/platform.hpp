#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/ids.hpp"
#include "models/platforms/kernel_times.hpp"
#include "models/platforms/noise.hpp"
#include "models/platforms/processor_power.hpp"
#include "models/platforms/speedup.hpp"
#include "models/precision.hpp"

namespace damocles {

/// How several transfers share the bus.
enum class BusSharing {
  fair,  ///< max-min fair, each capped by its processor's link
  fifo,  ///< one after the other, in the order in which they were asked for
};

/// One processor with a memory of its own; or one that computes in the memory that holds all data,
/// as a core of the host does: nothing is loaded there, and there is room for everything.
struct ProcessorModel {
  double flops_per_s = 0;
  std::uint64_t memory_bytes = 0;  ///< 0: given as a number of data
  std::uint64_t memory_data = 0;
  double link_bytes_per_s = 0;  ///< of its own link to its bus
  std::vector<KernelTime> kernel_times{};
  /// Whose kernels those of Cholesky and LU are, a name of measured_kernels(): what they take where
  /// kernel_times is empty (Scenario::for_tasks_of). "": nothing is known. kernels_by_flops or
  /// kernels_at_given_speed: the platform wants none.
  std::string kernels{};
  ProcessorPower power{};
  std::string kind{"gpu"};      ///< processors of one name are alike to strategies
  bool in_host_memory = false;  ///< computes in the memory that holds all data; no memory, no link
  std::size_t bus = 0;          ///< which of several it is on
  /// Of cores: how fast several that are alike compute a task together; none: each computes alone.
  std::vector<Speedup> speedups{};
};

/// A link between two processors, of this bandwidth in each direction.
struct PeerLink {
  std::size_t a = 0;
  std::size_t b = 0;
  double bytes_per_s = 0;
  bool half_duplex = false;  ///< both directions take turns on it
};

/// How data go between two processors that have no link, there and back.
struct PeerRoute {
  std::size_t a = 0;
  std::size_t b = 0;
  std::vector<std::size_t> via{};  ///< over their links, from a to b; of none: over the buses
};

/// Processors with little memory, fed by one bus, or by several, from the memory that holds all
/// data.
struct MachineModel {
  std::vector<ProcessorModel> processors;
  double bus_bytes_per_s = 0;       ///< of each bus, where bus_rates says nothing: ask bus_rate()
  std::vector<double> bus_rates{};  ///< of each of several, where they differ [B/s]; else empty
  double latency_s = 0;             ///< of each transfer, before its bytes flow
  double request_s = 0;             ///< more of it, where the next task waits for the transfer
  double decision_s = 0;            ///< of each data item or task that a decision looks at
  double handover_s = 0;  ///< until who waited while another one decided goes on, beyond that
  double overhead_s = 0;  ///< of each task, beside its flops
  /// Kinds of tasks for which the driver of a processor with a memory of its own waits: while one
  /// runs there, the processor takes no task and asks for no copy.
  std::vector<std::string> synchronous{};
  /// A copy takes this part of its own time (copy_s) from the tasks that its processor computes
  /// meanwhile, as where both take the same cores or the same memory [1].
  double interference = 0;
  BusSharing sharing = BusSharing::fair;
  std::uint64_t depth = 0;  ///< tasks in a processor's buffer, the running one included; 0: the
                            ///< strategy's own, or prefetch_depth()
  /// A processor asks for the inputs of a further task while at most so many of its loads are on
  /// their way: 0 in StarPU, more where copies are queued so that the bus never waits for a driver.
  std::uint64_t loads_ahead = 0;
  bool write_back = false;  ///< outputs travel back
  /// Where outputs travel back: a task waits for room for its output, and for outputs before it to
  /// be in host memory; else they lie in room that is free, and leave when nothing else travels.
  bool outputs_take_memory = true;
  /// Outputs do not take memory, but one of so many places beside it, from when their task starts
  /// until they are in host memory; they leave at once, and the makespan does not wait for them.
  /// 0: there are none. Not with write_back.
  std::uint64_t output_places = 0;
  std::uint64_t copy_streams = 2;  ///< of a processor: 2, one a direction; 1 for both
  bool duplex = false;             ///< only links limit copies to host memory, not the bus
  /// Of a link of its own that each pair of processors has, in each direction; 0: none has.
  double peer_bytes_per_s = 0;
  bool peers_half_duplex = false;        ///< both directions of each of these take turns
  std::vector<PeerLink> peer_links{};    ///< those of some pairs, instead
  std::vector<PeerRoute> peer_routes{};  ///< of some pairs without a link
  bool peers_over_bus = false;           ///< all others go over the buses (RoutingTable)
  bool peers_cross_once = false;         ///< such a copy passes a switch (CopyStreams)
  /// A task takes up to this part longer, at random [1]; absent: see jitter_of().
  std::optional<double> jitter{};
  /// Tasks take longer or shorter than expected, at random; absent: no.
  std::optional<Noise> noise{};
  /// Some rate is a preset's, as nobody gave it: seconds are those of its machine, not of this one.
  bool preset_rates = false;
  /// What the GFlop/s are of, where they are a preset's.
  std::optional<Precision> preset_precision{};

  /// What holds where the platform does not say: 0.7 % where processors are alike and nothing else
  /// gets them out of step, in which they would else stay for ever; else none. As far apart are the
  /// kernel times of four V100 of one machine (541.9 to 545.7 us, StarPU's models).
  [[nodiscard]] double jitter_of() const;
  /// Where there is jitter, copies between a processor and host memory begin up to this late [s]:
  /// identical GPUs under StarPU begin 1 to 10 us apart (docs/explanation/peers.md).
  static constexpr double latest_start_s = 10e-6;
  [[nodiscard]] bool is_synchronous(const std::string& kind) const {
    return std::find(synchronous.begin(), synchronous.end(), kind) != synchronous.end();
  }
  /// Whether some processor computes in the memory that holds all data.
  [[nodiscard]] bool any_in_host_memory() const;
  /// Processors with a memory of their own: those that the bus feeds.
  [[nodiscard]] std::size_t on_buses() const;
  /// Those of them on one bus.
  [[nodiscard]] std::size_t on_bus(std::size_t bus) const;
  [[nodiscard]] std::size_t buses() const;
  /// Of one [B/s]. @pre bus < buses()
  [[nodiscard]] double bus_rate(std::size_t bus) const {
    return bus_rates.empty() ? bus_bytes_per_s : bus_rates[bus];
  }
  /// Of all buses together.
  [[nodiscard]] double all_buses_bytes_per_s() const;
  /// The most that a copy from host memory to the processor may have, or one back: its link's, or
  /// that of its bus [B/s]. @pre the processor is not in host memory
  [[nodiscard]] double home_rate(std::size_t processor) const;
  /// The same machine whose buses and links are so many times as fast.
  [[nodiscard]] MachineModel with_rates_times(double factor) const;
  /// Whether some processors have links between them: a link needs two with a memory of their own.
  [[nodiscard]] bool has_links() const {
    return on_buses() > 1 && (peer_bytes_per_s > 0 || !peer_links.empty());
  }
  /// Whether some data may come from another processor.
  [[nodiscard]] bool has_peers() const {
    return on_buses() > 1 && (has_links() || peers_over_bus || !peer_routes.empty());
  }
  /// Whether what processors draw is known, of all of them.
  [[nodiscard]] bool has_powers() const {
    return !processors.empty() && processors.front().power.computing_w > 0;
  }
  /// Whether a copy between two processors over the buses crosses one bus there and back.
  /// @pre neither is in host memory
  [[nodiscard]] bool crosses_twice(std::size_t from, std::size_t to) const {
    return !duplex && !peers_cross_once && processors[from].bus == processors[to].bus;
  }
  /// The bandwidth between two processors [B/s], 0 where they have neither link nor route; for one
  /// pair, where RoutingTable is for many.
  [[nodiscard]] double peer_rate(std::size_t from, std::size_t to) const;
  /// The files that times by kind of task were read from, each once.
  [[nodiscard]] std::vector<SourceFile> times_files() const;
  /// Whether some processor takes the times that the workload's file recorded.
  [[nodiscard]] bool uses_recorded_times() const;
  /// What a copy takes on its bus to itself [s]; nothing where data lie in host memory.
  [[nodiscard]] double copy_s(std::size_t processor, double bytes) const;
};

/// GPU0, GPU1, ..., and CPU0, CPU1, ... for those in host memory.
[[nodiscard]] std::string processor_name(const MachineModel& machine, std::size_t processor);

/// The processors of one run. Without a machine model memory and bandwidth are infinite (the model
/// of HPDC'14).
struct Platform {
  /// Tasks a processor computes in one second, each > 0; with a machine model, flop/s.
  std::vector<double> speeds;
  /// dyn.x scenarios: after each task speed <- max(1, speed (1 + u)), u uniform in [-drift, drift].
  double drift = 0;
  std::optional<MachineModel> machine{};

  [[nodiscard]] std::size_t processors() const { return speeds.size(); }
  /// As GPU0 and CPU3 of a machine; P0, P1, ... where only speeds are known.
  [[nodiscard]] std::string name(std::size_t processor) const;
  [[nodiscard]] std::string name(ProcessorId processor) const { return name(raw(processor)); }
  /// [tasks/s], or [flop/s] with a machine model
  [[nodiscard]] double mean_speed() const;
  /// s_k / sum of s_i: sums to 1.
  [[nodiscard]] std::vector<double> relative_speeds() const;
};

}  // namespace damocles
