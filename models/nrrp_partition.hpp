#pragma once

#include <span>
#include <vector>

#include "models/workload.hpp"
#include "models/zone.hpp"

namespace damocles {

/// Cuts the grid of an outer product into one zone a processor, areas as the relative speeds, by
/// recursion: a rectangle and the processors that share it are cut across its longer side, or the
/// fastest of them takes an L and the others the square that it leaves in a corner (two
/// processors: the square-corner shape, 2 + 2 sqrt(s) on the unit square where a straight cut costs
/// 3). Processors stay in the order of their speeds; every cut is tried where at most 6 share the
/// rectangle, and above that the two that the papers' proofs use (the first at which a third, and
/// at which half of the speed is on one side), each judged by what its parts cost at least. Then
/// the boundaries are rounded to whole blocks, so that the zones tile the grid whatever the speeds.
/// A processor may get none.
///
/// The papers prove 2/sqrt(3) = 1.155 of the lower bound for a rule of their own among these cuts;
/// of ours it is measured, not proved (tests/models/nrrp_partition_test.cpp). O(p^2) time at worst,
/// O(p) memory.
///
/// @param workload         of two dimensions
/// @param relative_speeds  shape (p), each > 0, sums to 1
/// @return                 shape (p)
/// Source: Beaumont, Eyraud-Dubois, Lambert, IPDPS 2016 (NRRP); Beaumont, Becker, DeFlumere,
/// Eyraud-Dubois, Lambert, Lastovetsky, TPDS 30 (2019); the straight cuts: Nagamochi & Abe,
/// Discrete Applied Mathematics 155 (2007).
[[nodiscard]] std::vector<Zone> nrrp_partition(const Workload& workload,
                                               std::span<const double> relative_speeds);

}  // namespace damocles
