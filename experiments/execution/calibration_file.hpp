#pragma once

#include <optional>
#include <string>

#include "experiments/execution/calibrating_runs.hpp"
#include "gpu/calibration.hpp"
#include "gpu/device.hpp"

namespace damocles {

/// What stands in a platform file of `damocles calibrate`.
struct CalibrationFile {
  std::string workload;
  std::string memory;  ///< of each processor, as it was given
  DeviceDescription device;
  Calibration measured;
  std::optional<FittedCalibration> fitted;
  std::string why_not_fitted;  ///< where it is not: one sentence
};

/// The platform, figure by figure, as measured; its memory and what else it has are `others`'.
[[nodiscard]] MachineModel measured_machine(const Calibration& measured, MachineModel others);

/// The file: its comments say where, when and how well, and which part of the makespans the
/// platform does not explain.
[[nodiscard]] std::string calibration_file(const CalibrationFile& what);

/// How busy a machine was, as it says itself.
struct MachineLoad {
  double running = 0;  ///< threads that ran or waited for a core, mean of a minute
  unsigned cores = 0;

  /// Now. 0 running where the machine does not say.
  [[nodiscard]] static MachineLoad now();
  /// Whether half of the cores or more had something else to do.
  [[nodiscard]] bool is_busy() const { return cores > 0 && 2 * running >= cores; }
};

/// Why the file is not to be trusted, and what to do about it; "" where it tells makespans well.
[[nodiscard]] std::string calibration_warning(const FittedCalibration& fitted,
                                              const MachineLoad& before);

/// What a user is told beside it: how well it tells what runs take.
[[nodiscard]] std::string calibration_summary(const FittedCalibration& fitted);

}  // namespace damocles
