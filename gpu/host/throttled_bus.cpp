#include "gpu/host/throttled_bus.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <thread>

namespace damocles {
namespace {

/// A chunk takes about this long, so that waking up for it costs little [s].
constexpr double chunk_s = 500e-6;
constexpr std::size_t least_chunk_bytes = 64U << 10U;
/// A cancelled run is noticed after at most this long.
constexpr std::chrono::milliseconds nap{20};

/// By default Linux may wake a thread 50 us late.
void wake_on_time() {
  thread_local const bool done = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0;
  (void)done;
}

}  // namespace

void RunClock::wait_until(double time_s) const {
  wake_on_time();
  const auto until =
      begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_s));
  while (!cancelled()) {
    const auto now = Clock::now();
    if (now >= until) return;
    std::this_thread::sleep_until(std::min(until, now + nap));
  }
}

double thread_time_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

ThrottledBus::ThrottledBus(std::optional<MachineModel> machine, bool paced, const RunClock& clock)
    : machine_(std::move(machine)), paced_(paced), clock_(clock) {
  if (machine_) routes_.emplace(*machine_);
  reset();
}

void ThrottledBus::reset() {
  const std::lock_guard lock(mutex_);
  if (!machine_) return;
  bus_free_s_.assign(machine_->buses(), 0);
  const std::size_t processors = machine_->processors.size();
  link_free_s_.assign(2 * processors, 0);
  peer_free_s_.assign(routes_->lines(), 0);
}

ThrottledBus::Call ThrottledBus::ask(std::size_t link, std::byte* to, const std::byte* from,
                                     std::size_t bytes, double ready_s) {
  Call call{link, to, from, bytes, ready_s, {ready_s, ready_s}};
  if (!machine_ || machine_->sharing != BusSharing::fifo) return call;
  call.free_s.push_back(&bus_free_s_[bus_of(link)]);
  take_turn(call, machine_->latency_s, std::min(bus_rate(link), link_rate(link)));
  return call;
}

ThrottledBus::Call ThrottledBus::ask_peer(std::size_t lender, std::size_t borrower, std::byte* to,
                                          const std::byte* from, std::size_t bytes,
                                          double ready_s) {
  Call call{borrower, to, from, bytes, ready_s, {ready_s, ready_s}};
  if (!machine_) return call;
  const PeerPath path = routes_->between(lender, borrower);
  if (path.over == PeerPath::Over::bus && machine_->sharing != BusSharing::fifo) {
    call.from_link = lender + machine_->processors.size();
    return call;
  }
  for (const std::uint64_t line : path.lines()) call.free_s.push_back(&peer_free_s_[line]);
  if (path.over == PeerPath::Over::bus) {
    call.free_s.push_back(&bus_free_s_[bus_of(borrower)]);
    if (!machine_->duplex && bus_of(lender) != bus_of(borrower)) {
      call.free_s.push_back(&bus_free_s_[bus_of(lender)]);
    }
  }
  take_turn(call, path.latency_s, path.bytes_per_s);
  return call;
}

void ThrottledBus::take_turn(Call& call, double latency_s, double rate) {
  const std::lock_guard lock(mutex_);
  call.turn.begin_s = call.ready_s;
  for (const double* const free_s : call.free_s) {
    call.turn.begin_s = std::max(call.turn.begin_s, *free_s);
  }
  call.turn.end_s = call.turn.begin_s + latency_s + static_cast<double>(call.bytes) / rate;
  for (double* const free_s : call.free_s) *free_s = call.turn.end_s;
}

Interval ThrottledBus::copy(const Call& call) {
  if (!machine_) return copy_free(call);
  if (!call.free_s.empty()) return copy_in_turn(call);
  const std::size_t chunk =
      std::max(least_chunk_bytes, static_cast<std::size_t>(bus_rate(call.link) * chunk_s));
  double end_s = call.ready_s + machine_->latency_s;
  for (std::size_t done = 0; done < call.bytes && !clock_.cancelled(); done += chunk) {
    const std::size_t size = std::min(chunk, call.bytes - done);
    const double before_s = thread_time_s();
    std::memcpy(call.to + done, call.from + done, size);
    end_s = reserve(call, end_s, static_cast<double>(size), thread_time_s() - before_s);
    clock_.wait_until(end_s);
  }
  return {call.ready_s, end_s};
}

Interval ThrottledBus::copy_in_turn(const Call& call) {
  const double before_s = thread_time_s();
  std::memcpy(call.to, call.from, call.bytes);
  const double slowest_s = call.turn.begin_s + thread_time_s() - before_s;
  const double end_s = std::max(call.turn.end_s, slowest_s);
  if (slowest_s > call.turn.end_s) {  // those who asked since have their turns already
    const std::lock_guard lock(mutex_);
    for (double* const free_s : call.free_s) *free_s = std::max(*free_s, end_s);
  }
  clock_.wait_until(end_s);
  return {call.ready_s, end_s};
}

Interval ThrottledBus::copy_free(const Call& call) const {
  const double begin_s = paced_ ? thread_time_s() : clock_.now_s();
  std::memcpy(call.to, call.from, call.bytes);
  if (!paced_) return {begin_s, clock_.now_s()};
  return {call.ready_s, call.ready_s + (thread_time_s() - begin_s)};
}

double ThrottledBus::link_rate(std::size_t link) const {
  return machine_->processors[link % machine_->processors.size()].link_bytes_per_s;
}

std::size_t ThrottledBus::bus_of(std::size_t link) const {
  return machine_->processors[link % machine_->processors.size()].bus;
}

double ThrottledBus::bus_rate(std::size_t link) const { return machine_->bus_rate(bus_of(link)); }

/// The end of a chunk that could start at `arrival_s`, took `at_least_s` to copy, and now has the
/// buses and the links it goes over: of a lender's bus, unless the way to host memory has none, as
/// long as that of the borrower, and after it where both are one.
double ThrottledBus::reserve(const Call& call, double arrival_s, double bytes, double at_least_s) {
  const std::lock_guard lock(mutex_);
  double& bus_free_s = bus_free_s_[bus_of(call.link)];
  double& link_free_s = link_free_s_[call.link];
  double begin_s = std::max({arrival_s, bus_free_s, link_free_s});
  if (call.from_link) begin_s = std::max(begin_s, link_free_s_[*call.from_link]);
  const bool same = call.from_link && bus_of(*call.from_link) == bus_of(call.link);
  const bool twice = same && !machine_->duplex && !machine_->peers_cross_once;
  const bool home_too = call.from_link && !machine_->duplex && (twice || !same);
  if (home_too && !twice) begin_s = std::max(begin_s, bus_free_s_[bus_of(*call.from_link)]);
  bus_free_s = begin_s + std::max((twice ? 2 : 1) * bytes / bus_rate(call.link), at_least_s);
  if (home_too && !twice) {
    bus_free_s_[bus_of(*call.from_link)] = begin_s + bytes / bus_rate(*call.from_link);
  }
  link_free_s = begin_s + bytes / link_rate(call.link);
  double end_s = std::max(bus_free_s, link_free_s);
  if (call.from_link) {
    const double out_rate = std::min(link_rate(*call.from_link), bus_rate(*call.from_link));
    link_free_s_[*call.from_link] = begin_s + bytes / out_rate;
    end_s = std::max(end_s, link_free_s_[*call.from_link]);
  }
  return end_s;
}

}  // namespace damocles
