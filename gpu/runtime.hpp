#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "gpu/device.hpp"
#include "gpu/executor.hpp"
#include "gpu/verification/verify.hpp"

namespace damocles {

/// One run of a strategy by a runtime that moves the data itself (Backend::run); all in words, as
/// it may be another process.
struct RuntimeRequest {
  std::string workload;
  std::string platform;
  std::string strategy;  ///< with its options, thresholds as numbers
  std::uint64_t seed = 1;
  std::uint64_t replicate = 0;
  std::string compute = "auto";  ///< product | checksum | factorise | empty
  std::string precision = "single";
  std::uint64_t tile = 32;
  std::uint64_t rank = 8;
  std::string check = "auto";
  const std::atomic<bool>* interrupted = nullptr;  ///< set from outside: the run ends soon, failed
};

/// What it did.
struct RuntimeAnswer {
  Execution execution;  ///< without events; loads and bytes are as the runtime counts them
  Verification verification;
  DeviceDescription device;
  double flops = 0;  ///< computed by all tasks; 0 where they are no arithmetic
};

}  // namespace damocles
