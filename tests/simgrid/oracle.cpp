#include "tests/simgrid/oracle.hpp"

#include <array>
#include <map>
#include <memory>
#include <queue>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>

namespace damocles::simgrid {
namespace {

namespace s4u = ::simgrid::s4u;
using Kind = RunEvent::Kind;

/// What SimGrid adds to what our engine models: of CM02, its plainest model of flows, all factors 1
/// and no window of TCP; amounts are brought up to date at every event.
constexpr std::array settings{"network/model:CM02",       "network/optim:Full",
                              "network/crosstraffic:0",   "network/TCP-gamma:0",
                              "network/latency-factor:1", "network/bandwidth-factor:1",
                              "network/weight-S:0",       "cpu/optim:Full",
                              "surf/precision:1e-12",     "maxmin/precision:1e-6"};

/// So many units of work a second a host does: amounts below 1e-9 count as nothing.
constexpr double host_speed = 1e9;

/// One thing to do on an engine, and when it was done.
struct Order {
  double work = 0;  ///< [s] of computing, else bytes
  s4u::SemaphorePtr done = s4u::Semaphore::create(0);
  double end_s = 0;
};
using OrderPtr = std::shared_ptr<Order>;

/// An engine of a processor: an actor that does what it is told, in that order.
class Engine {
 public:
  /// Computes on the host.
  Engine(const std::string& name, s4u::Host* host) {
    start(name, host, [](double seconds) { s4u::this_actor::execute(seconds * host_speed); });
  }
  /// Copies from one to the other.
  Engine(const std::string& name, s4u::Host* from, s4u::Host* to) {
    start(name, to, [from, to](double bytes) {
      s4u::Comm::sendto(from, to, static_cast<std::uint64_t>(bytes));
    });
  }

  void tell(const OrderPtr& order) {
    state_->orders.push(order);
    state_->waiting->release();
  }

 private:
  struct State {
    std::queue<OrderPtr> orders;
    s4u::SemaphorePtr waiting = s4u::Semaphore::create(0);
  };

