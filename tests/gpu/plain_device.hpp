#pragma once

#include <cstddef>
#include <new>
#include <set>

#include "gpu/device.hpp"

namespace damocles {

/// Host memory and nothing else: no engine, no clock. Counts what is still allocated.
class PlainDevice : public Device {
 public:
  explicit PlainDevice(std::size_t processors = 1) : processors_(processors) {}

  [[nodiscard]] DeviceDescription description() const override { return {"plain", "", "", {}}; }
  [[nodiscard]] std::size_t processors() const override { return processors_; }
  [[nodiscard]] std::byte* allocate_host(std::size_t bytes) override {
    auto* const at = static_cast<std::byte*>(::operator new(bytes, alignment));
    held_.insert(at);
    return at;
  }
  void release_host(std::byte* at) noexcept override {
    held_.erase(at);
    ::operator delete(at, alignment);
  }
  [[nodiscard]] std::byte* allocate(ProcessorId /*processor*/, std::size_t bytes) override {
    return allocate_host(bytes);
  }
  void release(ProcessorId /*processor*/, std::byte* at) noexcept override { release_host(at); }
  void clear(ProcessorId /*processor*/, std::byte* at, std::size_t bytes) override {
    for (std::size_t i = 0; i < bytes; ++i) at[i] = std::byte{0};
  }
  void prepare(const Kernel& /*kernel*/) override {}
  void start_clock() override {}
  [[nodiscard]] double now_s() const override { return 0; }
  void start_load(ProcessorId /*processor*/, std::byte* /*to*/, const std::byte* /*from*/,
                  std::size_t /*bytes*/, double /*ready_s*/) override {}
  Interval finish_load(ProcessorId /*processor*/) override { return {}; }
  void start_peer_load(ProcessorId /*lender*/, ProcessorId /*processor*/, std::byte* /*to*/,
                       const std::byte* /*from*/, std::size_t /*bytes*/,
                       double /*ready_s*/) override {}
  Interval finish_peer_load(ProcessorId /*processor*/) override { return {}; }
  void start_task(ProcessorId /*processor*/, TaskCall /*call*/) override {}
  Interval finish_task(ProcessorId /*processor*/) override { return {}; }
  void start_write(ProcessorId /*processor*/, std::byte* /*to*/, const std::byte* /*from*/,
                   std::size_t /*bytes*/, double /*ready_s*/) override {}
  Interval finish_write(ProcessorId /*processor*/) override { return {}; }
  void cancel() noexcept override {}

  /// Pieces of memory not released yet.
  [[nodiscard]] std::size_t held() const { return held_.size(); }

 private:
  static constexpr std::align_val_t alignment{256};

  std::size_t processors_;
  std::set<std::byte*> held_;
};

}  // namespace damocles
