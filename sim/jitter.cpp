#include "sim/jitter.hpp"

#include "models/rng.hpp"

namespace damocles {

std::vector<double> Jitter::starts_s(std::size_t processors) const {
  std::vector<double> result(processors, 0);
  if (most_ == 0) return result;
  Rng rng(seed_, Draw::start_order, replicate_);
  for (double& start : result) start = MachineModel::latest_start_s * rng.uniform();
  return result;
}

double Jitter::factor(TaskId task) const {
  if (most_ == 0) return 1;
  return 1 + most_ * Rng(seed_, Draw::duration, replicate_, raw(task)).uniform();
}

}  // namespace damocles
