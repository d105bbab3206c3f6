#pragma once

#include <cstdint>

#include "models/platforms/platform.hpp"

namespace damocles {

/// One GPU of 1 flop/s behind a bus of 1 B/s each way, with a buffer of two tasks: for times worked
/// out by hand.
inline Platform one_gpu(std::uint64_t memory_bytes, bool write_back = false) {
  Platform platform{.speeds = {1}};
  platform.machine = MachineModel{
      .processors = {{.flops_per_s = 1, .memory_bytes = memory_bytes, .link_bytes_per_s = 1}},
      .bus_bytes_per_s = 1,
      .depth = 2,
      .write_back = write_back,
      .duplex = true,
      .jitter = 0};
  return platform;
}

}  // namespace damocles
