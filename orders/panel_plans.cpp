#include "orders/panel_plans.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "orders/panel_order.hpp"

namespace damocles {
namespace {

/// Of two orders the slower is taken where it loads less and is slower by no more than this.
constexpr double tolerance = 1.02;
constexpr std::size_t most_rehearsed = 2'000'000;  // tasks of all orders together

class PanelChoice {
 public:
  PanelChoice(const TaskGraph& graph, std::uint64_t memory_bytes, std::span<const Pace> paces,
              double bus_bytes_per_s)
      : graph_(graph),
        memory_bytes_(memory_bytes),
        paces_(paces),
        bus_bytes_per_s_(bus_bytes_per_s),
        most_(std::max<std::size_t>(1, most_rehearsed / graph.tasks())) {}

  /// @param orders  the fewest bytes first
  void rehearse(const std::vector<PanelOrder>& orders) {
    for (const PanelOrder& order : orders) {
      // The bus needs its time whatever the order.
      const double bus_s = static_cast<double>(order.bytes) / bus_bytes_per_s_;
      if (all_.size() == most_ || bus_s >= fastest_s_) break;
      Rehearsed one{paced_together(graph_, order.parts, memory_bytes_, paces_, bus_bytes_per_s_),
                    bus_s, order.bytes};
      for (const PacedOrder& plan : one.plans) {
        one.makespan_s = std::max(one.makespan_s, plan.makespan_s);
      }
      fastest_s_ = std::min(fastest_s_, one.makespan_s);
      all_.push_back(std::move(one));
    }
  }

  /// Whether the first `used` processors alone could compute all in less time than the fastest
  /// takes.
  [[nodiscard]] bool may_gain(std::size_t used) const {
    double flops_per_s = 0;
    for (const Pace& pace : paces_.first(used)) flops_per_s += pace.flops_per_s;
    return all_.size() < most_ && graph_.total_flops() / flops_per_s < fastest_s_;
  }

  std::vector<PacedOrder> best() {
    std::erase_if(all_,
                  [&](const Rehearsed& one) { return one.makespan_s > tolerance * fastest_s_; });
    return std::move(
        std::min_element(all_.begin(), all_.end(), [](const Rehearsed& a, const Rehearsed& b) {
          return std::tie(a.bytes, a.makespan_s) < std::tie(b.bytes, b.makespan_s);
        })->plans);
  }

 private:
  struct Rehearsed {
    std::vector<PacedOrder> plans;
    double makespan_s;
    std::uint64_t bytes;
  };

  const TaskGraph& graph_;
  std::uint64_t memory_bytes_;
  std::span<const Pace> paces_;
  double bus_bytes_per_s_;
  std::size_t most_;  // to rehearse
  double fastest_s_ = std::numeric_limits<double>::infinity();
  std::vector<Rehearsed> all_;
};

}  // namespace

std::vector<PacedOrder> panel_plans(const TaskGraph& graph, std::uint64_t memory_bytes,
                                    std::span<const Pace> paces, double bus_bytes_per_s) {
  const std::size_t processors = paces.size();
  const auto sequences = panel_sequences(graph, memory_bytes, processors);
  PanelChoice choice(graph, memory_bytes, paces, bus_bytes_per_s);
  std::vector<double> speeds;
  for (const Pace& pace : paces) {
    speeds.push_back(pace.flops_per_s > 0 ? pace.flops_per_s : 1);  // 0: tasks have no flops
  }
  choice.rehearse(split_orders(graph, sequences, memory_bytes, speeds));
  for (std::size_t used = processors - 1; used > 0 && choice.may_gain(used); --used) {
    speeds.resize(used);
    auto fewer = split_orders(graph, sequences, memory_bytes, speeds);
    for (PanelOrder& order : fewer) order.parts.resize(processors);
    choice.rehearse(fewer);
  }
  return choice.best();
}

}  // namespace damocles
