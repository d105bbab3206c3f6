#include "models/platforms/durations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "models/error.hpp"

namespace damocles {

Durations::Durations(const Workload& workload, const Platform& platform)
    : graph_(workload.graph()), rates_(platform.speeds) {
  if (!platform.limits) return;
  const Limits& limits = *platform.limits;
  overhead_s_ = limits.overhead_s;
  const auto& kinds = graph_.parts().kind_names;
  for (std::size_t p = 0; p < limits.gpus.size(); ++p) {
    rates_[p] = limits.gpus[p].flops_per_s;
    for (const KernelTime& kernel : limits.gpus[p].kernel_times) {
      const auto kind = std::find(kinds.begin(), kinds.end(), kernel.kind);
      if (kind == kinds.end()) {
        throw InvalidInput(fmt::format(
            "the platform gives a time for tasks of kind {}, but '{}' has {}; give times of its "
            "kinds alone",
            kernel.kind, workload.text(),
            kinds.empty() ? "no kinds" : fmt::format("the kinds {}", fmt::join(kinds, ", "))));
      }
      kinds_ = kinds.size();
      kernel_s_.resize(limits.gpus.size() * kinds_, 0);
      kernel_s_[p * kinds_ + static_cast<std::size_t>(kind - kinds.begin())] = kernel.seconds;
    }
  }
}

double Durations::least_flops(Index task) const {
  if (!by_kind()) return graph_.flops(task);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < rates_.size(); ++p) {
    least = std::min(least, (s(p, task) - overhead_s_) * rates_[p]);
  }
  return least;
}

}  // namespace damocles
