#include "strategies/runtime/worker_state.hpp"

#include <algorithm>

#include "strategies/parts/ready_list.hpp"

namespace damocles {

void WorkerState::choose_next() {
  const auto next = next_task();
  if (order_ == Order::taken || !next || ready(*next)) return;
  for (const Index input : graph_.inputs(*next)) --slots_[input].pins;
  pinned_next_ = false;
  bring_readiest_forward();
  pin_next();
}

void WorkerState::bring_readiest_forward() {
  const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(running_);
  const auto lack = [&](Index task) {
    MissingBytes result;
    for (const Index input : graph_.needed(task)) {
      if (!resident(input)) result.missing += graph_.bytes(input);
      if (absent(input)) result.unrequested += graph_.bytes(input);
    }
    return result;
  };
  auto readiest = buffer_.end();
  MissingBytes least;
  for (auto at = first; at != buffer_.end(); ++at) {
    const MissingBytes lacks = lack(*at);
    if (readiest != buffer_.end() && !(lacks < least)) continue;
    readiest = at;
    least = lacks;
    if (least == MissingBytes{}) break;  // nobody lacks less
  }
  if (readiest == buffer_.end()) return;
  std::rotate(first, readiest, readiest + 1);
  look_again();
}

std::uint64_t WorkerState::next_use(DataId data) const {
  const auto wanted = static_cast<Index>(raw(data));
  const auto reads = [&](Index task) {
    const auto inputs = graph_.inputs(task);
    return std::find(inputs.begin(), inputs.end(), wanted) != inputs.end();
  };
  if (slots_[wanted].uses > 0) {
    const auto at = std::find_if(buffer_.begin(), buffer_.end(), reads);
    return static_cast<std::uint64_t>(at - buffer_.begin());
  }
  const auto at = std::find_if(granted.begin(), granted.end(), reads);
  if (at != granted.end()) {
    return buffer_.size() + static_cast<std::uint64_t>(at - granted.begin());
  }
  std::uint64_t later = strategy_.next_use(id_, data);
  if (later == Strategy::never && expected_ != nullptr) {
    // After all that the strategy knows.
    later = expected_->next_use(wanted);
    if (later != Strategy::never) later += graph_.tasks();
  }
  return later == Strategy::never ? later : later + buffer_.size() + granted.size();
}

std::optional<DataId> WorkerState::farthest_use() const {
  if (expected_ != nullptr)
    return std::nullopt;  // of what the strategy does not list it knows more
  // What is read by buffered or granted tasks is read before all that the strategy still lists.
  return strategy_.farthest_use(id_, [&](DataId data) {
    const auto wanted = static_cast<Index>(raw(data));
    return evictable(data) && slots_[wanted].uses == 0 &&
           std::none_of(granted.begin(), granted.end(), [&](Index task) {
             const auto inputs = graph_.inputs(task);
             return std::find(inputs.begin(), inputs.end(), wanted) != inputs.end();
           });
  });
}

}  // namespace damocles
