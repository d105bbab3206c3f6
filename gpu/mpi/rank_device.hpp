// Processors that are the other ranks of an MPI job, each with the memory of its machine.
#pragma once

#include <memory>

#include "gpu/device.hpp"
#include "gpu/mpi/rank_job.hpp"

namespace damocles {

/// Processor p is rank p + 1. Host memory, with all data, is that of rank 0. Addresses are those of
/// the rank they are of. Loads and results travel as messages from and to rank 0, peer loads from
/// one rank to the other; times are those of rank 0's clock, at which it heard of an end.
///
/// A paced task takes at least its paced time on its rank. Copies take as long as the network
/// needs.
/// @param job  outlives the device; one device at a time uses it
[[nodiscard]] std::unique_ptr<Device> make_rank_device(RankJob& job);

}  // namespace damocles
