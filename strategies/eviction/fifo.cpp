#include "strategies/eviction/recency.hpp"

namespace damocles {
namespace {

/// The data that was loaded first.
class Fifo final : public Recency {
 public:
  explicit Fifo(const EvictionContext& context) : Recency(context, Touched::by_loads) {}

  std::optional<DataId> victim(ProcessorId processor,
                               const EvictionCandidates& candidates) override {
    return cheapest(processor, candidates, [](DataId) { return 0U; });
  }
};

const Register fifo_entry{EvictionEntry{.name = "fifo",
                                        .source = "classic",
                                        .summary = "Evict the item that was loaded first",
                                        .make = make_eviction<Fifo>}};

}  // namespace
}  // namespace damocles
