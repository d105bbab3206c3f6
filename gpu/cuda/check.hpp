#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <source_location>

#include "gpu/device.hpp"

namespace damocles::cuda {

/// Refuses every status but success with one line: what failed, on which GPU (the calling thread's
/// current one), the error's name and text, and where in the source.
///
/// @param doing  what was tried, as "copying data in"
/// @throws DeviceError unless the status is cudaSuccess
void check(cudaError_t status, const char* doing,
           std::source_location where = std::source_location::current());
/// The same for cuBLAS.
void check(cublasStatus_t status, const char* doing,
           std::source_location where = std::source_location::current());

/// check() of an allocation: where memory ran out it says how much was asked for, and how much of
/// the GPU's is free.
void check_allocation(cudaError_t status, std::size_t bytes, const char* of,
                      std::source_location where = std::source_location::current());

}  // namespace damocles::cuda
