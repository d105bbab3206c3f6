#include "orders/packing.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "models/error.hpp"
#include "orders/package_ends.hpp"
#include "orders/packages.hpp"
#include "orders/task_chains.hpp"
#include "orders/task_orders.hpp"
#include "orders/turn_index.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
using Chain = TaskChains::Chain;

constexpr Index no_package = Packages::none;
constexpr std::size_t fetched_ahead = 8;  // packages of a round, whose data lie far apart
constexpr auto unbounded = std::numeric_limits<std::uint64_t>::max();

/// Packages, the order of their tasks, and the rounds that merge them.
class Packing {
 public:
  Packing(const TaskGraph& graph, std::uint64_t memory_bytes, const PackingOptions& options)
      : Packing(graph, memory_bytes, options,
                options.sorted ? by_inputs(graph) : as_submitted(graph)) {}

  void merge_until(std::size_t packages) {
    for (const bool bounded : {true, false}) {
      queue_alive();
      while (packages_.count() > packages && smallest_waiting() != nullptr) {
        const bool merged = round(bounded, packages);
        if (!merged && literal()) break;
      }
    }
  }

  [[nodiscard]] std::vector<std::vector<Index>> lists() const {
    std::vector<std::vector<Index>> lists;
    lists.reserve(packages_.count());
    for (Index package = 0; package < chain_of_.size(); ++package) {
      if (!packages_.alive(package)) continue;
      auto& list = lists.emplace_back();
      list.reserve(packages_.tasks(package));
      chains_.walk(chain_of_[package], [&](Index task) {
        list.push_back(task);
        return true;
      });
    }
    return lists;
  }

 private:
  Packing(const TaskGraph& graph, std::uint64_t memory_bytes, const PackingOptions& options,
          const std::vector<Index>& order)
      : options_(options),
        memory_bytes_(memory_bytes),
        packages_(graph, order),
        index_(packages_),
        chains_(graph.tasks()),
        ends_(graph, chains_, memory_bytes),
        chain_of_(graph.tasks()),
        next_alive_(graph.tasks() + 1) {
    for (Index i = 0; i < order.size(); ++i) chain_of_[i] = {order[i], order[i]};
    std::iota(next_alive_.begin(), next_alive_.end(), Index{0});
  }

  [[nodiscard]] bool literal() const {
    return options_.partner == PackingOptions::Partner::literal;
  }

  /// Every package waits for its turn, by its number of tasks.
  void queue_alive() {
    by_tasks_.clear();
    for (Index i = first_alive(0); i < chain_of_.size(); i = first_alive(i + 1)) {
      by_tasks_[packages_.tasks(i)].push_back(i);
    }
  }

  /// Merges every package that has the fewest tasks with its partner; false if none has one.
  bool round(bool bounded, std::size_t packages) {
    const auto tasks = by_tasks_.begin()->first;
    turn_ = std::move(by_tasks_.begin()->second);
    by_tasks_.erase(by_tasks_.begin());
    std::sort(turn_.begin(), turn_.end());
    if (packages_.count() <= unified_at_ / 4 * 3) {
      packages_.unify_data();
      unified_at_ = packages_.count();
    }
    if (!literal()) index_.start(turn_, tasks);
    bool merged = false;
    for (at_ = 0; at_ < turn_.size() && packages_.count() > packages; ++at_) {
      const Index i = turn_[at_];
      if (at_ + fetched_ahead < turn_.size()) index_.expect(turn_[at_ + fetched_ahead]);
      if (!waits(i, tasks)) continue;
      const auto partner = literal() ? literal_partner(i, bounded) : fair_partner(i, bounded);
      if (partner.package == no_package) {
        // Algorithm 1 lets it try again each round; what fits with nobody now never will.
        if (literal()) by_tasks_[tasks].push_back(i);
        continue;
      }
      merge(i, partner);
      merged = true;
    }
    return merged;
  }

  [[nodiscard]] bool waits(Index package, std::uint64_t tasks) const {
    return packages_.alive(package) && packages_.tasks(package) == tasks;
  }

  [[nodiscard]] bool fits(Index package, const Packages::Sharer& other) const {
    return packages_.weight(package) + packages_.weight(other.package) - other.bytes <=
           memory_bytes_;
  }

