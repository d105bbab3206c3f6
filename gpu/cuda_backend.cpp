#include "gpu/backend.hpp"
#include "gpu/cuda_device.hpp"

namespace damocles {
namespace {

const Register cuda_backend{Backend{
    .name = "cuda",
    .place = 2,
    .summary = []() -> std::string {
      return cuda_was_built() ? "CUDA GPUs, products by cuBLAS"
                              : "CUDA GPUs; not in this build: configure with --preset cuda";
    },
    .make =
        [](const DeviceRequest& request) {
          return make_cuda_device({request.processors, request.multiprocessors});
        },
    .shares_multiprocessors = true,
    .data_of_any_sizes = false}};

}  // namespace
}  // namespace damocles
