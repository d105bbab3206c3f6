#pragma once

#include <cstdint>
#include <optional>

namespace damocles {

/// Memory that can be had without swapping [B]: MemAvailable of /proc/meminfo; nothing where the
/// system does not say.
[[nodiscard]] std::optional<std::uint64_t> available_host_memory();

/// @throws InvalidInput if `needed` [B] exceeds `available`; a double, as sizes of what nobody can
///         have may exceed 2^64
void require_host_memory(double needed, std::optional<std::uint64_t> available);

}  // namespace damocles
