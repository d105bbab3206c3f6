#include "strategies/eviction/recency.hpp"

namespace damocles {
namespace {

/// The data whose next use is furthest in the known future; ties by least recently used.
///
/// Where the order of the tasks is fixed from the start (order_is_known()) the whole future is
/// known and this is MIN, which loads least (COLOC'21, Theorem 1). Where the order is dynamic, what
/// is known is the buffer, the tasks granted, and those the strategy has allotted but not granted;
/// where tasks wait for others, what comes after is guessed (order_alone()). Records then say
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
        "Evict the item whose next use is furthest; optimal (MIN) where the order of each "
        "processor's tasks is known from the start: mst, rcm, panel-streaming, static schedules "
        "(heft), placed, eager (with dependencies: on one processor), memory-order on one processor "
        "at depth 1, and every strategy where one processor runs a chain of tasks. Elsewhere "
        "results say belady-known: uses by tasks granted or planned so far count, and where tasks "
        "depend on each other a guess of those that follow",
    .make = make_eviction<Belady>,
    .by_next_use = true}};

}  // namespace
}  // namespace damocles
