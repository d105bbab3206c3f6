#include "models/platforms/platform.hpp"

#include <algorithm>
#include <numeric>

namespace damocles {

double Limits::jitter_of() const {
  if (jitter) return *jitter;
  for (std::size_t k = 1; k < gpus.size(); ++k) {
    for (std::size_t other = 0; other < k; ++other) {
      if (gpus[k].flops_per_s == gpus[other].flops_per_s) return 0.007;
    }
  }
  return 0;
}

double Limits::peer_rate(std::size_t from, std::size_t to) const {
  for (const PeerLink& link : peer_links) {
    if ((link.a == from && link.b == to) || (link.a == to && link.b == from)) {
      return link.bytes_per_s;
    }
  }
  return from == to ? 0 : peer_bytes_per_s;
}

double Limits::copy_s(std::size_t processor, double bytes) const {
  return latency_s + bytes / std::min(gpus[processor].link_bytes_per_s, bus_bytes_per_s);
}

double Platform::mean_speed() const {
  return std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(speeds.size());
}

std::vector<double> Platform::relative_speeds() const {
  const double total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  std::vector<double> relative = speeds;
  for (double& speed : relative) speed /= total;
  return relative;
}

}  // namespace damocles
