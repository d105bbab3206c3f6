#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/device.hpp"
#include "models/ids.hpp"

namespace damocles {

/// Slots of one size in one piece of a processor's memory: what does not fit is not there.
class SlotPool {
 public:
  /// Takes the memory from the device, all of it now. @throws DeviceError if there is not so much
  SlotPool(Device& device, ProcessorId processor, std::size_t slots, std::size_t slot_bytes);
  ~SlotPool();
  SlotPool(const SlotPool&) = delete;
  SlotPool& operator=(const SlotPool&) = delete;

  /// A free slot, or nullptr.
  [[nodiscard]] std::byte* take() {
    if (free_.empty()) return nullptr;
    std::byte* const slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::byte* slot) { free_.push_back(slot); }
  [[nodiscard]] std::size_t slots() const { return slots_; }

 private:
  Device& device_;
  ProcessorId processor_;
  std::size_t slots_;
  std::byte* base_;
  std::vector<std::byte*> free_;  // the last given back goes first: it is warm
};

/// The memory that holds a processor's data: at most `capacity_bytes` at any time, by allocation.
///
/// Where all data have one size they are slots carved from one piece. Else each data item is a
/// piece of its own, so that fragments never keep out what fits.
class MemoryPool {
 public:
  /// @param data_bytes  the size of every data item [B], 0 if they differ
  /// @param most_slots  no more slots than this can ever be in use
  MemoryPool(Device& device, ProcessorId processor, std::uint64_t capacity_bytes,
             std::size_t data_bytes, std::size_t most_slots);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Room for `bytes`, or nullptr while there is none.
  [[nodiscard]] std::byte* take(std::size_t bytes);
  void give_back(std::byte* at, std::size_t bytes);
  [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }
  /// The most that was ever in use [B].
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  Device& device_;
  ProcessorId processor_;
  std::uint64_t capacity_bytes_;
  std::unique_ptr<SlotPool> slots_;  // or nothing, where sizes differ
  std::vector<std::byte*> pieces_;   // then: those in use
  std::uint64_t used_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace damocles
