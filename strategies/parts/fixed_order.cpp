#include "strategies/parts/fixed_order.hpp"

#include <algorithm>

namespace damocles {

FixedOrder::FixedOrder(const StrategyContext& context, std::vector<Index> order)
    : graph_(context.workload.graph()), order_(std::move(order)) {}

void FixedOrder::request(ProcessorId, Grant& grant) {
  if (next_ < order_.size()) grant.tasks.add(TaskId{order_[next_++]});
}

std::uint64_t FixedOrder::next_use(ProcessorId, DataId data) {
  if (places_.empty()) {
    places_.resize(graph_.data());
    for (std::size_t at = 0; at < order_.size(); ++at) {
      for (const Index input : graph_.inputs(order_[at])) {
        places_[input].push_back(static_cast<Index>(at));
      }
    }
  }
  const auto& places = places_[raw(data)];
  const auto next = std::lower_bound(places.begin(), places.end(), next_);
  return next == places.end() ? never : *next - next_;
}

}  // namespace damocles
