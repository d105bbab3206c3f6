// Means and deviations of the times that a file recorded.

#include "models/platforms/recorded_times.hpp"

#include <algorithm>
#include <cmath>

namespace damocles {

/// Welford's update of mean and squares.
void RecordedTimes::Sum::add(double seconds) { add(Sum{1, seconds, 0}); }

/// Chan, Golub & LeVeque's pairwise update.
void RecordedTimes::Sum::add(const Sum& other) {
  if (other.count == 0) return;
  const double all = count + other.count;
  const double difference = other.mean - mean;
  mean += difference * other.count / all;
  squares += other.squares + difference * difference * count * other.count / all;
  count = all;
}

RecordedTimes::RecordedTimes(const TaskGraph& graph) : graph_(graph) {
  for (TaskGraph::Index task = 0; task < graph.parts().recorded.size(); ++task) {
    const RecordedTask& recorded = graph.parts().recorded[task];
    if (recorded.seconds) sums_[{alike(task), recorded.where}].add(*recorded.seconds);
  }
}

RecordedTimes::Alike RecordedTimes::alike(TaskGraph::Index task) const {
  const auto& kinds = graph_.parts().task_kinds;
  const auto footprint = graph_.recorded(task).footprint;
  return {kinds.empty() ? std::uint16_t{0} : kinds[task], footprint.has_value(),
          footprint ? *footprint : graph_.footprint(task)};
}

std::optional<MeasuredTime> RecordedTimes::time(TaskGraph::Index task, bool on_core) const {
  Sum all;
  for (const Where where : {Where::unknown, on_core ? Where::core : Where::gpu}) {
    const auto sum = sums_.find({alike(task), where});
    if (sum != sums_.end()) all.add(sum->second);
  }
  if (all.count == 0) return std::nullopt;
  return MeasuredTime{all.mean, std::sqrt(all.squares / all.count)};
}

}  // namespace damocles
