// How the program learns that it is a rank of an MPI job, without MPI.
#include "models/ranks.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>

#include "models/error.hpp"
#include "models/modules.hpp"

extern "C" void damocles_join_mpi(std::unique_ptr<damocles::Ranks>& ranks) __attribute__((weak));

namespace damocles {
namespace {

const ModuleFunction mpi{"mpi", "damocles_join_mpi", &damocles_join_mpi};

/// The number in the first of these variables that is set; 0 where none is.
int number_in_environment(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const char* const text = std::getenv(name);   // NOLINT(concurrency-mt-unsafe): at the start
    if (text != nullptr) return std::atoi(text);  // NOLINT(cert-err34-c): 0 is none
  }
  return 0;
}

/// How many ranks the launcher says there are: of Open MPI; of MPICH, Intel MPI and Slurm. 0: it is
/// none of these.
int ranks_of_launcher() { return number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); }

/// PMIx tells a rank, but not how many there are.
bool is_started_by_pmix() {
  return std::getenv("PMIX_RANK") != nullptr;  // NOLINT(concurrency-mt-unsafe): at the start
}

}  // namespace

std::unique_ptr<Ranks> join_ranks(std::string_view otherwise) {
  const int size = ranks_of_launcher();
  if (size < 2 && (size == 1 || !is_started_by_pmix())) return nullptr;
  if (mpi.exists()) {
    std::unique_ptr<Ranks> ranks;
    mpi.get()(ranks);
    if (ranks->size() > 1) return ranks;
    ranks->end(true);
    return nullptr;
  }
  if (size < 2) return nullptr;
  throw InvalidInput(
      fmt::format("it was started as {} ranks, but this program was built without MPI; install "
                  "libopenmpi-dev and build again{}",
                  size, otherwise));
}

bool is_rank() { return ranks_of_launcher() > 0 || is_started_by_pmix(); }

int unconnected_copies() {
  if (is_rank()) return 0;
  const int copies = number_in_environment({"SLURM_STEP_NUM_TASKS"});
  return copies > 1 ? copies : 0;
}

bool mpi_was_built() { return mpi.exists(); }

}  // namespace damocles
