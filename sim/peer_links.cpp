#include "sim/peer_links.hpp"

#include <algorithm>

namespace damocles {

void PeerLinks::order(const Copy& copy, const PeerPath& path, double bytes, double now) {
  double free_s = now;
  for (const std::uint64_t line : path.lines()) free_s = std::max(free_s, free_s_[line]);
  free_s = free_s + path.latency_s + bytes / path.bytes_per_s;
  for (const std::uint64_t line : path.lines()) free_s_[line] = free_s;
  copies_.push({free_s, asked_++, copy});
}

PeerLinks::Copy PeerLinks::advance() {
  const Copy copy = copies_.top().copy;
  copies_.pop();
  return copy;
}

}  // namespace damocles
