#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Whether the workload's file says how long some of its tasks took (StarPU's tasks.rec).
[[nodiscard]] bool has_recorded_times(const Workload& workload);

/// Gives processors without times those that the workload's file recorded on their kind of worker.
/// Not where the platform gives the speed, or wants times by flops, or no task was recorded there.
/// A task whose like was recorded on the other kind alone does not run there, if the platform has
/// the other kind too; else it takes its flops over the speed, as one that was never recorded.
void use_recorded_times(MachineModel& machine, const Workload& workload);

/// What times are taken where the workload's file recorded some, joined by plus: `recorded` ones;
/// `never`, where only the other kind of worker was recorded; by `flops`, where none was recorded
/// or the platform gives a speed; those `given` for kinds of tasks, or the name of
/// measured_kernels() that was given. @pre has_recorded_times()
[[nodiscard]] std::string recorded_times_in_use(const MachineModel& machine);
/// One of these names for a reader, among all of them; "" of a name of measured_kernels().
[[nodiscard]] std::string recorded_times_in_words(std::string_view name, std::string_view among);

/// Which tasks do not run on a kind of worker, or take their flops over a speed there, for want of
/// a recorded time: a sentence for GPUs and one for cores.
[[nodiscard]] std::vector<std::string> lacking_recorded_times(const MachineModel& machine,
                                                              const Workload& workload);

}  // namespace damocles
