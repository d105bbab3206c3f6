#include <fmt/format.h>

#include <algorithm>

#include "gpu/backend.hpp"
#include "gpu/cores_beside.hpp"
#include "gpu/host/host_device.hpp"
#include "gpu/mpi/rank_device.hpp"
#include "gpu/mpi/rank_job.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

constexpr const char* how_to_get_mpi = "install libopenmpi-dev and build again";

/// The ranks that compute, of which there must be as many as the platform has processors.
std::unique_ptr<Device> make_ranks(std::size_t processors) {
  if (!mpi_was_built()) {
    throw InvalidInput(fmt::format("this program was built without MPI; {}, or use --backend host",
                                   how_to_get_mpi));
  }
  RankJob* const job = RankJob::current();
  if (job != nullptr && static_cast<std::size_t>(job->others()) == processors) {
    return make_rank_device(*job);
  }
  const std::string is_started =
      job == nullptr ? "by itself" : fmt::format("with {} ranks", job->others() + 1);
  throw InvalidInput(fmt::format(
      "--backend mpi needs a rank for each processor, {} here, and rank 0 for the data; "
      "it was started {}: write mpirun -n {} damocles ...",
      processors, is_started, processors + 1));
}

/// Ranks, and threads of rank 0 beside them for what computes in host memory.
std::unique_ptr<Device> make_mpi_processors(const DeviceRequest& request) {
  const auto& home = request.in_host_memory;
  const auto cores = static_cast<std::size_t>(std::count(home.begin(), home.end(), true));
  if (cores == request.processors) {
    throw Infeasible("the platform has cores alone, which share a memory; use --backend host");
  }
  auto ranks = make_ranks(request.processors - cores);
  if (cores == 0) return ranks;
  return with_cores_beside(std::move(ranks),
                           make_host_device({.processors = cores, .paced = request.paced}), home);
}

const Register mpi_backend{BackendEntry{
    .name = "mpi",
    .place = 4,
    .summary = []() -> std::string {
      return mpi_was_built()
                 ? "ranks of an MPI job on one machine or many, started as "
                   "`mpirun -n 3 damocles run ...` for 2 processors"
                 : fmt::format("ranks of an MPI job; not in this build: {}", how_to_get_mpi);
    },
    .make = make_mpi_processors,
    .paces_tasks = true}};

}  // namespace
}  // namespace damocles
