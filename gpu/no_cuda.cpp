// Stands for gpu/cuda/ where the program is built without it.
#ifndef DAMOCLES_HAS_CUDA

#include "gpu/cuda_device.hpp"
#include "models/error.hpp"

namespace damocles {

std::unique_ptr<Device> make_cuda_device(const CudaOptions& /*options*/) {
  throw InvalidInput(
      "this build has no CUDA backend; install the CUDA toolkit, 12.5 or later: then `./damocles run ... "
      "--backend cuda` builds it, or cmake --preset cuda");
}

}  // namespace damocles

#endif
