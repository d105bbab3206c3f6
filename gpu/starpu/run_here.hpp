#pragma once

#include <span>
#include <string>

#include "gpu/starpu_run.hpp"

namespace damocles {

/// One run on StarPU in this process, which starts StarPU: so one a process. All tasks are
/// submitted before the first is handed out, so strategies and policies see the whole graph.
///
/// Where no task ends for StarpuRun::standstill_s, or a strategy fails, the process says so in one
/// line on standard error and ends with status 1: StarPU's threads cannot be stopped.
/// @throws InvalidInput on a wrong request, DeviceError where StarPU does not do it
[[nodiscard]] RuntimeAnswer run_here(const StarpuRun& run);

/// What the program does when it is started with `one` and a run's words: run_here(), its answer on
/// standard output, or why not in one line on standard error. It ends with who started it.
/// @return the exit status: 0, 1 where the run failed, 2 where the request was wrong
[[nodiscard]] int answer_one(std::span<const std::string> words);

}  // namespace damocles
