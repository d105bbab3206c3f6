#include "orders/packages.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace damocles {
namespace {

constexpr std::uint64_t dead = std::numeric_limits<std::uint64_t>::max();

/// Slots are visited far apart, and each visit is short: what comes so many later is fetched now.
constexpr std::size_t ahead = 16;

}  // namespace

Packages::Packages(const TaskGraph& graph, std::span<const Index> order)
    : count_(graph.tasks()),
      slot_of_(graph.tasks()),
      slots_(graph.tasks()),
      chains_(graph.tasks()),
      data_of_(graph.edges()),
      next_(graph.edges()),
      bytes_(graph.parts().bytes),
      holders_(graph.data()),
      common_(graph.data(), 0) {
  Index edge = 0;
  for (Index data = 0; data < graph.data(); ++data)
    holders_[data].reserve(graph.users(data).size());
  for (Index package = 0; package < order.size(); ++package) {
    slot_of_[package] = package;
    slots_[package] = {0, graph.footprint(order[package]), 1, package};
    chains_[package] = {none, none, 0};
    for (const Index data : graph.inputs(order[package])) {
      data_of_[edge] = data;
      append(chains_[package], edge++);
      holders_[data].push_back(package);
    }
  }
}

void Packages::append(Chain& chain, Index edge) {
  next_[edge] = none;
  (chain.data++ == 0 ? chain.first : next_[chain.last]) = edge;
  chain.last = edge;
}

void Packages::count_shared(Index package) {
  touched_.clear();
  std::size_t visited = 0;
  for (Index edge = chains_[slot_of_[package]].first; edge != none; edge = next_[edge]) {
    const Index data = data_of_[edge];
    const std::uint64_t bytes = bytes_[data];
    auto& holders = holders_[data];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < holders.size(); ++i) {
      if (i + ahead < holders.size()) __builtin_prefetch(&slots_[holders[i + ahead]], 1);
      const Index at = holders[i];
      Slot& slot = slots_[at];
      if (slot.shared == dead) continue;
      holders[kept++] = at;
      if (slot.shared == 0) touched_.push_back(at);
      slot.shared += bytes;
    }
    holders.resize(kept);
    visited += kept;
  }
  visited_ = visited;
}

void Packages::merge(Index into, Index from) {
  const bool grows = chains_[slot_of_[into]].data >= chains_[slot_of_[from]].data;
  const Index large = slot_of_[grows ? into : from];
  const Index small = slot_of_[grows ? from : into];
  Slot& kept = slots_[large];
  Slot& gone = slots_[small];
  Chain& kept_data = chains_[large];
  const Chain& gone_data = chains_[small];
  // What the two share is found in the data of the larger or among the holders of the smaller's:
  // either way in no more steps than count_shared(into) took, or in few.
  constexpr std::size_t few = 16;
  ++merges_;
  if (grows || kept_data.data <= std::max(visited_, few)) {
    for (Index edge = kept_data.first; edge != none; edge = next_[edge]) {
      common_[data_of_[edge]] = merges_;
    }
  } else {
    for (Index edge = gone_data.first; edge != none; edge = next_[edge]) {
      const auto& holders = holders_[data_of_[edge]];
      const bool both = std::find(holders.begin(), holders.end(), large) != holders.end();
      if (both) common_[data_of_[edge]] = merges_;
    }
  }
  kept.weight += gone.weight;
  for (Index edge = gone_data.first; edge != none;) {
    const Index data = data_of_[edge];
    const Index after = next_[edge];
    if (common_[data] == merges_) {
      kept.weight -= bytes_[data];
    } else if (bytes_[data] != 0) {
      append(kept_data, edge);
      holders_[data].push_back(large);
    }
    edge = after;
  }
  kept.tasks += gone.tasks;
  kept.package = into;
  gone.shared = dead;
  slot_of_[into] = large;
  slot_of_[from] = none;
  --count_;
}
void Packages::drop_dead_holders(Index data) {
  std::erase_if(holders_[data], [&](Index slot) { return slots_[slot].shared == dead; });
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

void Packages::drop_dead_slots() {
  std::vector<Index> now(slots_.size(), none);
  Index alive = 0;
  for (Index slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].shared == dead) continue;
    slots_[alive] = slots_[slot];
    chains_[alive] = chains_[slot];
    now[slot] = alive++;
  }
  slots_.resize(alive);
  chains_.resize(alive);
  for (Index slot = 0; slot < alive; ++slot) slot_of_[slots_[slot].package] = slot;
  for (auto& holders : holders_) {
    for (Index& slot : holders) slot = now[slot];
  }
}

void Packages::drop_replaced_data() {
  std::vector<Index> data_of;  // slot after slot, so that walks are in order again
  data_of.reserve(data_of_.size());
  for (Chain& chain : chains_) {
    const auto first = static_cast<Index>(data_of.size());
    for (Index edge = chain.first; edge != none; edge = next_[edge]) {
      if (bytes_[data_of_[edge]] != 0) data_of.push_back(data_of_[edge]);
    }
    const auto data = static_cast<Index>(data_of.size() - first);
    chain = data == 0 ? Chain{none, none, 0} : Chain{first, first + data - 1, data};
  }
  data_of_ = std::move(data_of);
  next_.resize(data_of_.size());
  std::iota(next_.begin(), next_.end(), Index{1});
  for (const Chain& chain : chains_) {
    if (chain.data > 0) next_[chain.last] = none;
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
  drop_dead_slots();
  drop_replaced_data();
}

}  // namespace damocles
