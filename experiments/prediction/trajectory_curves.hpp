// Curves of trajectories: what runs are at common instants, their mean and their band.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/prediction/trajectories.hpp"

namespace damocles {

/// Values at instants, shape (instants).
using Curve = std::vector<double>;
/// Of one run, by quantity and speed; speed 0: of all processors.
using RunCurves = std::map<std::pair<Quantity, double>, Curve>;

/// Instants from 0 to this time, evenly. @param instants  >= 2
[[nodiscard]] Curve instants_until(double end_s, int instants);

/// Adds a curve: at each instant the mean and, of simulated runs, the band.
/// @param model  whose the runs are, or "" for simulated ones
/// @param which  absent in a run: it does not count
void add_points(const std::vector<RunCurves>& runs, std::pair<Quantity, double> which,
                const std::string& model, const Curve& times, std::vector<TrajectoryPoint>& points);

/// All curves and all speeds are kept until the end, as a band needs them.
/// @throws InvalidInput where that takes too much memory
void refuse_much_memory(const Experiment& experiment, int instants);

}  // namespace damocles
