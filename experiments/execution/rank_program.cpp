// The program as one rank of an MPI job whose ranks execute.
#include <memory>
#include <utility>

#include "experiments/commands/parts.hpp"
#include "experiments/interrupt.hpp"
#include "gpu/host/host_device.hpp"
#include "gpu/mpi/rank_job.hpp"
#include "gpu/mpi/rank_processor.hpp"

namespace damocles {

/// Rank 0 does what the words say. The others read no word, so that nothing is said or written
/// twice: they compute what rank 0 tells them to.
extern "C" int damocles_run_on_ranks(int argc, const char* const* argv, RunWords& run_words) {
  auto ranks = join_ranks();
  if (!ranks) return run_words(argc, argv);
  if (ranks->rank() > 0) {
    end_silently_on_interrupt();
    const auto device = make_host_device({});
    serve_as_processor(*ranks, *device);
    return 0;
  }
  const RankJob job(std::move(ranks));
  return run_words(argc, argv);
}

}  // namespace damocles
