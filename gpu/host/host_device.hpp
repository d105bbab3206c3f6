#pragma once

#include <memory>
#include <optional>

#include "gpu/device.hpp"
#include "models/platforms/platform.hpp"

namespace damocles {

struct HostOptions {
  std::size_t processors = 1;
  /// Loads take as long as on this bus; nothing: as long as they take.
  std::optional<Limits> bus{};
  /// Tasks are paced (TaskCall::paced_s), so copies without a bus keep to that time too.
  bool paced = false;
  /// Results travel back over that bus too.
  bool writes_on_bus = false;
};

/// Processors made of host threads: copies are memcpy, kernels those of host_kernels.hpp, and both
/// can be slowed down to the platform's times (TaskCall::paced_s, HostOptions::bus).
///
/// A paced task takes the longer of its paced time and of the processor time its kernel took, so
/// that more processors than cores are still paced alike; it ends that long after it could start,
/// however late its thread woke up.
[[nodiscard]] std::unique_ptr<Device> make_host_device(const HostOptions& options);

}  // namespace damocles
