#include "strategies/eviction.hpp"
#include "strategies/resident_list.hpp"

namespace damocles {
namespace {

/// The data that no task has started with, and no load has brought, for longest.
class Lru final : public Eviction {
 public:
  explicit Lru(const EvictionSetting& setting)
      : residents_(setting.processors, ResidentList(setting.data)) {}

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
    DataId oldest{};
    const bool found = residents_[raw(processor)].find(
        [&](DataId data) { return residents.evictable(data); }, oldest);
    return found ? std::optional(oldest) : std::nullopt;
  }

 private:
  std::vector<ResidentList> residents_;
};

const RegisterEviction entry{
    {.name = "lru",
     .source = "COLOC'21, section 2",
     .summary = "least recently used: loaded, or read by a task that started",
     .make = make_eviction<Lru>}};

}  // namespace
}  // namespace damocles
