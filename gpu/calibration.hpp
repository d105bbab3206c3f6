#pragma once

#include <vector>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/device.hpp"
#include "models/platforms/platform.hpp"

namespace damocles {

/// What a device does with the tasks and data of a workload, measured.
struct Calibration {
  /// Median time of one task on each processor while all compute [s], shape (p).
  std::vector<double> task_s;
  /// The same while the others are idle [s], shape (p).
  std::vector<double> task_alone_s;
  double task_flops = 0;
  /// Of each processor's own link, alone [B/s], shape (p).
  std::vector<double> link_bytes_per_s;
  double bus_bytes_per_s = 0;  ///< of all together, all copying at once
  /// Of both directions together, where there are output places; else 0.
  double both_ways_bytes_per_s = 0;
  double latency_s = 0;  ///< of a copy of 64 bytes, alone
  /// Whether a copy to processor 1 that begins during one to processor 0 ends after it: fifo, as
  /// where a GPU has one engine for all copies of a direction. Fair where there is one processor.
  BusSharing sharing = BusSharing::fair;
  std::uint64_t loads_ahead = 0;  ///< Device::loads_ahead() for data of this size
  /// Device::output_places() of one processor whose results leave when their task ends; else 0.
  std::uint64_t output_places = 0;

  /// What all processors compute together [flop/s].
  [[nodiscard]] double peak_flops_per_s() const;
};

/// Runs one task of the workload again and again on every processor, alone and all at once, and
/// copies data of its size in; each measurement takes about `each_s` seconds and at least 5
/// repetitions, of which the first is left out.
/// @throws InvalidInput if data differ in size or tasks are empty
[[nodiscard]] Calibration calibrate(const Arithmetic& arithmetic, const Workload& workload,
                                    Device& device, double each_s);

/// Only peak_flops_per_s(), of all processors at once.
[[nodiscard]] double measure_peak(const Arithmetic& arithmetic, const Workload& workload,
                                  Device& device, double each_s);

}  // namespace damocles
