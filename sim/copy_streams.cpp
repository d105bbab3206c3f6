#include "sim/copy_streams.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/platforms/routing_table.hpp"

namespace damocles {
namespace {

std::vector<double> home_rates(const MachineModel& machine) {
  std::vector<double> result;
  for (std::size_t p = 0; p < machine.processors.size(); ++p)
    result.push_back(machine.home_rate(p));
  return result;
}

/// Rates of the links, one in and one out a processor; no link is faster than its bus.
std::vector<double> links(const MachineModel& machine) {
  std::vector<double> result = home_rates(machine);
  result.insert(result.end(), result.begin(), result.end());
  return result;
}

/// Each bus; where they are duplex one more for the way to host memory, where only links hold
/// copies up.
std::vector<Bus> buses(const MachineModel& machine) {
  std::vector<Bus> result;
  for (std::size_t bus = 0; bus < machine.buses(); ++bus) {
    result.emplace_back(machine.bus_rate(bus), machine.latency_s, machine.sharing, links(machine));
  }
  if (machine.duplex) {
    result.emplace_back(std::numeric_limits<double>::infinity(), machine.latency_s,
                        BusSharing::fair, links(machine));
  }
  return result;
}

/// Where copies between processors cross two buses, or one twice.
std::optional<CrossedBuses> crossed_buses(const MachineModel& machine) {
  if (machine.duplex || !RoutingTable(machine).any_over_bus()) return std::nullopt;
  std::vector<double> rates;
  for (std::size_t bus = 0; bus < machine.buses(); ++bus) rates.push_back(machine.bus_rate(bus));
  return CrossedBuses(std::move(rates), machine.latency_s, machine.sharing,
                      2 * machine.processors.size());
}

}  // namespace

CopyStreams::CopyStreams(const MachineModel& machine, std::vector<double> start_s)
    : processors_(machine.processors.size()),
      streams_(machine.copy_streams),
      buses_(buses(machine)),
      crossed_(crossed_buses(machine)),
      cross_once_(machine.peers_cross_once),
      waiting_(streams_ * processors_),
      start_s_(std::move(start_s)),
      rates_(home_rates(machine)) {
  for (const ProcessorModel& gpu : machine.processors) bus_of_.push_back(gpu.bus);
  if (machine.duplex) bus_home_ = buses_.size() - 1;
}

CopyStreams::Queue& CopyStreams::stream(ProcessorId processor, bool out) {
  return waiting_[raw(processor) + (out && streams_ == 2 ? processors_ : 0)];
}

void CopyStreams::order(const Copy& copy, double now) {
  Copy asked = copy;
  asked.asked = asked_++;
  if (cross_once_) {
    pending_.push_back({asked, false});
    return begin_pending(now);
  }
  auto& waiting = stream(copy.processor, copy.out);
  waiting.push_back(asked);
  if (copy.from_peer) stream(copy.lender, true).push_back(asked);
  if (waiting.size() == 1) begin_first(waiting, now);
}

/// Its first copy begins, unless it is from another processor and not the first there.
void CopyStreams::begin_first(Queue& waiting, double now) {
  if (waiting.empty()) return;
  const Copy& copy = waiting.front();
  if (copy.from_peer && (stream(copy.processor, false).front().asked != copy.asked ||
                         stream(copy.lender, true).front().asked != copy.asked)) {
    return;
  }
  put_on_bus(copy, now);
}

/// Of two streams that have lost their first, which may be the same copy then.
void CopyStreams::begin_firsts(Queue& waiting, Queue& of_lender, double now) {
  const bool both = !waiting.empty() && !of_lender.empty();
  if (both && of_lender.front().asked < waiting.front().asked) {
    begin_first(of_lender, now);
    begin_first(waiting, now);
    return;
  }
  begin_first(waiting, now);
  if (both && of_lender.front().asked == waiting.front().asked) return;
  begin_first(of_lender, now);
}

/// Whether two copies take turns where those between processors cross the bus once.
bool CopyStreams::take_turns(const Copy& a, const Copy& b) const {
  const auto stream_of = [this](const Copy& copy) {
    return raw(copy.processor) + (copy.out && streams_ == 2 ? processors_ : 0);
  };
  return stream_of(a) == stream_of(b) || (a.from_peer && raw(a.lender) == stream_of(b)) ||
         (b.from_peer && raw(b.lender) == stream_of(a));
}

void CopyStreams::begin_pending(double now) {
  for (auto at = pending_.begin(); at != pending_.end(); ++at) {
    if (at->begun || std::any_of(pending_.begin(), at, [&](const Pending& before) {
          return take_turns(at->copy, before.copy);
        })) {
      continue;
    }
    at->begun = true;
    put_on_bus(at->copy, now);
  }
}

CopyStreams::Copy CopyStreams::end_pending(Bus::Link link, double now) {
  const auto ended = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& one) {
    return one.begun && raw(one.copy.processor) + (one.copy.out ? processors_ : 0) == link;
  });
  const Copy copy = ended->copy;
  pending_.erase(ended);
  begin_pending(now);
  return copy;
}

void CopyStreams::put_on_bus(const Copy& copy, double now) {
  const std::size_t p = raw(copy.processor);
  const double wait_s = copy.from_peer ? copy.wait_s : std::max(copy.wait_s, start_s_[p] - now);
  const double rate = copy.from_peer ? std::min(rates_[p], rates_[raw(copy.lender)]) : rates_[p];
  const auto link = static_cast<Bus::Link>(copy.out ? processors_ + p : p);
  if (crossed_) {
    CrossedBuses::Way way{.bus = bus_of_[p], .bytes_per_s = rate};
    if (copy.from_peer) {
      const std::size_t of_lender = bus_of_[raw(copy.lender)];
      if (of_lender != way.bus || !cross_once_) way.second = of_lender;
    }
    return crossed_->start(link, way, copy.bytes, now, wait_s);
  }
  Bus& bus = buses_[copy.out && bus_home_ ? *bus_home_ : bus_of_[p]];
  if (copy.from_peer) bus.set_rate(link, rate);
  bus.start(link, 0, copy.bytes, now, wait_s);
}

const Bus& CopyStreams::next() const {
  const Bus* first = &buses_.front();
  for (const Bus& bus : buses_) {
    if (bus.next_time() < first->next_time()) first = &bus;
  }
  return *first;
}

double CopyStreams::next_time() const {
  return crossed_ ? crossed_->next_time() : next().next_time();
}

/// The link whose copy ended, if one did.
std::optional<Bus::Link> CopyStreams::advance_buses() {
  if (crossed_) return crossed_->advance();
  Bus& bus = buses_[static_cast<std::size_t>(&next() - buses_.data())];
  const auto ended = bus.advance();
  if (!ended) return std::nullopt;
  const bool in = ended->link < processors_;
  // A copy from another processor may have gone at its rate.
  if (in) bus.set_rate(ended->link, rates_[ended->link]);
  return ended->link;
}

std::optional<CopyStreams::Copy> CopyStreams::advance() {
  const double now = next_time();
  const auto link = advance_buses();
  if (!link) return std::nullopt;
  if (cross_once_) return end_pending(*link, now);
  const bool out = *link >= processors_;
  auto& waiting = stream(ProcessorId{static_cast<std::uint32_t>(*link % processors_)}, out);
  const Copy copy = waiting.front();
  waiting.pop_front();
  if (!copy.from_peer) {
    begin_first(waiting, now);
    return copy;
  }
  auto& of_lender = stream(copy.lender, true);
  of_lender.pop_front();
  begin_firsts(waiting, of_lender, now);
  return copy;
}

}  // namespace damocles
