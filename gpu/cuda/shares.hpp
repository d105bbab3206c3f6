#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/cuda_device.hpp"

namespace damocles::cuda {

/// One processor's place.
struct Place {
  int gpu = 0;
  /// Processors share this GPU, or want a part of it: it is to be split.
  bool split = false;
  unsigned multiprocessors = 0;  ///< asked for; 0: an equal share
};

/// Processor i goes to GPU i mod gpus.
///
/// @param gpus  how many there are, >= 1
/// @throws InvalidInput if options.processors and options.multiprocessors are of different length
[[nodiscard]] std::vector<Place> places(const CudaOptions& options, std::size_t gpus);

/// What a GPU can be split into.
struct Groups {
  std::string gpu;      ///< name for the user, as "GPU 0 (NVIDIA H200)"
  std::size_t count;    ///< of groups, >= 1
  std::size_t of_each;  ///< multiprocessors of a group, >= 1
};

/// How many groups each processor of a GPU gets.
///
/// @param asked  multiprocessors of each processor on this GPU, shape (p); 0: an equal share of the
///               groups, rounded down. Either all are 0 or none
/// @return       of each, shape (p), at least one, adding up to at most groups.count
/// @throws InvalidInput if a share is no multiple of a group, or the shares exceed the GPU
[[nodiscard]] std::vector<std::size_t> groups_of(const std::vector<unsigned>& asked,
                                                 const Groups& groups);

}  // namespace damocles::cuda
