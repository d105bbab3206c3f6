#include "orders/package_ends.hpp"

#include <algorithm>

namespace damocles {
namespace {

TaskChains::Chain reversed(TaskChains::Chain chain) {
  chain.reverse();
  return chain;
}

}  // namespace

void PackageEnds::turn(Chain& front, Chain& back) {
  const auto front_end = reversed(front);
  for (const Index data : start_of(front)) marks_[data] |= at_start;
  for (const Index data : start_of(front_end)) marks_[data] |= at_end;
  std::uint64_t end_start = 0;
  std::uint64_t end_end = 0;
  std::uint64_t start_start = 0;
  std::uint64_t start_end = 0;
  for (const Index data : start_of(back)) {
    if ((marks_[data] & at_end) != 0) end_start += graph_.bytes(data);
    if ((marks_[data] & at_start) != 0) start_start += graph_.bytes(data);
  }
  for (const Index data : start_of(reversed(back))) {
    if ((marks_[data] & at_end) != 0) end_end += graph_.bytes(data);
    if ((marks_[data] & at_start) != 0) start_end += graph_.bytes(data);
  }
  for (const Index data : start_of(front)) marks_[data] = 0;
  for (const Index data : start_of(front_end)) marks_[data] = 0;

  const auto most = std::max({end_start, end_end, start_start, start_end});
  if (most == end_start) return;
  if (most == end_end) return back.reverse();
  front.reverse();
  if (most != start_start) back.reverse();
}

const PackageEnds::Data& PackageEnds::start_of(Chain chain) {
  const auto [entry, is_new] = known_.try_emplace(chain.first);
  Data& list = entry->second;
  if (!is_new) return list;
  const auto unlist = [&](Index data) { marks_[data] &= static_cast<std::uint8_t>(~listed); };
  std::uint64_t weight = 0;
  bool whole = true;
  chains_.walk(chain, [&](Index task) {
    const std::size_t before = list.size();
    for (const Index data : graph_.inputs(task)) {
      if ((marks_[data] & listed) != 0) continue;
      marks_[data] |= listed;
      weight += graph_.bytes(data);
      list.push_back(data);
    }
    if (weight <= memory_bytes_) return true;
    for (std::size_t i = before; i < list.size(); ++i) unlist(list[i]);
    list.resize(before);
    whole = false;
    return false;
  });
  for (const Index data : list) unlist(data);
  if (!whole) return list;
  whole_ = std::move(list);
  known_.erase(entry);
  return whole_;
}

}  // namespace damocles
