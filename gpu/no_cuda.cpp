// Stands for gpu/cuda/ where the program is built without it.
#ifndef DAMOCLES_HAS_CUDA

#include "gpu/cuda_device.hpp"
#include "models/error.hpp"

namespace damocles {

std::unique_ptr<Device> make_cuda_device(const CudaOptions& /*options*/) {
  throw InvalidInput(
      "the cuda device was not built; configure with --preset cuda on a machine with the CUDA toolkit");
}

}  // namespace damocles

#endif
