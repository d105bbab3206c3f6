#include "models/runs/min_reloads.hpp"

#include <limits>
#include <queue>
#include <utility>

namespace damocles {
namespace {

constexpr std::uint64_t no_more = std::numeric_limits<std::uint64_t>::max();

using Request = MemoryRequests::Request;

/// For each use, the next request that loads its item unless it is there. An item that is next made
/// anew need not be kept.
std::vector<std::uint64_t> next_uses(const MemoryRequests& all, std::size_t items) {
  std::vector<std::uint64_t> upcoming(items, no_more);
  std::vector<std::uint64_t> next(all.uses.size());
  for (std::size_t r = all.requests.size(); r-- > 0;) {
    const Request& request = all.requests[r];
    for (auto u = request.uses_begin; u < request.uses_end; ++u) {
      next[u] = upcoming[all.uses[u].item];
    }
    for (auto u = request.uses_begin; u < request.uses_end; ++u) {
      upcoming[all.uses[u].item] = all.uses[u].loaded ? r : no_more;
    }
  }
  return next;
}

/// The memory of one processor under MIN, request after request.
class MinMemory {
 public:
  MinMemory(const MemoryRequests& all, const std::vector<std::uint64_t>& item_bytes,
            std::uint64_t memory_bytes)
      : all_(all),
        item_bytes_(item_bytes),
        memory_bytes_(memory_bytes),
        next_(next_uses(all, item_bytes.size())),
        items_(item_bytes.size()) {}

  Reloads run() {
    for (std::size_t r = 0; r < all_.requests.size(); ++r) serve(all_.requests[r], r);
    return reloads_;
  }

 private:
  struct Item {
    bool resident = false;
    bool seen = false;
    std::uint32_t pins = 0;
    std::uint64_t next_use = no_more;
    std::uint64_t asked_by = no_more;  // the last request that names it
  };
  using Candidate = std::pair<std::uint64_t, std::uint32_t>;  // (next use, item)

  void serve(const Request& request, std::size_t number) {
    for (auto u = request.uses_begin; u < request.uses_end; ++u) {
      bring(all_.uses[u]);
      Item& item = items_[all_.uses[u].item];
      item.asked_by = number;
      if (request.pins) ++item.pins;
    }
    make_room(number);
    for (auto k = request.released_begin; k < request.released_end; ++k) {
      Item& item = items_[all_.released[k]];
      if (--item.pins == 0) aside_.push_back(all_.released[k]);
    }
    for (auto u = request.uses_begin; u < request.uses_end; ++u) {
      items_[all_.uses[u].item].next_use = next_[u];
      aside_.push_back(all_.uses[u].item);
    }
    for (const std::uint32_t id : aside_) offer(id);
    aside_.clear();
  }

  void bring(const MemoryRequests::Use& use) {
    Item& item = items_[use.item];
    if (!item.resident) {
      item.resident = true;
      used_bytes_ += item_bytes_[use.item];
      if (use.loaded && item.seen) {
        ++reloads_.loads;
        reloads_.bytes += item_bytes_[use.item];
      }
    }
    item.seen = true;
  }

  void make_room(std::size_t number) {
    while (used_bytes_ > memory_bytes_ && !candidates_.empty()) {
      const auto [next_use, id] = candidates_.top();
      candidates_.pop();
      const Item& item = items_[id];
      if (!item.resident || item.next_use != next_use) continue;  // an entry of before
      if (item.pins > 0 || item.asked_by == number) {
        aside_.push_back(id);
      } else {
        drop(id);
      }
    }
  }

  /// What nobody needs any more leaves at once; else it may be evicted.
  void offer(std::uint32_t id) {
    const Item& item = items_[id];
    if (!item.resident) return;
    if (item.next_use == no_more && item.pins == 0) {
      drop(id);
    } else {
      candidates_.emplace(item.next_use, id);
    }
  }

  void drop(std::uint32_t id) {
    items_[id].resident = false;
    used_bytes_ -= item_bytes_[id];
  }

  const MemoryRequests& all_;
  const std::vector<std::uint64_t>& item_bytes_;
  std::uint64_t memory_bytes_;
  std::vector<std::uint64_t> next_;
  std::vector<Item> items_;
  std::vector<std::uint32_t> aside_;           // to be offered when the request is served
  std::priority_queue<Candidate> candidates_;  // some of them outdated
  std::uint64_t used_bytes_ = 0;
  Reloads reloads_;
};

}  // namespace

Reloads min_reloads(const MemoryRequests& requests, const std::vector<std::uint64_t>& item_bytes,
                    std::uint64_t memory_bytes) {
  return MinMemory(requests, item_bytes, memory_bytes).run();
}

}  // namespace damocles