  Packages::Sharer literal_partner(Index package, bool bounded) {
    Packages::Sharer best{no_package, 0};
    packages_.for_each_sharer(package, [&](const Packages::Sharer& other, auto, auto) {
      if (other.bytes > best.bytes || (other.bytes == best.bytes && other.package < best.package)) {
        best = other;
      }
    });
    if (best.package == no_package) {
      best.package = first_alive(0);
      if (best.package == package) best.package = first_alive(package + 1);
    }
    if (bounded && !fits(package, best)) return {no_package, 0};
    return best;
  }

  Packages::Sharer fair_partner(Index package, bool bounded) {
    const auto known = index_.partner(package, bounded ? memory_bytes_ : unbounded);
    if (known) return *known;
    Packages::Sharer best{no_package, 0};
    std::uint64_t best_tasks = 0;
    const std::uint64_t mine = packages_.weight(package);
    const auto visit = [&](const Packages::Sharer& other, std::uint64_t tasks,
                           std::uint64_t weight) {
      if (other.bytes < best.bytes) return;
      const bool better = other.bytes > best.bytes || tasks < best_tasks ||
                          (tasks == best_tasks && other.package < best.package);
      if (!better || (bounded && mine + weight - other.bytes > memory_bytes_)) return;
      best = other;
      best_tasks = tasks;
    };
    packages_.for_each_sharer(package, visit);
    if (best.package == no_package && !bounded) best.package = smallest_other();
    return best;
  }

  /// Of the packages but the one in turn, the lowest of those with the fewest tasks. In an
  /// unbounded round those before it in turn have merged.
  Index smallest_other() {
    const auto tasks = packages_.tasks(turn_[at_]);
    for (auto next = at_ + 1; next < turn_.size(); ++next) {
      if (waits(turn_[next], tasks)) return turn_[next];
    }
    const auto* waiting = smallest_waiting();
    return *std::min_element(waiting->begin(), waiting->end());
  }

  /// The packages with the fewest tasks of those that wait, nothing if none does.
  const std::vector<Index>* smallest_waiting() {
    while (!by_tasks_.empty()) {
      auto& [tasks, waiting] = *by_tasks_.begin();
      std::erase_if(waiting, [&, tasks = tasks](Index i) { return !waits(i, tasks); });
      if (!waiting.empty()) return &waiting;
      by_tasks_.erase(by_tasks_.begin());
    }
    return nullptr;
  }

  void merge(Index into, const Packages::Sharer& partner) {
    const Index from = partner.package;
    Chain& front = chain_of_[into];
    Chain& back = chain_of_[from];
    // Where nothing is shared or both fit in memory, so that their ends are all they have, all four
    // pairs of ends share the same.
    const bool turns =
        options_.flip && partner.bytes > 0 &&
        (packages_.weight(into) > memory_bytes_ || packages_.weight(from) > memory_bytes_);
    index_.before_merge(into, from);
    packages_.merge(into, from);
    if (turns) ends_.turn(front, back);
    front = chains_.join(front, back);
    next_alive_[from] = from + 1;
    by_tasks_[packages_.tasks(into)].push_back(into);
  }

  /// The lowest package from `package` on, the number of tasks if there is none.
  Index first_alive(Index package) {
    while (next_alive_[package] != package) {
      package = next_alive_[package] = next_alive_[next_alive_[package]];
    }
    return package;
  }

  PackingOptions options_;
  std::uint64_t memory_bytes_;
  Packages packages_;
  TurnIndex index_;
  TaskChains chains_;
  PackageEnds ends_;
  std::vector<Chain> chain_of_;                           // by package
  std::vector<Index> next_alive_;                         // by package, itself if alive
  std::map<std::uint64_t, std::vector<Index>> by_tasks_;  // packages that wait; may name dead ones
  std::vector<Index> turn_;                               // packages of the round
  std::uint64_t unified_at_ = unbounded;                  // packages at the latest
  std::size_t at_ = 0;                                    // in `turn_`
};

}  // namespace

PackingOptions packing_options(const Spec& spec) {
  return {.flip = spec.word("flip") != "false",
          .partner = spec.word("partner") == "literal" ? PackingOptions::Partner::literal
                                                       : PackingOptions::Partner::fair,
          .sorted = spec.word("sorted") != "false"};
}

std::vector<std::vector<Index>> pack(const TaskGraph& graph, std::uint64_t memory_bytes,
                                     std::size_t packages, const PackingOptions& options) {
  if (packages == 0) throw InvalidInput("0 packages to pack tasks into; give at least 1");
  Packing packing(graph, memory_bytes, options);
  packing.merge_until(packages);
  return packing.lists();
}

}  // namespace damocles
