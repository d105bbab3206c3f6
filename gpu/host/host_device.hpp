#pragma once

#include <memory>

#include "gpu/backend.hpp"
#include "gpu/device.hpp"

namespace damocles {

/// Processors made of host threads: copies are memcpy, kernels those of host_kernels.hpp, and both
/// can be slowed down to the platform's times (TaskCall::paced_s, DeviceRequest::bus).
///
/// A paced task takes the longer of its paced time and of the processor time its kernel took, so
/// that more processors than cores are still paced alike; it ends that long after it could start,
/// however late its thread woke up.
[[nodiscard]] std::unique_ptr<Device> make_host_device(const DeviceRequest& request);

}  // namespace damocles
