#pragma once

#include <span>
#include <vector>

#include "models/cuboid.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Cuts the grid of a matrix product into one cuboid a processor, volumes as the relative speeds,
/// by recursion: a plane cuts a cuboid and the processors that share it in two, which adds the area
/// of the cut to what is read. Processors stay in the order of their speeds. Where at most 5 share
/// a cuboid every such cut is tried, in each of the three directions; up to 32, those across the
/// longest side that leave a third or half of the speed on one side, with all that follows; above,
/// the same judged by what the parts cost at least. Then the boundaries are rounded to whole
/// blocks, so that the cuboids tile the grid whatever the speeds. A processor may get none.
///
/// No ratio to the lower bound is proved; tests/models/cuboid_partition_test.cpp measures it, and
/// compares with every cut of every subset. O(p) searches of 32 processors, 1 ms each at most; O(p)
/// memory.
///
/// @param workload         of three dimensions
/// @param relative_speeds  shape (p), each > 0, sums to 1
/// @return                 shape (p)
/// Source: ours, after the idea of Beaumont, Eyraud-Dubois, Lambert, Euro-Par 2016 (cuboids by
/// recursive cuts), whose rule we had not; the cuts in two: Nagamochi & Abe, Discrete Applied
/// Mathematics 155 (2007).
[[nodiscard]] std::vector<Cuboid> cuboid_partition(const Workload& workload,
                                                   std::span<const double> relative_speeds);

}  // namespace damocles
