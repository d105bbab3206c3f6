#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/kernel.hpp"

// What nvcc compiles, behind functions that the rest calls.
namespace damocles::cuda {

/// Queues the checksum of Kernel::Kind::checksum: *sum = (or += where accumulate) the fold of all
/// words of all inputs.
///
/// Exact, and the same in every run: additions modulo 2^64 may come in any order. Inputs of any
/// alignment; those aligned to 8 bytes are read a word at a time.
///
/// @param sum              of the GPU, aligned to 8 bytes
/// @param multiprocessors  of the stream, sets how many blocks share the work, >= 1
void start_checksum(std::span<const TaskCall::Input> inputs, std::uint64_t* sum, bool accumulate,
                    unsigned multiprocessors, cudaStream_t stream);

/// Queues the writing of data by a checksum task: words of each as written_word() has them, or
/// added as added_factor() says, of the fold that is at *sum by then.
void start_writing(std::span<const TaskCall::Written> written, const std::uint64_t* sum,
                   unsigned multiprocessors, cudaStream_t stream);

/// Runs a kernel that fills the stream's multiprocessors, waits for it, and says to which it came:
/// their numbers, ascending. For looking at a green context from within; before start_clock().
///
/// @param multiprocessors  of the whole GPU
[[nodiscard]] std::vector<unsigned> multiprocessors_seen(unsigned multiprocessors,
                                                         cudaStream_t stream);

}  // namespace damocles::cuda
