#pragma once

#include <cstdint>

#include "models/platforms/platform.hpp"

namespace damocles {

/// Of 1 flop/s on a bus of 1 B/s, with a buffer of one task; the first cannot run tasks of kind B,
/// the second none of kind A: for times worked out by hand.
inline Platform two_gpus(std::uint64_t memory_bytes) {
  const auto gpu = [&](const char* other) {
    return ProcessorModel{.flops_per_s = 1,
                          .memory_bytes = memory_bytes,
                          .link_bytes_per_s = 1,
                          .kernel_times = {{other, never_s}}};
  };
  Platform platform{.speeds = {1, 1}};
  platform.machine = MachineModel{.processors = {gpu("B"), gpu("A")},
                                  .bus_bytes_per_s = 1,
                                  .sharing = BusSharing::fifo,
                                  .depth = 1,
                                  .jitter = 0};
  return platform;
}

}  // namespace damocles
