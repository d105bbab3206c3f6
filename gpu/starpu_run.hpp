#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/runtime.hpp"

namespace damocles {

/// One run on StarPU, as the program damocles-starpu is asked for it: on its command line, each as
/// key=value, so that a run can be repeated by hand.
struct StarpuRun : RuntimeRequest {
  std::string policy{};  ///< one of StarPU's own, where `strategy` is ""
  /// All processors are workers of the one memory that holds all data: nothing moves.
  bool shared = false;
  double standstill_s = 60;  ///< the run fails where for so long no task ends [s]
  std::string home{};        ///< folder for what StarPU measures of the machine
};

[[nodiscard]] std::vector<std::string> words_of(const StarpuRun& run);
/// @throws InvalidInput on an unknown key, or a number that is none
[[nodiscard]] StarpuRun starpu_run_of(std::span<const std::string> words);
/// A line each, "name value value ...". @throws DeviceError where the text is no answer
[[nodiscard]] std::string answer_text(const RuntimeAnswer& answer);
[[nodiscard]] RuntimeAnswer starpu_answer_of(const std::string& text);

/// The program damocles-starpu in the folder of this one, or "" where it was not built.
[[nodiscard]] std::string starpu_program();

/// Runs it once, in a process of its own: StarPU reads its settings from the environment when it
/// starts, and one that stands still can be ended. A folder for StarPU's measurements of the
/// machine is made where temporary files go, and lives as long as this process.
/// @throws InvalidInput where the request was wrong, DeviceError where the process did not answer
[[nodiscard]] RuntimeAnswer run_on_starpu(StarpuRun run);

}  // namespace damocles
