#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/rng.hpp"
#include "models/table.hpp"
#include "strategies/strategy.hpp"

namespace damocles {

/// What a policy may ask about the processor that needs room, kept by the driver.
class EvictionCandidates {
 public:
  EvictionCandidates() = default;
  EvictionCandidates(const EvictionCandidates&) = delete;
  EvictionCandidates& operator=(const EvictionCandidates&) = delete;
  virtual ~EvictionCandidates() = default;

  /// Whether `data` may go now: resident, not pinned by the running or the next task, and, for a
  /// prefetch, read by no buffered task.
  [[nodiscard]] virtual bool evictable(DataId data) const = 0;
  /// Whether tasks write, and `data` has the size for which room is sought and may be replaced at
  /// once, as nothing of it has to travel to host memory first.
  [[nodiscard]] virtual bool reusable(DataId) const { return false; }
  /// Buffered tasks that read `data`: n_b of IPDPS'22 Algorithm 6.
  [[nodiscard]] virtual std::uint32_t buffered_uses(DataId data) const = 0;
  /// How many tasks from now the processor reads `data` next: those of its buffer, then those
  /// granted to it, then what the strategy knows; Strategy::never where nobody does.
  [[nodiscard]] virtual std::uint64_t next_use(DataId data) const = 0;
  /// What cheapest() of next_use() would find, without looking at all: the evictable data that is
  /// read last, of equal ones that touched longest ago. Nothing where it is not known without a
  /// look at all.
  [[nodiscard]] virtual std::optional<DataId> farthest_use() const { return std::nullopt; }
};

/// Who leaves when memory is full. One object serves all processors of a run.
class Eviction {
 public:
  Eviction() = default;
  Eviction(const Eviction&) = delete;
  Eviction& operator=(const Eviction&) = delete;
  virtual ~Eviction() = default;

  virtual void on_loaded(ProcessorId processor, DataId data) = 0;
  /// A task that reads or writes `data` starts on the processor.
  virtual void on_used(ProcessorId, DataId) {}
  virtual void on_evicted(ProcessorId processor, DataId data) = 0;
  /// The data to evict from the processor; nothing where none is evictable.
  virtual std::optional<DataId> victim(ProcessorId processor,
                                       const EvictionCandidates& candidates) = 0;
};

/// All a policy may know when it is made. The reference outlives it.
struct EvictionContext {
  std::size_t processors = 0;
  std::uint64_t data = 0;
  const Strategy& strategy;
  Rng rng;
};

/// The row that publishes a policy.
struct EvictionEntry {
  static constexpr const char* what = "eviction policy";
  static constexpr const char* list = "evictions";
  std::string name;
  std::string source;
  std::string summary;
  std::function<std::unique_ptr<Eviction>(const EvictionContext&)> make;
  /// It goes by next_use(), so that what the strategy does not know of the future is guessed.
  bool by_next_use = false;
};

/// Every policy, sorted by name.
[[nodiscard]] inline const std::vector<EvictionEntry>& evictions() {
  return Table<EvictionEntry>::entries();
}

template <typename T>
std::unique_ptr<Eviction> make_eviction(const EvictionContext& context) {
  return std::make_unique<T>(context);
}

}  // namespace damocles
