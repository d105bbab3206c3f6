#include <limits>

#include "strategies/eviction.hpp"
#include "strategies/resident_list.hpp"

namespace damocles {
namespace {

/// Least Used in the Future: of the data that no buffered task reads, the one that fewest planned
/// tasks read; if buffered tasks read all, the one read latest among them.
///
/// The paper leaves ties open, and they matter up to threefold in loads: least recently used goes
/// first. That planned tasks which lose an input are planned no longer (line 8) is the strategy's
/// part: Strategy::on_evicted.
/// Source: IPDPS'22, Algorithm 6.
class Luf final : public Eviction {
 public:
  explicit Luf(const EvictionSetting& setting)
      : strategy_(setting.strategy), residents_(setting.processors, ResidentList(setting.data)) {}

  void on_loaded(ProcessorId processor, DataId data) override {
    residents_[raw(processor)].push_back(data);
  }
  void on_used(ProcessorId processor, DataId data) override {
    residents_[raw(processor)].touch(data);
  }
  void on_evicted(ProcessorId processor, DataId data) override {
    residents_[raw(processor)].remove(data);
  }

  std::optional<DataId> victim(ProcessorId processor, const Residents& residents) override {
    if (auto unused = least_planned(processor, residents)) return unused;
    return furthest_buffered(processor, residents);
  }

 private:
  std::optional<DataId> least_planned(ProcessorId processor, const Residents& residents) const {
    std::optional<DataId> least;
    std::uint32_t uses = std::numeric_limits<std::uint32_t>::max();
    DataId stopped{};
    (void)residents_[raw(processor)].find(
        [&](DataId data) {
          if (!residents.evictable(data) || residents.buffered_uses(data) > 0) return false;
          const std::uint32_t planned = strategy_.planned_uses(processor, data);
          if (!least || planned < uses) {
            least = data;
            uses = planned;
          }
          return uses == 0;
        },
        stopped);
    return least;
  }

  std::optional<DataId> furthest_buffered(ProcessorId processor, const Residents& residents) const {
    std::optional<DataId> furthest;
    std::uint64_t use = 0;
    DataId stopped{};
    (void)residents_[raw(processor)].find(
        [&](DataId data) {
          if (!residents.evictable(data)) return false;
          const std::uint64_t next = residents.next_use(data);
          if (!furthest || next > use) {
            furthest = data;
            use = next;
          }
          return false;
        },
        stopped);
    return furthest;
  }

  const Strategy& strategy_;
  std::vector<ResidentList> residents_;
};

const RegisterEviction entry{
    {.name = "luf",
     .source = "IPDPS'22, Algorithm 6",
     .summary = "least used in the future: by buffered, then by planned tasks",
     .make = make_eviction<Luf>}};

}  // namespace
}  // namespace damocles
