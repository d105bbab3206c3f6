#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/device.hpp"
#include "gpu/memory/memory_pool.hpp"

namespace damocles {

/// Where results of some task go.
struct ResultKinds {
  bool fresh = false;
  bool partial = false;
  bool input = false;
  /// Whether results are added up on the host.
  [[nodiscard]] bool sums() const { return partial || input; }
};
[[nodiscard]] ResultKinds kinds_of_results(const Arithmetic& arithmetic);

/// What lies where in the memory of one processor: the data it holds, at most `capacity_bytes` of
/// them; and, beside that memory, room for results on their way out and for the processor's own
/// sums of output tiles.
class ProcessorMemory {
 public:
  /// @param output_slots  results that may wait for their way out at once
  ProcessorMemory(Device& device, ProcessorId processor, const Arithmetic& arithmetic,
                  std::uint64_t capacity_bytes, const ResultKinds& results,
                  std::size_t output_slots);
  ~ProcessorMemory();
  ProcessorMemory(const ProcessorMemory&) = delete;
  ProcessorMemory& operator=(const ProcessorMemory&) = delete;

  /// Room for the data, which is from now on at address(data); nullptr while there is none.
  std::byte* take(DataId data);
  [[nodiscard]] std::byte* address(DataId data) const { return data_[raw(data)]; }
  /// Forgets where the data is; its room stays taken until give_back().
  std::byte* forget(DataId data);
  void give_back(DataId data, std::byte* at);

  /// A tile of C in data memory to which a task added: its content is not in the store yet.
  void mark_summed(DataId data) { summed_[raw(data)] = true; }
  /// Whether it was marked; and unmarks it.
  bool take_mark(DataId data);
  /// Calls visit(DataId) for all marked data.
  template <typename Visit>
  void for_each_marked(Visit&& visit) const {
    for (std::size_t data = 0; data < summed_.size(); ++data) {
      if (summed_[data]) visit(DataId{data});
    }
  }

  /// Room for a result, or nullptr until one has left.
  std::byte* take_output() { return outputs_ ? outputs_->take() : nullptr; }
  void give_back_output(std::byte* at) { outputs_->give_back(at); }

  /// The processor's own sum of an output tile.
  [[nodiscard]] std::byte* sum(std::uint64_t tile) const;
  /// Whether the sum has been begun; from now on it has.
  bool begin_sum(std::uint64_t tile);
  template <typename Visit>
  void for_each_sum(Visit&& visit) const {
    for (std::size_t tile = 0; tile < begun_.size(); ++tile) {
      if (begun_[tile]) visit(std::uint64_t{tile});
    }
  }

  /// The most data memory that was ever in use [B].
  [[nodiscard]] std::uint64_t peak_bytes() const { return pool_.peak_bytes(); }

 private:
  Device& device_;
  ProcessorId processor_;
  const Arithmetic& arithmetic_;
  MemoryPool pool_;
  std::vector<std::byte*> data_;
  std::vector<bool> summed_;
  std::unique_ptr<SlotPool> outputs_;
  std::byte* sums_ = nullptr;  // of all output tiles, where tasks add to them
  std::vector<bool> begun_;
};

}  // namespace damocles
