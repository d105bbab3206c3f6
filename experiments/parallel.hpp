#pragma once

#include <cstddef>
#include <functional>

namespace damocles {

/// Calls body(i) for every i in [0, count), each once, on `threads` threads (0: as OMP_NUM_THREADS
/// says, else one a core), or on as many as can be started. The first exception ends the loop early
/// and is thrown again when all threads have stopped.
void for_each_in_parallel(std::size_t count, int threads,
                          const std::function<void(std::size_t)>& body);

}  // namespace damocles
