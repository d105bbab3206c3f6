#include "orders/turn_index.hpp"

#include <algorithm>
#include <utility>

namespace damocles {

void TurnIndex::start(std::span<const Index> turn, std::uint64_t tasks) {
  tasks_ = tasks;
  ready_ = turn.size() >= packages_.count() / 4 && list_waiting(turn) && list_pairs();
}

bool TurnIndex::list_data(Index package, std::vector<Index>& list) const {
  list.clear();
  packages_.for_each_data(package, [&](Index data) { list.push_back(data); });
  return list.size() <= most_data;
}

bool TurnIndex::list_waiting(std::span<const Index> turn) {
  waiting_.assign(packages_.data(), {});
  std::size_t edges = 0;
  for (const Index package : turn) {
    packages_.for_each_data(package, [&](Index data) {
      ++waiting_[data].end;
      ++edges;
    });
  }
  double visits = 0;  // that counting what is shared would take, among those in turn alone
  std::size_t begin = 0;
  for (auto& waiting : waiting_) {
    const auto readers = waiting.end;
    visits += static_cast<double>(readers) * static_cast<double>(readers);
    waiting.begin = waiting.end = begin;
    begin += readers;
  }
  constexpr double least_gain = 8;
  if (visits < least_gain * static_cast<double>(edges)) return false;
  in_turn_.resize(edges);
  for (const Index package : turn) {
    packages_.for_each_data(package, [&](Index data) { in_turn_[waiting_[data].end++] = package; });
  }
  return true;
}

bool TurnIndex::list_pairs() {
  together_.reset(packages_.count());
  constexpr std::size_t at_once = 64;  // pairs, which are fetched before the first is added
  std::vector<std::pair<Index, Index>> pairs;
  const auto add_all = [&] {
    for (const auto& [a, b] : pairs) together_.add(a, b);
    pairs.clear();
  };
  for (Index package = 0; package < packages_.all(); ++package) {
    if (!packages_.alive(package)) continue;
    if (!list_data(package, mine_)) return false;
    for_each_pair(mine_, [&](Index a, Index b) {
      together_.expect(a, b);
      pairs.emplace_back(a, b);
    });
    if (pairs.size() >= at_once) add_all();
  }
  add_all();
  return true;
}

void TurnIndex::expect(Index package) {
  if (!ready_ || !packages_.alive(package) || !list_data(package, others_)) return;
  for_each_pair(others_, [&](Index a, Index b) { together_.expect(a, b); });
}

void TurnIndex::before_merge(Index into, Index from) {
  if (!ready_) return;
  ready_ = list_data(into, mine_) && list_data(from, others_);
  if (!ready_) return;
  const auto has = [](const auto& list, Index data) {
    return std::find(list.begin(), list.end(), data) != list.end();
  };
  for (const Index mine : mine_) {
    if (has(others_, mine)) continue;
    for (const Index other : others_) {
      if (!has(mine_, other)) together_.add(mine, other);
    }
  }
}

bool TurnIndex::shares_one_at_most() {
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (together_.is_repeated(mine_[i], mine_[j])) return false;
    }
  }
  return true;
}

std::optional<Packages::Sharer> TurnIndex::partner(Index package, std::uint64_t memory_bytes) {
  if (!ready_ || !list_data(package, mine_) || !shares_one_at_most()) return {};
  std::uint64_t heaviest = 0;
  for (const Index data : mine_) heaviest = std::max(heaviest, packages_.bytes(data));
  Index best = Packages::none;
  for (const Index data : mine_) {
    if (packages_.bytes(data) < heaviest) continue;
    best = std::min(best, first_waiting(data, package, memory_bytes));
  }
  if (best == Packages::none) return {};
  return Packages::Sharer{best, heaviest};
}

TurnIndex::Index TurnIndex::first_waiting(Index data, Index package, std::uint64_t memory_bytes) {
  Waiting& waiting = waiting_[data];
  while (waiting.begin < waiting.end && !waits(in_turn_[waiting.begin])) ++waiting.begin;
  const std::uint64_t mine = packages_.weight(package) - packages_.bytes(data);
  for (std::size_t at = waiting.begin; at < waiting.end; ++at) {
    const Index other = in_turn_[at];
    if (other == package || !waits(other)) continue;
    const std::uint64_t theirs = packages_.weight(other);
    if (mine <= memory_bytes && theirs <= memory_bytes - mine) return other;
  }
  return Packages::none;
}

}  // namespace damocles
