#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// One strategy three ways: what was predicted, simulated and executed, and whether they agree.
///
/// The executed mean agrees with the simulated one where their difference lies within its 95 %
/// interval, t sqrt(sd_s^2/n_s + sd_e^2/n_e) with Student's t for n_s + n_e - 2 degrees of freedom;
/// a mean of one run has the other's sd. It agrees with the prediction where it lies in the band
/// that the model gives a single run, mean +- 2 sd.
struct Agreement {
  std::string strategy;
  std::optional<Record> predicted;  ///< summary over replicates, of a model that has a band
  Record simulated;                 ///< summary
  Record executed;                  ///< summary
  double difference = 0;            ///< executed over simulated mean volume - 1
  double allowed = 0;               ///< half of that interval, likewise over the simulated mean
  std::optional<bool> in_band;      ///< nothing without a prediction
  /// Executed over simulated makespan - 1, mean over replicates; nothing where the platform's time
  /// is not that of the run.
  std::optional<double> makespan_error;
  /// A run agrees in time within this: on calibrated machines the threads that copy take up to 12 %
  /// of the time of the same cores (docs/reference/execution.md), after which this was chosen.
  static constexpr double time_tolerance = 0.2;

  [[nodiscard]] bool agrees_with_simulation() const;
  /// Of the volume: `outside simulated`, `outside predicted` or `outside both`; else `agrees` where
  /// the time does too, `volume agrees, time does not`, or `volume agrees` where the platform's
  /// time is not that of the run.
  [[nodiscard]] std::string verdict() const;
};

/// Seconds that a second of the platform's time takes in an executed run; 0: they are not related.
using TimeScale = std::function<double(std::uint64_t replicate)>;

/// One for each strategy that has simulated and executed rows among the records, in their order.
/// Runs that failed do not count.
/// @param model  the one whose prediction is shown
[[nodiscard]] std::vector<Agreement> agreements(const std::vector<Record>& records,
                                                const std::string& model,
                                                const TimeScale& time_scale);

}  // namespace damocles
