#pragma once

#include <cstdint>
#include <functional>

namespace damocles {

/// The one parallel loop of the program: calls body(index) for each index < count, each once. A
/// thread that is free takes the next index, so calls may take differently long.
///
/// - `threads` is how many threads share the calls, the caller among them. 0: as OMP_NUM_THREADS
///   says, else one for each core.
/// - If the system lets fewer threads start (a limit on processes or memory), those share the
///   calls.
/// - If a call throws, no further calls begin. The first exception is thrown on when all threads
///   have stopped.
/// - A loop inside a call of a loop starts no threads: its calls are made one after the other.
///
/// Threads of the C++ library run it, not OpenMP: GCC's libgomp ends the program where a thread
/// cannot be started.
void in_parallel(std::uint64_t count, const std::function<void(std::uint64_t)>& body,
                 std::uint64_t threads = 0);

}  // namespace damocles
