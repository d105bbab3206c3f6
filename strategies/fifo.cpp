#include "strategies/eviction.hpp"
#include "strategies/resident_list.hpp"

namespace damocles {
namespace {

/// The data that was loaded first.
class Fifo final : public Eviction {
 public:
  explicit Fifo(const EvictionSetting& setting)
      : residents_(setting.processors, ResidentList(setting.data)) {}

  void on_loaded(ProcessorId processor, DataId data) override {
    residents_[raw(processor)].push_back(data);
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

const RegisterEviction entry{{.name = "fifo",
                              .source = "classic",
                              .summary = "first loaded, first out",
                              .make = make_eviction<Fifo>}};

}  // namespace
}  // namespace damocles
