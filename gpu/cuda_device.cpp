// Opens the CUDA backend, which is a module, where it was built.
#include "gpu/cuda_device.hpp"

#include "models/error.hpp"
#include "models/modules.hpp"

extern "C" void damocles_make_cuda_device(const damocles::CudaOptions& options,
                                          std::unique_ptr<damocles::Device>& device)
    __attribute__((weak));

namespace damocles {
namespace {

const ModuleFunction cuda_module{"cuda", "damocles_make_cuda_device", &damocles_make_cuda_device};

}  // namespace

bool cuda_was_built() { return cuda_module.exists(); }

std::unique_ptr<Device> make_cuda_device(const CudaOptions& options) {
  if (!cuda_was_built()) {
    throw InvalidInput(
        "this build has no CUDA backend; install the CUDA toolkit, 12.5 or later: then "
        "`./damocles run ... --backend cuda` builds it, or cmake --preset cuda");
  }
  std::unique_ptr<Device> device;
  cuda_module.get()(options, device);
  return device;
}

}  // namespace damocles
