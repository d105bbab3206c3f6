#pragma once

#include <vector>

#include "strategies/ready_list.hpp"
#include "strategies/registry.hpp"

namespace damocles {

/// What a strategy does with the list of tasks each processor has been allotted.
struct ListRules {
  bool ready = false;  ///< the readiest task first (IPDPS'22, Algorithm 2), else the first
  bool steal = false;  ///< an idle processor takes half the tail of the most loaded one
  /// Every input is requested when its task is listed, and fetched once in that order when nothing
  /// more urgent is and there is room that no listed task needs.
  bool prefetch = false;
};

/// A strategy that allots every task to a processor before the start: what follows is the same for
/// all of them, whoever made the lists.
class Listed : public Strategy {
 public:
  void request(ProcessorId processor, Grant& grant) override;
  void on_loaded(ProcessorId processor, DataId data) override;
  void on_arrived(ProcessorId processor, DataId data) override;
  void on_evicted(ProcessorId processor, DataId data) override;
  /// Counted from the start of the list, not from now: of two data the one read earlier has the
  /// smaller number. Exact while tasks are taken in the order of the list and nobody steals.
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    return listed_use(processor, data);
  }
  /// Those that prefetch on their own account are: a task asked for early would find less there.
  [[nodiscard]] bool patient() const override { return rules_.prefetch; }
  [[nodiscard]] std::uint32_t planned_uses(ProcessorId processor, DataId data) const override {
    return lists_.uses(processor, static_cast<Index>(raw(data)));
  }

 protected:
  using Index = Bipartite::Index;

  /// @param lists  the tasks of each processor in order, each task once
  Listed(const Setting& setting, const std::vector<std::vector<Index>>& lists,
         const ListRules& rules);

  /// What next_use() says.
  [[nodiscard]] std::uint64_t listed_use(ProcessorId processor, DataId data) const;

 private:
  ListRules rules_;
  ReadyList lists_;
};

/// The value of a yes-or-no option. @throws InvalidInput if it is neither true nor false
[[nodiscard]] bool flag(const Spec& spec, const char* key, bool otherwise);

/// Bytes of the smallest memory; all data where memory is unlimited: what strategies that cut work
/// to the size of a memory cut it to.
[[nodiscard]] std::uint64_t smallest_memory(const Setting& setting);

/// What of the smallest memory an order may count on [B]: with a task buffer the next data arrives
/// while the one before is still read, so room for the largest data is kept free; all of it where
/// depth=1 says that nothing is prefetched, and never less than the largest task needs.
[[nodiscard]] std::uint64_t memory_beside_prefetch(const Setting& setting);

}  // namespace damocles
