#include "gpu/memory/memory_pool.hpp"

#include <algorithm>

namespace damocles {
namespace {

/// Slots are aligned as device memory is.
std::size_t aligned_up(std::size_t bytes) {
  return (bytes + device_alignment - 1) / device_alignment * device_alignment;
}

}  // namespace

SlotPool::SlotPool(Device& device, ProcessorId processor, std::size_t slots, std::size_t slot_bytes)
    : device_(device), processor_(processor), slots_(slots) {
  const std::size_t stride = aligned_up(slot_bytes);
  free_.reserve(slots);
  base_ = device.allocate(processor, std::max<std::size_t>(slots, 1) * stride);
  for (std::size_t slot = slots; slot-- > 0;) free_.push_back(base_ + slot * stride);
}

SlotPool::~SlotPool() { device_.release(processor_, base_); }

MemoryPool::MemoryPool(Device& device, ProcessorId processor, std::uint64_t capacity_bytes,
                       std::size_t data_bytes, std::size_t most_slots)
    : device_(device), processor_(processor), capacity_bytes_(capacity_bytes) {
  if (data_bytes == 0) return;
  const std::uint64_t fit = capacity_bytes / data_bytes;
  slots_ = std::make_unique<SlotPool>(
      device, processor, static_cast<std::size_t>(std::min<std::uint64_t>(fit, most_slots)),
      data_bytes);
}

MemoryPool::~MemoryPool() {
  for (std::byte* const piece : pieces_) device_.release(processor_, piece);
}

std::byte* MemoryPool::take(std::size_t bytes) {
  if (used_bytes_ + bytes > capacity_bytes_) return nullptr;
  std::byte* at = nullptr;
  if (slots_) {
    at = slots_->take();
    if (at == nullptr) return nullptr;
  } else {
    at = device_.allocate(processor_, bytes);
    pieces_.push_back(at);
  }
  used_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  return at;
}

void MemoryPool::give_back(std::byte* at, std::size_t bytes) {
  used_bytes_ -= bytes;
  if (slots_) {
    slots_->give_back(at);
    return;
  }
  pieces_.erase(std::find(pieces_.begin(), pieces_.end(), at));
  device_.release(processor_, at);
}

}  // namespace damocles
