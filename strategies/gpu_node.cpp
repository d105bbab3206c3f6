#include "strategies/gpu_node.hpp"

#include <algorithm>

namespace damocles {

std::uint64_t GpuNode::next_use(DataId data) const {
  const auto wanted = static_cast<Index>(raw(data));
  const auto reads = [&](Index task) {
    const auto inputs = graph_.inputs(task);
    return std::find(inputs.begin(), inputs.end(), wanted) != inputs.end();
  };
  if (uses_[wanted] > 0) {
    const auto at = std::find_if(buffer_.begin(), buffer_.end(), reads);
    return static_cast<std::uint64_t>(at - buffer_.begin());
  }
  const auto at = std::find_if(granted.begin(), granted.end(), reads);
  if (at != granted.end()) {
    return buffer_.size() + static_cast<std::uint64_t>(at - granted.begin());
  }
  const std::uint64_t later = strategy_.next_use(id_, data);
  return later == Strategy::never ? later : later + buffer_.size() + granted.size();
}

}  // namespace damocles
