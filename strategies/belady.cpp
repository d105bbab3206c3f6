#include "strategies/eviction.hpp"
#include "strategies/resident_list.hpp"

namespace damocles {
namespace {

/// The data whose next use is furthest in the known future; ties by least recently used.
///
/// Where the order of the tasks is fixed from the start the whole future is known and this is MIN,
/// which loads least (COLOC'21, Theorem 1). Where the order is dynamic, what is known is the
/// buffer, the tasks granted, and those the strategy has allotted but not granted: records then say
/// `belady-known`.
class Belady final : public Eviction {
 public:
  explicit Belady(const EvictionSetting& setting)
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
          return use == Strategy::never;
        },
        stopped);
    return furthest;
  }

 private:
  std::vector<ResidentList> residents_;
};

const RegisterEviction entry{
    {.name = "belady",
     .source = "COLOC'21, Theorem 1; Belady, IBM Systems J. 1966",
     .summary = "furthest next use; MIN where the order is fixed, else over the known future",
     .make = make_eviction<Belady>}};

}  // namespace
}  // namespace damocles
