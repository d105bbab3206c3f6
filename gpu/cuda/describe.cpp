#include <cublas_v2.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "gpu/cuda/device.hpp"

namespace damocles::cuda {
namespace {

// CUDA counts 13000 for 13.0.
std::string dotted(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// The version that nvidia-smi shows, "580.159.04", which the driver's kernel module tells: the
// first word of its line that begins with a number. Empty where there is no such file.
std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string::npos)
      return word;
  }
  return {};
}

std::string cublas_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  check(cublasGetProperty(MAJOR_VERSION, &major), "asking cuBLAS for its version");
  check(cublasGetProperty(MINOR_VERSION, &minor), "asking cuBLAS for its version");
  check(cublasGetProperty(PATCH_LEVEL, &patch), "asking cuBLAS for its version");
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace

DeviceDescription CudaDevice::description() const {
  int driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&driver), "asking for the driver's version");
  check(cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
  DeviceDescription result;
  result.backend = "cuda";
  for (const auto& name : names_) {
    if (!result.name.empty()) result.name += ", ";
    result.name += name;
  }
  const std::string module = module_version();
  result.driver =
      fmt::format("driver {}{}CUDA {}{}, runtime {}, cuBLAS {}", module, module.empty() ? "" : " (",
                  dotted(driver), module.empty() ? "" : ")", dotted(runtime), cublas_version());
  for (const auto& processor : processors_) result.parts.push_back(processor->part);
  return result;
}

}  // namespace damocles::cuda
