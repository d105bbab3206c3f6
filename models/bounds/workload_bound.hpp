#pragma once

#include "models/bounds/load_bounds.hpp"
#include "models/bounds/makespan_bound.hpp"
#include "models/platforms/durations.hpp"
#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// The best lower bound we can prove on the loads of any schedule of the workload there, by what
/// the workload is: a 2D or 3D product and Cholesky's tasks have bounds of their own, any other
/// graph that of its pairs. Where data have several sizes, only the compulsory loads are counted;
/// where memories differ, all are taken to be as large as the largest. None where a processor
/// computes in host memory ("home"): it may compute all that nobody else then loads.
[[nodiscard]] LoadBound workload_load_bound(const Workload& workload, const MachineModel& machine);

/// The best lower bound we can prove on the makespan of any schedule of the workload there; what
/// loads allow to compute is told by what the workload is, as for the loads.
/// @param durations  of the same two: what tasks take in the run, Durations::drawn(), where the
///                   platform has noise, which also makes them shorter
/// @param loads  workload_load_bound() of the same two
/// @pre the platform has a machine model
[[nodiscard]] MakespanBound workload_makespan_bound(const Workload& workload,
                                                    const Platform& platform,
                                                    const Durations& durations,
                                                    const LoadBound& loads);
/// The same of what tasks are expected to take. @pre the platform has no noise
[[nodiscard]] MakespanBound workload_makespan_bound(const Workload& workload,
                                                    const Platform& platform,
                                                    const LoadBound& loads);

/// The data of one size that the largest memory holds. @pre the data have one size
[[nodiscard]] std::uint64_t largest_memory_data(const Workload& workload,
                                                const MachineModel& machine);

}  // namespace damocles
