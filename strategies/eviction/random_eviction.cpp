#include <utility>

#include "strategies/eviction/eviction.hpp"

namespace damocles {
namespace {

/// Any evictable data item, each equally likely.
class RandomEviction final : public Eviction {
 public:
  explicit RandomEviction(const EvictionContext& context)
      : resident_(context.processors),
        place_(context.processors, std::vector<std::uint32_t>(context.data)),
        rng_(context.rng) {}

  void on_loaded(ProcessorId processor, DataId data) override {
    auto& resident = resident_[raw(processor)];
    place_[raw(processor)][raw(data)] = static_cast<std::uint32_t>(resident.size());
    resident.push_back(data);
  }
  void on_evicted(ProcessorId processor, DataId data) override {
    auto& place = place_[raw(processor)];
    move(processor, resident_[raw(processor)].back(), place[raw(data)]);
    resident_[raw(processor)].pop_back();
  }

  std::optional<DataId> victim(ProcessorId processor,
                               const EvictionCandidates& candidates) override {
    auto& resident = resident_[raw(processor)];
    // Refused draws move to the end of the range drawn from: each evictable data item keeps its
    // chance.
    for (std::size_t left = resident.size(); left > 0; --left) {
      const auto at = rng_.below(left);
      const DataId drawn = resident[at];
      if (candidates.evictable(drawn)) return drawn;
      move(processor, resident[left - 1], at);
      move(processor, drawn, left - 1);
    }
    return std::nullopt;
  }

 private:
  void move(ProcessorId processor, DataId data, std::size_t to) {
    resident_[raw(processor)][to] = data;
    place_[raw(processor)][raw(data)] = static_cast<std::uint32_t>(to);
  }

  std::vector<std::vector<DataId>> resident_;
  std::vector<std::vector<std::uint32_t>> place_;  // of a resident data item in resident_
  Rng rng_;
};

const Register random_eviction_entry{
    EvictionEntry{.name = "random",
                  .source = "classic",
                  .summary = "Evict a random item, each equally likely",
                  .make = make_eviction<RandomEviction>}};

}  // namespace
}  // namespace damocles
