#include "strategies/eviction/recency.hpp"

namespace damocles {
namespace {

/// The data whose next use is furthest in the known future; ties by least recently used.
///
/// Where the order of the tasks is fixed from the start the whole future is known and this is MIN,
/// which loads least (COLOC'21, Theorem 1). Where the order is dynamic, what is known is the
/// buffer, the tasks granted, and those the strategy has allotted but not granted: records then say
/// `belady-known`.
class Belady final : public Recency {
 public:
  explicit Belady(const EvictionContext& context) : Recency(context) {}

  std::optional<DataId> victim(ProcessorId processor,
                               const EvictionCandidates& candidates) override {
    const auto known = candidates.farthest_use();
    return known ? known : furthest(processor, candidates);
  }
};

const Register belady_entry{EvictionEntry{
    .name = "belady",
    .source = "COLOC'21, Theorem 1; Belady, IBM Systems J. 1966",
    .summary =
        "Evict the item whose next use is furthest; optimal (MIN) for a fixed order, as that of "
        "eager, mst, rcm and panel-streaming. For all other strategies, static ones (heft) too, "
        "results say belady-known: only uses by tasks granted or planned so far count",
    .make = make_eviction<Belady>}};

}  // namespace
}  // namespace damocles
