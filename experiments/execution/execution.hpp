#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/rows.hpp"
#include "experiments/studies/study.hpp"
#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/device.hpp"
#include "gpu/executor.hpp"
#include "gpu/memory/store.hpp"
#include "gpu/verification/verify.hpp"
#include "models/runs/decisions.hpp"

namespace damocles {

/// How strategies are executed.
struct ExecutionOptions {
  std::string backend = "host";
  ArithmeticOptions arithmetic;
  Check check = Check::automatic;
  /// A task takes this long on a processor of mean speed, and the bus is slowed down alike; host
  /// only. Nothing: as long as it takes.
  std::optional<double> pace_s;
  bool throttle = true;   ///< host: copies take as long as on the platform's bus
  std::size_t depth = 1;  ///< unlimited memory: ask when fewer tasks than this are left
  std::vector<unsigned> multiprocessors;  ///< cuda: of each processor
  bool keep_events = false;
};

/// One executed run.
struct Executed {
  Record record;  ///< status: ok, unverified, or failed
  Execution execution;
  Verification verification;
};

/// The device that the options mean, with the experiment's processors, neither throttled nor paced.
/// @throws InvalidInput, DeviceError as Workbench
[[nodiscard]] std::unique_ptr<Device> make_device(const Experiment& experiment,
                                                  const ExecutionOptions& options);

/// On a backend that paces tasks and lets copies take the time they take, as on a real network: the
/// platform with buses as much faster as a paced task is slower, so that strategies and simulation
/// see the ratio of both as it is. On others, and where nothing is paced: the experiment as it is.
[[nodiscard]] Experiment with_copies_in_real_time(Experiment experiment,
                                                  const ExecutionOptions& options);

/// A device, the numbers and their memory, for all executed runs of one experiment. Runs follow one
/// another, so that they do not disturb each other.
class Workbench {
 public:
  /// @throws InvalidInput where the workload has no such arithmetic, the backend is unknown or not
  /// built, or an option does not go with it; DeviceError where the device has not the memory
  Workbench(const Experiment& experiment, const ExecutionOptions& options)
      : Workbench(experiment, options, nullptr) {}
  /// On a device that is there already; nothing: on the one that the options mean.
  Workbench(const Experiment& experiment, const ExecutionOptions& options,
            std::unique_ptr<Device> device);
  ~Workbench();
  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;

  /// Runs a strategy; a run that fails has a record that says so.
  [[nodiscard]] Executed run(const std::string& strategy, std::uint64_t replicate);
  /// Carries out recorded decisions. `strategy` and `replicate` are those of the recording.
  /// @throws InvalidInput where they cannot be carried out in this platform's memory
  [[nodiscard]] Executed replay(const Decisions& decisions, const std::string& strategy,
                                std::uint64_t replicate);

  /// What identifies the row of such a run, which need not have been made: columns of requests.
  /// Its inputs name the machine and each option that changes what is measured.
  [[nodiscard]] Record identity(const ResolvedStrategy& resolved, std::uint64_t replicate) const;
  /// The same of a strategy as asked for.
  [[nodiscard]] Record identity(const std::string& strategy, std::uint64_t replicate) const;

  [[nodiscard]] DeviceDescription device() const;
  /// What this kernel reaches on all processors at once [flop/s], measured in a moment; 0 where
  /// tasks are no products, or are paced.
  [[nodiscard]] double peak_flops_per_s() const;
  [[nodiscard]] const Arithmetic& arithmetic() const { return arithmetic_; }
  /// The machine with its loads queued and its results sent home as the device does, unless it says
  /// how.
  [[nodiscard]] MachineModel as_executed(MachineModel machine) const;
  /// Seconds that a second of the platform's time takes here; 0 where runs are not paced.
  [[nodiscard]] double time_scale(const Platform& platform) const;

 private:
  [[nodiscard]] ExecutorOptions executor_options(const Platform& platform,
                                                 std::uint64_t replicate) const;
  [[nodiscard]] Executed finish(const ResolvedStrategy& resolved, const Platform& platform,
                                std::uint64_t replicate, Execution execution) const;
  [[nodiscard]] Executed finished(const ResolvedStrategy& resolved, const Platform& platform,
                                  std::uint64_t replicate, Execution execution) const;
  [[nodiscard]] Executed counted(const ResolvedStrategy& resolved, const Platform& platform,
                                 std::uint64_t replicate, Execution execution) const;
  [[nodiscard]] Executed run_by_runtime(const ResolvedStrategy& resolved, const Platform& platform,
                                        std::uint64_t replicate);

  const Experiment& experiment_;
  ExecutionOptions options_;
  Arithmetic arithmetic_;
  DeviceDescription runtime_;       // of the last run of a runtime
  std::unique_ptr<Device> device_;  // null where a runtime has the data, and computes
  std::unique_ptr<Store> store_;
};

/// One run to be made.
struct RunToMake {
  std::string strategy;
  std::uint64_t replicate = 0;
};

/// All replicates of all strategies, in order.
[[nodiscard]] std::vector<RunToMake> all_runs(const Experiment& experiment);

/// What these runs will take in all where they are paced, by simulation of replicate 0 [s]; else 0.
[[nodiscard]] double expected_s(const Workbench& bench, const Experiment& experiment,
                                const std::vector<RunToMake>& runs);

/// These runs, in order. After a run that failed no other is started.
/// Says on standard error where paced runs will take long.
/// @param each  is called with each run that did not fail, when it has ended
[[nodiscard]] std::vector<Executed> run_executions(
    Workbench& bench, const Experiment& experiment, const std::vector<RunToMake>& runs,
    const Progress& progress = {}, const std::function<void(const Executed&)>& each = {});

/// The date in UTC, as 2026-11-21.
[[nodiscard]] std::string today();

}  // namespace damocles
