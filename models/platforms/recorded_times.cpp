// Means and deviations of the times that a file recorded.

#include "models/platforms/recorded_times.hpp"

#include <bit>
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

namespace {

/// Of tasks without a footprint: those of as many bytes and flops have one.
std::uint64_t size_of(std::uint64_t bytes, double flops) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;  // spreads bytes over all bits
  return bytes * odd + std::bit_cast<std::uint64_t>(flops);
}

}  // namespace

RecordedTimes::Alike RecordedTimes::alike(TaskGraph::Index task) const {
  const auto& kinds = graph_.parts().task_kinds;
  const auto footprint = graph_.recorded(task).footprint;
  return {kinds.empty() ? std::uint16_t{0} : kinds[task], footprint.has_value(),
          footprint ? *footprint : size_of(graph_.footprint(task), graph_.flops(task))};
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
