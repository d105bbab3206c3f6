#include "strategies/parts/uses_in_order.hpp"

#include "strategies/strategy.hpp"

namespace damocles {

UsesInOrder::UsesInOrder(const TaskGraph& graph, const std::vector<Index>& order)
    : places_(graph.tasks()), taken_(graph.tasks(), false), users_(graph.data()) {
  for (std::size_t at = order.size(); at-- > 0;) {
    places_[order[at]] = static_cast<Index>(at);
    for (const Index data : graph.inputs(order[at])) users_[data].push_back(order[at]);
  }
}

void UsesInOrder::take(Index task) {
  taken_[task] = true;
  ++tasks_taken_;
}

std::uint64_t UsesInOrder::next_use(Index data) {
  auto& users = users_[data];
  while (!users.empty() && taken_[users.back()]) users.pop_back();
  if (users.empty()) return Strategy::never;
  const Index place = places_[users.back()];
  return place > tasks_taken_ ? place - tasks_taken_ : 0;
}

}  // namespace damocles
