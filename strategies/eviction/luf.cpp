#include "strategies/eviction/recency.hpp"

namespace damocles {
namespace {

/// Least Used in the Future: of the data that no buffered task reads, the one that fewest planned
/// tasks read; if buffered tasks read all, the one read latest among them.
///
/// The paper leaves ties open, and they matter up to threefold in loads: least recently used goes
/// first. That planned tasks which lose an input are planned no longer (line 8) is the strategy's
/// part: Strategy::on_evicted.
/// Source: IPDPS'22, Algorithm 6.
class Luf final : public Recency {
 public:
  explicit Luf(const EvictionContext& context) : Recency(context), strategy_(context.strategy) {}

  std::optional<DataId> victim(ProcessorId processor,
                               const EvictionCandidates& candidates) override {
    // What a buffered task reads costs more than any number of planned ones.
    constexpr std::uint64_t buffered = std::uint64_t{1} << 32U;
    const auto data = cheapest(processor, candidates, [&](DataId candidate) {
      return candidates.buffered_uses(candidate) > 0
                 ? buffered
                 : std::uint64_t{strategy_.reserved_uses(processor, candidate)};
    });
    if (!data || candidates.buffered_uses(*data) == 0) return data;
    return furthest(processor, candidates);
  }

 private:
  const Strategy& strategy_;
};

const Register luf_entry{EvictionEntry{
    .name = "luf",
    .source = "IPDPS'22, Algorithm 6",
    .summary = "Evict the item that no buffered and the fewest planned tasks read, else the one "
               "whose next use is furthest; made for darts",
    .make = make_eviction<Luf>}};

}  // namespace
}  // namespace damocles
