#include <algorithm>

#include "gpu/backend.hpp"
#include "gpu/cores_beside.hpp"
#include "gpu/cuda_device.hpp"
#include "gpu/host/host_device.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

/// GPUs, and host threads beside them for what computes in host memory.
std::unique_ptr<Device> make_cuda_processors(const DeviceRequest& request) {
  const auto& home = request.in_host_memory;
  const auto cores = static_cast<std::size_t>(std::count(home.begin(), home.end(), true));
  if (cores == request.processors) {
    throw Infeasible("the platform has cores alone and no GPU; use --backend host");
  }
  auto gpus = make_cuda_device({request.processors - cores, request.multiprocessors, cores});
  if (cores == 0) return gpus;
  return with_cores_beside(std::move(gpus), make_host_device({.processors = cores}), home);
}

const Register cuda_backend{BackendEntry{
    .name = "cuda",
    .place = 2,
    .summary = []() -> std::string {
      return cuda_was_built() ? "CUDA GPUs, products by cuBLAS; cores beside them are host threads"
                              : "CUDA GPUs; not in this build: `./damocles run ... --backend cuda` "
                                "builds it where the CUDA toolkit is";
    },
    .make = make_cuda_processors,
    .shares_multiprocessors = true,
    .data_of_any_sizes = false}};

}  // namespace
}  // namespace damocles
