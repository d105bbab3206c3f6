#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace damocles {

/// Where the system says what memory there is.
struct SystemFiles {
  std::filesystem::path proc = "/proc";
  std::filesystem::path control_groups = "/sys/fs/cgroup";
};

/// Memory that this process can have without swapping [B]: the least of MemAvailable and what its
/// control groups (v2: memory.max and memory.high, v1: memory.limit_in_bytes; its own and those
/// above it) leave of their limits, where cached pages of files count as free. Nothing where the
/// system does not say. The environment variable DAMOCLES_HOST_MEMORY overrides it, with a size, as
/// 100GB, or `unlimited`: some virtual machines have memory that grows as it is touched, and
/// announce little.
/// @throws InvalidInput if that variable is neither
[[nodiscard]] std::optional<std::uint64_t> available_host_memory(const SystemFiles& files = {});

/// @throws InvalidInput if `needed` [B] exceeds `available`; a double, as sizes of what nobody can
///         have may exceed 2^64
void require_host_memory(double needed, std::optional<std::uint64_t> available);

/// Memory that something is about to take, held against what was available before all that is
/// promised now: what was promised and not touched yet, the system still counts as available. Given
/// back at the end of its life, by the thread that took it.
class MemoryPromise {
 public:
  enum class Others { wait_for, count };

  /// Of less than 2^27 B there is none: that is not worth a look at the system.
  /// @param others  where there is not enough beside other promises: wait until they end, or
  /// refuse;
  ///                a thread that has one already does not wait
  /// @throws InvalidInput, before anything is taken, if there is not enough
  MemoryPromise(double bytes, Others others);
  ~MemoryPromise();
  MemoryPromise(const MemoryPromise&) = delete;
  MemoryPromise& operator=(const MemoryPromise&) = delete;

 private:
  double bytes_;
};

}  // namespace damocles
