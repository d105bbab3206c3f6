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
        most_(std::max<std::size_t>(1, most_rehearsed / graph.tasks())),
        surely_fast_s_(tolerance * least_s(paces.size()) * (1 - rounding)) {}

  /// Leaves out those that make no difference to best().
  /// @param orders  the fewest bytes first
  /// @return        those left out
  std::span<const PanelOrder> rehearse_first(std::span<const PanelOrder> orders) {
    while (!orders.empty() && !is_decided(orders.front().bytes)) {
      rehearse(orders.first(1));
      orders = orders.subspan(1);
    }
    return orders;
  }

  /// @param orders  the fewest bytes first
  void rehearse(std::span<const PanelOrder> orders) {
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
    return all_.size() < most_ && least_s(used) < fastest_s_;
  }

  std::vector<PacedOrder> best() { return std::move(best_so_far()->plans); }

 private:
  struct Rehearsed {
    std::vector<PacedOrder> plans;
    double makespan_s;
    std::uint64_t bytes;
  };
  static constexpr double rounding = 1e-9;

  /// What the first `used` processors take at least.
  [[nodiscard]] double least_s(std::size_t used) const {
    double flops_per_s = 0;
    for (const Pace& pace : paces_.first(used)) flops_per_s += pace.flops_per_s;
    return graph_.total_flops() / flops_per_s;
  }

  /// Whether the best so far stays it, whatever is known of orders of so many bytes or more: it is
  /// fast enough however fast these are.
  [[nodiscard]] bool is_decided(std::uint64_t bytes) {
    if (all_.empty()) return false;
    const auto best = best_so_far();
    return best->bytes < bytes && best->makespan_s <= surely_fast_s_;
  }

  /// @pre some order was rehearsed
  std::vector<Rehearsed>::iterator best_so_far() {
    const auto rank = [&](const Rehearsed& one) {
      return std::tuple(one.makespan_s > tolerance * fastest_s_, one.bytes, one.makespan_s);
    };
    return std::min_element(all_.begin(), all_.end(), [&](const Rehearsed& a, const Rehearsed& b) {
      return rank(a) < rank(b);
    });
  }

  const TaskGraph& graph_;
  std::uint64_t memory_bytes_;
  std::span<const Pace> paces_;
  double bus_bytes_per_s_;
  std::size_t most_;  // to rehearse
  double surely_fast_s_;
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
  const auto orders = split_orders(graph, sequences, memory_bytes, speeds);
  const auto left_out = choice.rehearse_first(orders);
  // How fast they are decides whether fewer processors may gain.
  if (processors > 1 && choice.may_gain(processors - 1)) choice.rehearse(left_out);
  for (std::size_t used = processors - 1; used > 0 && choice.may_gain(used); --used) {
    speeds.resize(used);
    auto fewer = split_orders(graph, sequences, memory_bytes, speeds);
    for (PanelOrder& order : fewer) order.parts.resize(processors);
    choice.rehearse(fewer);
  }
  return choice.best();
}

}  // namespace damocles
