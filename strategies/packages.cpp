#include "strategies/packages.hpp"

#include <algorithm>
#include <limits>

namespace damocles {
namespace {

constexpr std::uint64_t dead = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Packages::Packages(const Bipartite& graph, std::span<const Index> order)
    : count_(graph.tasks()),
      slot_of_(graph.tasks()),
      slots_(graph.tasks()),
      data_of_(graph.edges()),
      next_(graph.edges()),
      bytes_(graph.parts().bytes),
      holders_(graph.data()),
      shared_(graph.tasks(), 0),
      common_(graph.data(), 0) {
  Index edge = 0;
  for (Index data = 0; data < graph.data(); ++data)
    holders_[data].reserve(graph.users(data).size());
  for (Index package = 0; package < order.size(); ++package) {
    slot_of_[package] = package;
    Slot& slot = slots_[package];
    slot = {package, none, none, 0, 1, graph.footprint(order[package])};
    for (const Index data : graph.inputs(order[package])) {
      data_of_[edge] = data;
      append(slot, edge++);
      holders_[data].push_back(package);
    }
  }
}

void Packages::append(Slot& slot, Index edge) {
  next_[edge] = none;
  (slot.data++ == 0 ? slot.first : next_[slot.last]) = edge;
  slot.last = edge;
}

std::span<const Packages::Sharer> Packages::sharers(Index package) {
  const Index self = slot_of_[package];
  touched_.clear();
  std::size_t visited = 0;
  for (Index edge = slots_[self].first; edge != none; edge = next_[edge]) {
    const Index data = data_of_[edge];
    const std::uint64_t bytes = bytes_[data];
    auto& holders = holders_[data];
    std::size_t kept = 0;
    for (const Index slot : holders) {
      if (shared_[slot] == dead) continue;
      holders[kept++] = slot;
      if (shared_[slot] == 0) touched_.push_back(slot);
      shared_[slot] += bytes;
    }
    holders.resize(kept);
    visited += kept;
  }
  visited_ = visited;
  sharers_.clear();
  for (const Index slot : touched_) {
    if (slot != self) sharers_.push_back({slots_[slot].package, shared_[slot]});
    shared_[slot] = 0;
  }
  return sharers_;
}

void Packages::merge(Index into, Index from) {
  const bool grows = slots_[slot_of_[into]].data >= slots_[slot_of_[from]].data;
  const Index large = slot_of_[grows ? into : from];
  const Index small = slot_of_[grows ? from : into];
  Slot& kept = slots_[large];
  const Slot& gone = slots_[small];
  // What the two share is found in the data of the larger or among the holders of the smaller's:
  // either way in no more steps than sharers(into) took, or in few.
  constexpr std::size_t few = 16;
  ++merges_;
  if (grows || kept.data <= std::max(visited_, few)) {
    for (Index edge = kept.first; edge != none; edge = next_[edge]) {
      common_[data_of_[edge]] = merges_;
    }
  } else {
    for (Index edge = gone.first; edge != none; edge = next_[edge]) {
      const auto& holders = holders_[data_of_[edge]];
      const bool both = std::find(holders.begin(), holders.end(), large) != holders.end();
      if (both) common_[data_of_[edge]] = merges_;
    }
  }
  kept.weight += gone.weight;
  for (Index edge = gone.first; edge != none;) {
    const Index data = data_of_[edge];
    const Index after = next_[edge];
    if (common_[data] == merges_) {
      kept.weight -= bytes_[data];
    } else if (bytes_[data] != 0) {
      append(kept, edge);
      holders_[data].push_back(large);
    }
    edge = after;
  }
  kept.tasks += gone.tasks;
  kept.package = into;
  shared_[small] = dead;
  slot_of_[into] = large;
  slot_of_[from] = none;
  --count_;
}
void Packages::drop_dead_holders(Index data) {
  std::erase_if(holders_[data], [&](Index slot) { return shared_[slot] == dead; });
}

std::vector<Packages::Index> Packages::data_by_holders() {
  std::vector<std::uint64_t> hash(bytes_.size(), 0);
  std::vector<Index> found;
  for (Index data = 0; data < bytes_.size(); ++data) {
    if (bytes_[data] == 0) continue;
    drop_dead_holders(data);
    auto& holders = holders_[data];
    if (!std::is_sorted(holders.begin(), holders.end())) std::sort(holders.begin(), holders.end());
    for (const Index slot : holders) {  // a sum of squares of odd numbers, spread
      const std::uint64_t spread = (2 * std::uint64_t{slot} + 1) * 0x9e3779b97f4a7c15U;
      hash[data] += spread * (spread >> 32U | 1U);
    }
    found.push_back(data);
  }
  std::sort(found.begin(), found.end(),
            [&](Index a, Index b) { return hash[a] != hash[b] ? hash[a] < hash[b] : a < b; });
  return found;
}

void Packages::drop_replaced_data(Slot& slot) {
  Index edge = slot.first;
  slot.first = slot.last = none;
  slot.data = 0;
  while (edge != none) {
    const Index after = next_[edge];
    if (bytes_[data_of_[edge]] != 0) append(slot, edge);
    edge = after;
  }
}

void Packages::unify_data() {
  Index stands = none;
  for (const Index data : data_by_holders()) {
    if (holders_[data].size() < 2) {  // shared with nobody, now and later
      bytes_[data] = 0;
      holders_[data] = {};
    } else if (stands != none && holders_[data] == holders_[stands]) {
      bytes_[stands] += bytes_[data];
      bytes_[data] = 0;
      holders_[data] = {};
    } else {
      stands = data;
    }
  }
  for (const Index slot : slot_of_) {
    if (slot != none) drop_replaced_data(slots_[slot]);
  }
}

}  // namespace damocles
