#pragma once

#include <cstdint>
#include <vector>

namespace damocles {

/// What one processor asks of its memory, in order: which items must be there at once, and from
/// when to when none of them may be evicted.
///
/// An item is what is loaded as a whole: a data item between two writes by other processors, or
/// room for an output. Items have dense numbers from 0.
struct MemoryRequests {
  struct Use {
    std::uint32_t item = 0;
    bool loaded = true;  ///< else it is made there, and costs no load
  };
  struct Request {
    std::uint64_t uses_begin = 0;  ///< in `uses`, where those of this request begin
    std::uint64_t uses_end = 0;
    bool pins = false;  ///< the items stay until they are released as often as they were pinned
    std::uint64_t released_begin = 0;  ///< in `released`: the items that this request releases
    std::uint64_t released_end = 0;
  };
  std::vector<Use> uses;
  std::vector<std::uint32_t> released;
  std::vector<Request> requests;
};

/// Loads of items that were in memory before: their number and bytes.
struct Reloads {
  std::uint64_t loads = 0;
  std::uint64_t bytes = 0;
};

/// The reloads of the eviction policy that evicts the item whose next use is farthest (MIN),
/// among those that are not pinned.
///
/// Where all items have one size, no policy has fewer for the same requests: exchanging an eviction
/// for one of an item that is used later costs nothing, and pinned items are the same for all
/// policies. Where sizes differ, another one may have fewer.
///
/// @param item_bytes    size of each item [B], shape (items)
/// @param memory_bytes  of the processor [B]; exceeded where pinned items leave nothing to evict
/// Source: Belady, "A study of replacement algorithms for a virtual-storage computer", 1966.
[[nodiscard]] Reloads min_reloads(const MemoryRequests& requests,
                                  const std::vector<std::uint64_t>& item_bytes,
                                  std::uint64_t memory_bytes);

}  // namespace damocles
