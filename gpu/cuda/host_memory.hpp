#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace damocles::cuda {

/// Host memory that every GPU copies from and to without a detour (pinned). Thread-safe.
///
/// Large pieces are mapped in huge pages, touched by all cores and then pinned: tens of gigabytes
/// are not touched by one thread, and memory that grows as it is touched, as on some virtual
/// machines, is there before it is pinned. Where the driver pins no such memory, and for small
/// pieces, cudaHostAlloc it is.
class HostMemory {
 public:
  /// @param bytes  of a piece, from which on it is mapped
  explicit HostMemory(std::size_t mapped_from = std::size_t{64} << 20U)
      : mapped_from_(mapped_from) {}
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  /// All pieces must have been given back.
  ~HostMemory() = default;

  /// @throws DeviceError if it cannot be had, or not be pinned
  std::byte* allocate(std::size_t bytes);
  void release(std::byte* at) noexcept;

 private:
  std::byte* mapped(std::size_t bytes);

  std::size_t mapped_from_;
  std::mutex mutex_;
  std::map<std::byte*, std::size_t> mapped_;  // bytes of each mapped piece
};

}  // namespace damocles::cuda
