#include "sim/copy_streams.hpp"

#include <algorithm>
#include <limits>

namespace damocles {
namespace {

/// Rates of the links, one in and one out a processor; no link is faster than its bus.
std::vector<double> links(const Limits& limits) {
  std::vector<double> result;
  for (int direction = 0; direction < 2; ++direction) {
    for (std::size_t p = 0; p < limits.gpus.size(); ++p) result.push_back(limits.home_rate(p));
  }
  return result;
}

/// Each bus; where they are duplex one more for the way home, where only links hold copies up.
std::vector<Bus> buses(const Limits& limits) {
  std::vector<Bus> result;
  for (std::size_t bus = 0; bus < limits.buses(); ++bus) {
    result.emplace_back(limits.bus_rate(bus), limits.latency_s, limits.sharing, links(limits));
  }
  if (limits.duplex) {
    result.emplace_back(std::numeric_limits<double>::infinity(), limits.latency_s, BusSharing::fair,
                        links(limits));
  }
  return result;
}

}  // namespace

CopyStreams::CopyStreams(const Limits& limits, std::vector<double> start_s)
    : processors_(limits.gpus.size()),
      streams_(limits.copy_streams),
      buses_(buses(limits)),
      waiting_(streams_ * processors_),
      start_s_(std::move(start_s)) {
  for (const GpuModel& gpu : limits.gpus) bus_of_.push_back(gpu.bus);
  if (limits.duplex) bus_home_ = buses_.size() - 1;
}

CopyStreams::Queue& CopyStreams::stream(ProcessorId processor, bool out) {
  return waiting_[raw(processor) + (out && streams_ == 2 ? processors_ : 0)];
}

void CopyStreams::order(const Copy& copy, double now) {
  auto& waiting = stream(copy.processor, copy.out);
  waiting.push_back(copy);
  if (waiting.size() == 1) put_on_bus(copy, now);
}

void CopyStreams::put_on_bus(const Copy& copy, double now) {
  const std::size_t p = raw(copy.processor);
  Bus& bus = buses_[copy.out && bus_home_ ? *bus_home_ : bus_of_[p]];
  bus.start(static_cast<Bus::Link>(copy.out ? processors_ + p : p), 0, copy.bytes, now,
            std::max(copy.wait_s, start_s_[p] - now));
}

const Bus& CopyStreams::next() const {
  const Bus* first = &buses_.front();
  for (const Bus& bus : buses_) {
    if (bus.next_time() < first->next_time()) first = &bus;
  }
  return *first;
}

double CopyStreams::next_time() const { return next().next_time(); }

std::optional<CopyStreams::Copy> CopyStreams::advance() {
  Bus& bus = buses_[static_cast<std::size_t>(&next() - buses_.data())];
  const double now = bus.next_time();
  const auto ended = bus.advance();
  if (!ended) return std::nullopt;
  const bool out = ended->link >= processors_;
  auto& waiting = stream(ProcessorId{static_cast<std::uint32_t>(ended->link % processors_)}, out);
  const Copy copy = waiting.front();
  waiting.pop_front();
  if (!waiting.empty()) put_on_bus(waiting.front(), now);
  return copy;
}

}  // namespace damocles
