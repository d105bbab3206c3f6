#pragma once

#include <memory>
#include <vector>

#include "gpu/device.hpp"

namespace damocles {

/// One device of two: cores, which compute in the memory that holds all data, beside processors
/// with memories of their own. What concerns a processor goes to the device that it is of.
///
/// The memory that holds all data is that of `others` (pinned, where that is faster), lanes and
/// loads ahead are theirs, and so is the clock: times of the cores are told in it, off by half of
/// what reading both clocks takes at the start of a run, below 1 us.
///
/// @param others   its processors in the order of those that are not in host memory
/// @param cores    its processors in the order of those that are; all of them compute in host
/// memory
/// @param in_host_memory  which is which, shape (p), as many of each as the devices have
/// Checked by tests/gpu/cores_beside_test.cpp.
[[nodiscard]] std::unique_ptr<Device> with_cores_beside(std::unique_ptr<Device> others,
                                                        std::unique_ptr<Device> cores,
                                                        const std::vector<bool>& in_host_memory);

}  // namespace damocles
