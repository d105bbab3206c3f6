#pragma once

#include <cstdint>

#include "tests/bench/out_of_core/peer_run.hpp"
#include "tests/bench/out_of_core/plain_product.hpp"

namespace damocles {

/// Multiplies by cublasXt on GPU 0, from and to the pinned matrices.
///
/// cublasXt has no limit of its memory: it takes what blocks of this size need. So the rest of the
/// GPU's memory is taken from it first: all but `memory_bytes` of what is free once cublasXt has
/// run a small product, which loads its kernels and its cuBLAS workspace, to about 2 MiB (what
/// cudaMalloc gives at once). A block size for which that is too little fails, and is told so.
/// Each call has a new handle, one GPU, and no pinning of its own; before it is timed, the handle
/// has made one row of blocks, so that its streams, buffers and kernels are there.
[[nodiscard]] PeerRun multiply_by_cublas_xt(PlainProduct& product, int block,
                                            std::uint64_t memory_bytes);

}  // namespace damocles
