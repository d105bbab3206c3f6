#include "strategies/eviction/recency.hpp"

namespace damocles {
namespace {

/// Where tasks write, an unmodified copy of the size for which room is sought, so that the newcomer
/// need not wait for a modified copy to travel to host memory; of such copies, and where there is
/// none, the least recently used. Where no task writes it is `lru`.
///
/// Source: StarPU reuses a chunk of the same footprint whose data are valid elsewhere before it
/// frees others (datawizard/memalloc.c, try_to_reuse_potentially_in_use_mc).
class LruClean final : public Recency {
 public:
  explicit LruClean(const EvictionContext& context) : Recency(context) {}

  std::optional<DataId> victim(ProcessorId processor,
                               const EvictionCandidates& candidates) override {
    return cheapest(processor, candidates,
                    [&](DataId data) { return candidates.reusable(data) ? 0U : 1U; });
  }
};

const Register lru_clean_entry{EvictionEntry{
    .name = "lru-clean",
    .source = "StarPU, memalloc.c",
    .summary = "lru; if tasks write data items, evict unmodified copies of the needed size first",
    .make = make_eviction<LruClean>}};

}  // namespace
}  // namespace damocles
