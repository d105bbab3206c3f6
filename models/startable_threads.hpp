#pragma once

#include <cstdint>

namespace damocles {

/// How many of the wanted threads the system lets this process start now. It is for runtimes that
/// end the program if they cannot start a thread, as GCC's OpenMP does.
///
/// Limits are many (RLIMIT_NPROC, a cgroup's pids.max, RLIMIT_AS), and some count what other
/// processes do. So no limit is read: the threads are started, with stacks as large as OpenMP's,
/// and ended when all stand. They no longer count against a limit when this returns.
///
/// The answer holds as long as nobody else takes what was found: another process of the same user
/// or cgroup, or another thread of this one, may do so before the caller starts its threads.
[[nodiscard]] std::uint64_t startable_threads(std::uint64_t wanted);

}  // namespace damocles
