#pragma once

#include <array>
#include <span>

#include "models/workload.hpp"

namespace damocles {

/// Sides (number of indices in each dimension) of the box of `tasks` tasks that needs the fewest
/// data, within the workload's extents: a square or cube while it fits, else the short sides full.
///
/// @param tasks  in [0, workload.tasks()], real
/// @return       one side a dimension (the third is 1 for 2 indices); their product is `tasks`
[[nodiscard]] std::array<double, 3> cheapest_box(const Workload& workload, double tasks);

/// Data a box of these sides needs: a + b for 2 indices, ac + cb + ab for 3.
[[nodiscard]] double box_data(const Workload& workload, const std::array<double, 3>& sides);

/// The papers' bound: the fewest loads of any schedule in which processor k computes exactly the
/// share rs_k of the tasks. It is no lower bound on other schedules: a run that gives a processor
/// more or fewer tasks than its share may load less.
///
/// Sum over k of the data of the cheapest box of rs_k T tasks: 2n sum sqrt(rs_k) for the n x n
/// outer product, 3n^2 sum rs_k^(2/3) for the n^3 matrix product, while n rs_k^(1/d) <= n.
///
/// @param relative_speeds  shape (p), sums to 1
/// Source: HPDC'14, section 3.2 and 4.2; sides clamped to the extents for m != n.
[[nodiscard]] double balanced_bound(const Workload& workload,
                                    std::span<const double> relative_speeds);

/// Loads that no schedule avoids, whatever the memory and the number of processors: each data item
/// that some task reads, once.
[[nodiscard]] double compulsory_loads(const Workload& workload);

}  // namespace damocles
