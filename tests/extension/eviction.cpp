#include "strategies/eviction/recency.hpp"

namespace damocles {
namespace {

/// The data that was touched last, so that what was loaded first stays.
class Mru final : public Recency {
 public:
  explicit Mru(const EvictionContext& context) : Recency(context) {}

  std::optional<DataId> victim(ProcessorId processor,
                               const EvictionCandidates& candidates) override {
    // Asked from the data touched longest ago to the one touched last.
    return cheapest(processor, candidates,
                    [cost = Strategy::never](DataId) mutable { return cost--; });
  }
};

const Register mru_entry{EvictionEntry{.name = "mru",
                                       .source = "classic",
                                       .summary = "most recently used",
                                       .make = make_eviction<Mru>}};

}  // namespace
}  // namespace damocles
