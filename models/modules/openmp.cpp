// The parallel loop by OpenMP. A module (models/modules.hpp).
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>

#include "models/shared_loop.hpp"
#include "models/startable_threads.hpp"

namespace damocles {
namespace {

/// OpenMP keeps the threads of a loop for the next loop of the same caller. How many there are, the
/// caller among them: a loop of so many starts none.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): one for each caller
thread_local std::uint64_t pool = 1;

void end_pool() {
  if (omp_pause_resource_all(omp_pause_soft) == 0) pool = 1;
}

/// A child of fork() has the caller alone, and its next loop would wait for the others for ever. At
/// the end of the program, valgrind takes the stacks of threads that still wait for lost.
bool pool_ends_in_time() {
  return pthread_atfork(end_pool, nullptr, nullptr) == 0 && std::atexit(end_pool) == 0;
}

/// libgomp ends the program if it cannot start a thread, so what it is asked for is tried before.
std::uint64_t team(std::uint64_t count, std::uint64_t threads) {
  if (count <= pool) return std::min(pool, threads);  // a smaller team would end the others
  const std::uint64_t wanted = std::min(count, threads);
  return wanted <= pool ? wanted : 1 + startable_threads(wanted - 1);
}

}  // namespace

extern "C" void damocles_share_loop(const SharedLoop& loop) {
  [[maybe_unused]] static const bool registered = pool_ends_in_time();
  const auto most =
      loop.threads > 0 ? loop.threads : static_cast<std::uint64_t>(omp_get_max_threads());
  const std::uint64_t threads = team(loop.count, std::min(most, most_loop_threads));
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
#pragma omp master
    pool = static_cast<std::uint64_t>(omp_get_num_threads());  // or less: OMP_THREAD_LIMIT
#pragma omp for schedule(dynamic)
    for (std::uint64_t index = 0; index < loop.count; ++index) loop.make(loop.calls, index);
  }
}

}  // namespace damocles
