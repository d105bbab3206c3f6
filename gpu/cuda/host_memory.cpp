#include "gpu/cuda/host_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "gpu/cuda/check.hpp"
#include "models/parallel.hpp"

namespace damocles::cuda {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20U;

void touch(std::byte* at, std::size_t bytes) {
  in_parallel((bytes + huge_page - 1) / huge_page, [&](std::uint64_t index) {
    const std::size_t begin = index * huge_page;
    const std::size_t end = std::min(bytes, begin + huge_page);
    for (std::size_t byte = begin; byte < end; byte += page) at[byte] = std::byte{0};
  });
}

}  // namespace

std::byte* HostMemory::mapped(std::size_t bytes) {
  void* const map =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  (void)madvise(map, bytes, MADV_HUGEPAGE);  // a wish
  auto* const at = static_cast<std::byte*>(map);
  touch(at, bytes);
  if (cudaHostRegister(at, bytes, cudaHostRegisterPortable) != cudaSuccess) {
    (void)cudaGetLastError();
    (void)munmap(map, bytes);
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  mapped_[at] = bytes;
  return at;
}

std::byte* HostMemory::allocate(std::size_t bytes) {
  check(cudaSetDevice(0), "choosing the GPU");
  if (bytes >= mapped_from_) {
    if (std::byte* const at = mapped(bytes)) return at;
  }
  void* at = nullptr;
  // Portable: pinned for every GPU.
  const cudaError_t status =
      cudaHostAlloc(&at, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw DeviceError(fmt::format("out of host memory: {:.1f} MB of it could not be pinned ({})",
                                  static_cast<double>(bytes) / 1e6, cudaGetErrorName(status)));
  }
  check(status, "pinning host memory");
  return static_cast<std::byte*>(at);
}

void HostMemory::release(std::byte* at) noexcept {
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto piece = mapped_.find(at); piece != mapped_.end()) {
      bytes = piece->second;
      mapped_.erase(piece);
    }
  }
  if (bytes == 0) {
    (void)cudaFreeHost(at);
    return;
  }
  (void)cudaHostUnregister(at);
  (void)munmap(at, bytes);
}

}  // namespace damocles::cuda
