#include "sim/peer_links.hpp"

#include <algorithm>

namespace damocles {

void PeerLinks::order(const Copy& copy, double bytes, double now) {
  const std::size_t from = raw(copy.from);
  const std::size_t to = raw(copy.to);
  double& free_s = free_s_[from * limits_.gpus.size() + to];
  free_s = std::max(free_s, now) + limits_.latency_s + bytes / limits_.peer_rate(from, to);
  copies_.push({free_s, asked_++, copy});
}

PeerLinks::Copy PeerLinks::advance() {
  const Copy copy = copies_.top().copy;
  copies_.pop();
  return copy;
}

}  // namespace damocles