  template <typename Do>
  void start(const std::string& name, s4u::Host* host, Do&& how) {
    const auto actor =
        s4u::Actor::create(name, host, [state = state_, how = std::forward<Do>(how)] {
          while (true) {
            state->waiting->acquire();
            const OrderPtr order = state->orders.front();
            state->orders.pop();
            how(order->work);
            order->end_s = s4u::Engine::get_clock();
            order->done->release();
          }
        });
    actor->daemonize();  // the simulation ends without it
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// The hosts and engines of one run.
class Machine {
 public:
  Machine(s4u::NetZone* zone, const std::string& name, const MachineModel& limits)
      : home_(zone->create_host(name + "-home", host_speed)) {
    for (std::size_t bus = 0; bus < limits.buses(); ++bus) {
      buses_.push_back(
          zone->create_link(name + "-bus" + std::to_string(bus), limits.bus_rate(bus)));
      buses_.back()->seal();
    }
    for (std::size_t p = 0; p < limits.processors.size(); ++p) add(zone, name, limits, p);
  }

  [[nodiscard]] s4u::Host* home() const { return home_; }
  Engine& computing(std::size_t p) { return *computing_[p]; }
  Engine& copying(std::size_t p, bool out) { return *(out ? out_[p] : in_[p]); }

 private:
  void add(s4u::NetZone* zone, const std::string& name, const MachineModel& limits, std::size_t p) {
    const std::string own = name + "-" + std::to_string(p);
    s4u::Host* const host = zone->create_host(own, host_speed);
    computing_.push_back(std::make_unique<Engine>(own + "-computing", host));
    in_.emplace_back();
    out_.emplace_back();
    if (limits.processors[p].in_host_memory) return;
    const auto link = [&](const char* way) {
      auto* const made = zone->create_link(own + way, limits.home_rate(p));
      made->set_latency(limits.latency_s)->seal();
      return made;
    };
    s4u::Link* const bus = buses_[limits.processors[p].bus];
    std::vector<s4u::LinkInRoute> in{s4u::LinkInRoute(link("-in")), s4u::LinkInRoute(bus)};
    std::vector<s4u::LinkInRoute> out{s4u::LinkInRoute(link("-out"))};
    if (!limits.duplex) out.emplace_back(bus);
    zone->add_route(home_->get_netpoint(), host->get_netpoint(), nullptr, nullptr, in, false);
    zone->add_route(host->get_netpoint(), home_->get_netpoint(), nullptr, nullptr, out, false);
    in_[p] = std::make_shared<Engine>(own + "-in", home_, host);
    out_[p] = std::make_shared<Engine>(own + "-out", host, home_);
  }

  s4u::Host* home_;
  std::vector<s4u::Link*> buses_;
  std::vector<std::unique_ptr<Engine>> computing_;
  std::vector<std::shared_ptr<Engine>> in_;
  std::vector<std::shared_ptr<Engine>> out_;
};

/// Follows the recorded events. Runs as an actor.
void dispatch(const Recorded& run, Machine& machine, std::vector<double>& times) {
  std::map<std::pair<std::size_t, std::uint64_t>, OrderPtr> tasks;
  std::map<std::pair<std::size_t, std::uint64_t>, OrderPtr> loads;
  std::map<std::pair<std::size_t, std::uint64_t>, OrderPtr> returns;
  const auto bytes = [&](std::uint64_t data) {
    return static_cast<double>(run.workload.graph().bytes(static_cast<TaskGraph::Index>(data)));
  };
  const auto await = [](std::map<std::pair<std::size_t, std::uint64_t>, OrderPtr>& of,
                        const std::pair<std::size_t, std::uint64_t>& which) {
    const OrderPtr order = of.extract(which).mapped();
    order->done->acquire();
    return order->end_s;
  };
  for (const RunEvent& event : run.events) {
    const std::size_t p = raw(event.processor);
    const auto key = std::pair(p, event.id);
    const auto tell = [&](auto& of, Engine& engine, double work) {
      auto order = std::make_shared<Order>();
      order->work = work;
      of[key] = order;
      engine.tell(order);
    };
    double now = s4u::Engine::get_clock();
    switch (event.kind) {
      case Kind::load_started:
        tell(loads, machine.copying(p, false), bytes(event.id));
        break;
      case Kind::return_started:
        tell(returns, machine.copying(p, true), bytes(event.id));
        break;
      case Kind::task_started:
        tell(tasks, machine.computing(p),
             run.durations.s(p, static_cast<TaskGraph::Index>(event.id)));
        break;
      case Kind::load_ended:
        now = await(loads, key);
        break;
      case Kind::return_ended:
        now = await(returns, key);
        break;
      case Kind::task_ended:
        now = await(tasks, key);
        break;
      case Kind::joined:  // no machine here has teams of cores
      case Kind::left:
      case Kind::granted:
      case Kind::evicted:
      case Kind::created:
        break;
    }
    times.push_back(now);
  }
}

}  // namespace

std::vector<std::vector<double>> times_in_simgrid(const std::vector<Recorded>& runs) {
  std::string program = "oracle";
  std::string quiet = "--log=xbt_cfg.threshold:warning";
  std::vector<char*> words{program.data(), quiet.data(), nullptr};
  int count = 2;
  s4u::Engine engine(&count, words.data());
  for (const char* const setting : settings) s4u::Engine::set_config(setting);
  s4u::NetZone* const zone = s4u::create_full_zone("runs");
  std::vector<std::unique_ptr<Machine>> machines;
  std::vector<std::vector<double>> times(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    machines.push_back(
        std::make_unique<Machine>(zone, "run" + std::to_string(i), *runs[i].platform.machine));
  }
  zone->seal();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    s4u::Actor::create(
        "dispatcher" + std::to_string(i), machines[i]->home(),
        [&runs, &machines, &times, i] { dispatch(runs[i], *machines[i], times[i]); });
  }
  engine.run();
  return times;
}

}  // namespace damocles::simgrid
