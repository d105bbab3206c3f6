#include "strategies/eviction/recency.hpp"

namespace damocles {
namespace {

/// The data that no task has started with, and no load has brought, for longest.
class Lru final : public Recency {
 public:
  explicit Lru(const EvictionContext& context) : Recency(context) {}

  std::optional<DataId> victim(ProcessorId processor,
                               const EvictionCandidates& candidates) override {
    return cheapest(processor, candidates, [](DataId) { return 0U; });
  }
};

const Register lru_entry{EvictionEntry{
    .name = "lru",
    .source = "COLOC'21, section 2",
    .summary =
        "Evict the least recently used item (loaded, or read or written by a task that started)",
    .make = make_eviction<Lru>}};

}  // namespace
}  // namespace damocles
