#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace damocles {

/// The one parallel loop of the program: calls body(index) for each index < count, each once. A
/// thread that is free takes the next index, so calls may take differently long.
///
/// OpenMP runs it where the compiler has OpenMP, and threads of our own elsewhere and under the
/// thread sanitizer, which cannot look into GCC's OpenMP.
///
/// - `threads` is how many threads share the calls, the caller among them. 0: as OpenMP says
///   (OMP_NUM_THREADS), one for each core by default.
/// - If the system lets fewer threads start (a limit on processes or memory), those share the
///   calls.
/// - If a call throws, no further calls begin. The first exception is thrown on when all threads
///   have stopped.
/// - A loop inside a call of a loop starts no threads: its calls are made one after the other.
void in_parallel(std::uint64_t count, const std::function<void(std::uint64_t)>& body,
                 std::uint64_t threads = 0);

/// While one lives, loops of this thread start no other thread: their calls are made one after the
/// other. For calls that belong to this thread, as those of Python do. One at a time.
class LoopsOnThisThread {
 public:
  LoopsOnThisThread();
  ~LoopsOnThisThread();
  LoopsOnThisThread(const LoopsOnThisThread&) = delete;
  LoopsOnThisThread& operator=(const LoopsOnThisThread&) = delete;
};

/// A parallel loop was stopped from outside.
class LoopStopped : public std::runtime_error {
 public:
  LoopStopped() : std::runtime_error("interrupted") {}
};

/// While one lives, no call of a loop that this thread runs begins once `asked` is set, and the
/// loop throws LoopStopped. One at a time.
class StoppableLoops {
 public:
  explicit StoppableLoops(const std::atomic<bool>& asked);
  ~StoppableLoops();
  StoppableLoops(const StoppableLoops&) = delete;
  StoppableLoops& operator=(const StoppableLoops&) = delete;
};

}  // namespace damocles
