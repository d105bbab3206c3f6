#include "strategies/parts/open_users.hpp"

#include <algorithm>

namespace damocles {

OpenUsers::OpenUsers(const TaskGraph& graph, std::vector<Index> order)
    : graph_(graph),
      waiting_(graph.ordered()),
      open_(waiting_ ? 0 : graph.tasks()),
      is_open_(graph.tasks(), waiting_ ? 0 : 1),
      users_(graph.data()),
      work_(graph.data(), 0),
      order_(std::move(order)),
      place_(graph.tasks()),
      priorities_(waiting_ ? graph.data() : 0) {
  for (std::size_t at = 0; at < order_.size(); ++at) place_[order_[at]] = static_cast<Index>(at);
  for (std::size_t d = 0; d < graph.data() && !waiting_; ++d) {
    const auto users = graph.users(static_cast<Index>(d));
    users_[d] = static_cast<std::uint32_t>(users.size());
    for (const Index task : users) work_[d] += graph.flops(task);
  }
}

OpenUsers::Index OpenUsers::first() {
  if (waiting_) return order_[*places_.begin()];
  while (is_open_[order_[first_]] == 0) ++first_;
  return order_[first_];
}

void OpenUsers::close(Index task) {
  --open_;
  is_open_[task] = 0;
  if (waiting_) places_.erase(place_[task]);
  for (const Index data : graph_.inputs(task)) {
    --users_[data];
    work_[data] -= graph_.flops(task);
  }
}

void OpenUsers::open(Index task) {
  ++open_;
  is_open_[task] = 1;
  first_ = std::min<std::size_t>(first_, place_[task]);
  if (waiting_) places_.insert(place_[task]);
  for (const Index data : graph_.inputs(task)) {
    ++users_[data];
    work_[data] += graph_.flops(task);
    if (waiting_) priorities_[data].emplace(graph_.priority(task), task);
  }
}

double OpenUsers::highest_priority(Index data) {
  auto& queue = priorities_[data];
  while (!queue.empty() && !contains(queue.top().second)) queue.pop();
  return queue.empty() ? 0 : queue.top().first;
}

}  // namespace damocles
