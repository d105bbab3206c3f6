#include "gpu/cuda/check.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace damocles::cuda {
namespace {

// "gpu/cuda/device.cpp:120", however the compiler was given the path.
std::string place(const std::source_location& where) {
  std::string_view file = where.file_name();
  if (const auto room = file.rfind("gpu/cuda/"); room != std::string_view::npos)
    file.remove_prefix(room);
  return fmt::format("{}:{}", file, where.line());
}

std::string current_gpu() {
  int gpu = -1;
  return cudaGetDevice(&gpu) == cudaSuccess ? fmt::format("GPU {}", gpu) : "no GPU";
}

}  // namespace

void check(cudaError_t status, const char* doing, std::source_location where) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // an error that can be got over is not to be found by the next check
  throw DeviceError(fmt::format("{} failed on {}: {} ({}) [{}]", doing, current_gpu(),
                                cudaGetErrorName(status), cudaGetErrorString(status),
                                place(where)));
}

void check(cublasStatus_t status, const char* doing, std::source_location where) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  // cuBLAS says no more than "execution failed" where the kernel's launch did; CUDA knows why.
  const cudaError_t cause = cudaGetLastError();
  throw DeviceError(
      fmt::format("{} failed on {}: {} ({}{}) [{}]", doing, current_gpu(),
                  cublasGetStatusName(status), cublasGetStatusString(status),
                  cause == cudaSuccess
                      ? ""
                      : fmt::format("; {}: {}", cudaGetErrorName(cause), cudaGetErrorString(cause)),
                  place(where)));
}

void check_allocation(cudaError_t status, std::size_t bytes, const char* of,
                      std::source_location where) {
  if (status != cudaErrorMemoryAllocation) return check(status, of, where);
  (void)cudaGetLastError();
  std::size_t free = 0;
  std::size_t total = 0;
  const bool known = cudaMemGetInfo(&free, &total) == cudaSuccess;
  constexpr double megabyte = 1e6;
  throw DeviceError(fmt::format("{} failed on {}: out of memory, asked for {:.1f} MB{} [{}]", of,
                                current_gpu(), static_cast<double>(bytes) / megabyte,
                                known ? fmt::format(", {:.1f} of the GPU's {:.1f} MB are free",
                                                    static_cast<double>(free) / megabyte,
                                                    static_cast<double>(total) / megabyte)
                                      : "",
                                place(where)));
}

}  // namespace damocles::cuda
