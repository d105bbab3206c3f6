#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "gpu/device.hpp"
#include "models/rng.hpp"
#include "tests/gpu/use_ledger.hpp"

namespace damocles {

/// The calls of a device that may be made to fail.
enum class DeviceCall {
  allocate_host,
  allocate,
  prepare,
  start_load,
  finish_load,
  start_peer_load,
  finish_peer_load,
  start_task,
  finish_task,
  start_write,
  finish_write
};
inline constexpr std::array device_calls{
    DeviceCall::allocate_host,    DeviceCall::allocate,    DeviceCall::prepare,
    DeviceCall::start_load,       DeviceCall::finish_load, DeviceCall::start_peer_load,
    DeviceCall::finish_peer_load, DeviceCall::start_task,  DeviceCall::finish_task,
    DeviceCall::start_write,      DeviceCall::finish_write};
inline constexpr std::array device_call_names{"allocate_host",    "allocate",    "prepare",
                                              "start_load",       "finish_load", "start_peer_load",
                                              "finish_peer_load", "start_task",  "finish_task",
                                              "start_write",      "finish_write"};

struct FaultyOptions {
  DeviceCall call = DeviceCall::prepare;
  std::size_t fails_at = 0;     ///< the number of the call that fails, from 1; 0: none does
  unsigned jitter_us = 0;       ///< finishes sleep for up to this long first [us]
  std::uint64_t seed = 1;       ///< of the jitter
  std::size_t lanes = 1;        ///< see Device
  std::size_t loads_ahead = 0;  ///< see Device
  bool in_host_memory = true;   ///< its processors may compute in host memory, if the other's may
};

/// Another device, whose calls are counted, made to fail or delayed, and held to the contract of
/// gpu/device.hpp: the test fails where the caller breaks it.
class FaultyDevice final : public Device {
 public:
  FaultyDevice(std::unique_ptr<Device> device, const FaultyOptions& options)
      : device_(std::move(device)), options_(options), rng_(options.seed, Draw::test, 0) {}
  ~FaultyDevice() override { EXPECT_EQ(broken_, ""); }
  FaultyDevice(const FaultyDevice&) = delete;
  FaultyDevice& operator=(const FaultyDevice&) = delete;

  static constexpr const char* fault = "the injected fault";

  /// Pieces of memory not released yet.
  [[nodiscard]] std::size_t held() {
    const std::lock_guard lock(mutex_);
    return ledger_.held();
  }
  [[nodiscard]] std::size_t calls(DeviceCall call) {
    const std::lock_guard lock(mutex_);
    return calls_[call];
  }
  /// From now on the options say so; calls are counted anew.
  void arm(DeviceCall call, std::size_t fails_at) {
    const std::lock_guard lock(mutex_);
    options_.call = call;
    options_.fails_at = fails_at;
    calls_.clear();
  }
  /// The first rule that was broken, or ""; and forgets it.
  std::string take_broken() {
    const std::lock_guard lock(mutex_);
    return std::exchange(broken_, "");
  }

  [[nodiscard]] DeviceDescription description() const override { return device_->description(); }
  [[nodiscard]] std::size_t processors() const override { return device_->processors(); }
  [[nodiscard]] bool computes_in_host_memory(ProcessorId processor) const override {
    return options_.in_host_memory && device_->computes_in_host_memory(processor);
  }
  [[nodiscard]] std::size_t lanes() const override { return options_.lanes; }
  [[nodiscard]] std::size_t loads_ahead(double) const override { return options_.loads_ahead; }

  [[nodiscard]] std::byte* allocate_host(std::size_t bytes) override {
    count(DeviceCall::allocate_host);
    return allocated(device_->allocate_host(bytes), bytes);
  }
  void release_host(std::byte* at) noexcept override {
    if (at != nullptr) released(at);
    device_->release_host(at);
  }
  [[nodiscard]] std::byte* allocate(ProcessorId processor, std::size_t bytes) override {
    count(DeviceCall::allocate);
    return allocated(device_->allocate(processor, bytes), bytes);
  }
  void release(ProcessorId processor, std::byte* at) noexcept override {
    released(at);
    device_->release(processor, at);
  }
  void clear(ProcessorId processor, std::byte* at, std::size_t bytes) override {
    device_->clear(processor, at, bytes);
  }
  void prepare(const Kernel& kernel) override {
    count(DeviceCall::prepare);
    device_->prepare(kernel);
  }
  void start_clock() override {
    {
      const std::lock_guard lock(mutex_);
      ledger_.forget_work();
      servers_.clear();
      cancelled_ = false;
    }
    device_->start_clock();
  }
  [[nodiscard]] double now_s() const override { return device_->now_s(); }

  void start_load(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                  double ready_s) override {
    const Alone alone(*this);
    started(DeviceCall::start_load, engine(processor, 0), {{{from, bytes}}, {{to, bytes}}});
    device_->start_load(processor, to, from, bytes, ready_s);
  }
  Interval finish_load(ProcessorId processor) override {
    return finish(DeviceCall::finish_load, engine(processor, 0),
                  [&] { return device_->finish_load(processor); });
  }
  void start_peer_load(ProcessorId lender, ProcessorId processor, std::byte* to,
                       const std::byte* from, std::size_t bytes, double ready_s) override {
    const Alone alone(*this);
    started(DeviceCall::start_peer_load, engine(processor, 3), {{{from, bytes}}, {{to, bytes}}});
    device_->start_peer_load(lender, processor, to, from, bytes, ready_s);
  }
  Interval finish_peer_load(ProcessorId processor) override {
    return finish(DeviceCall::finish_peer_load, engine(processor, 3),
                  [&] { return device_->finish_peer_load(processor); });
  }
  void start_task(ProcessorId processor, TaskCall call) override {
    const Alone alone(*this);
    UseLedger::Work work;
    work.together = call.fold.get();
    for (const auto& input : call.inputs) work.reads.push_back({input.at, input.bytes});
    // How long the output is, only the kernel knows; where it begins will do.
    if (call.output != nullptr) work.writes.push_back({call.output, 1, call.accumulate});
    for (const auto& data : call.written) {
      work.writes.push_back(
          {data.at, data.bytes, data.adds && !data.fresh, data.shared != nullptr});
    }
    started(DeviceCall::start_task, engine(processor, 1), std::move(work));
    device_->start_task(processor, std::move(call));
  }
  Interval finish_task(ProcessorId processor) override {
    return finish(DeviceCall::finish_task, engine(processor, 1),
                  [&] { return device_->finish_task(processor); });
  }
  void start_write(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                   double ready_s) override {
    const Alone alone(*this);
    started(DeviceCall::start_write, engine(processor, 2), {{{from, bytes}}, {{to, bytes}}});
    device_->start_write(processor, to, from, bytes, ready_s);
  }
  Interval finish_write(ProcessorId processor) override {
    return finish(DeviceCall::finish_write, engine(processor, 2),
                  [&] { return device_->finish_write(processor); });
  }
  void cancel() noexcept override {
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
    }
    device_->cancel();
  }

 private:
  /// Starts come from one thread at a time.
  class Alone {
   public:
    explicit Alone(FaultyDevice& device) : device_(device) {
      if (device_.starting_.exchange(true)) device_.note("two threads start work at once");
    }
    ~Alone() { device_.starting_ = false; }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

   private:
    FaultyDevice& device_;
  };

  static std::size_t engine(ProcessorId processor, std::size_t kind) {
    return std::size_t{raw(processor)} * 4 + kind;
  }
  void note(const std::string& wrong) {
    const std::lock_guard lock(mutex_);
    note_locked(wrong);
  }
  void note_locked(const std::string& wrong) {
    if (!wrong.empty() && broken_.empty()) broken_ = wrong;
  }
  void count(DeviceCall call) {
    const std::lock_guard lock(mutex_);
    if (++calls_[call] == options_.fails_at && call == options_.call) throw DeviceError(fault);
  }
  std::byte* allocated(std::byte* at, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    ledger_.allocated(at, bytes);
    return at;
  }
  void released(std::byte* at) noexcept {
    const std::lock_guard lock(mutex_);
    note_locked(ledger_.released(at, cancelled_));
  }
  void started(DeviceCall call, std::size_t engine, UseLedger::Work work) {
    count(call);
    const std::lock_guard lock(mutex_);
    const std::string wrong = ledger_.started(engine, std::move(work));
    if (!wrong.empty()) {
      note_locked(device_call_names[static_cast<std::size_t>(call)] + (" " + wrong));
    }
  }

  template <typename Finish>
  Interval finish(DeviceCall call, std::size_t engine, Finish&& inner) {
    const unsigned sleep_us = enter(engine);
    if (sleep_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(sleep_us));
    count(call);
    const Interval when = inner();
    const std::lock_guard lock(mutex_);
    ledger_.finished(engine);
    return when;
  }
  /// How long to sleep [us].
  unsigned enter(std::size_t engine) {
    const std::lock_guard lock(mutex_);
    if (ledger_.idle(engine)) {
      note_locked("a finish without a start");
      throw DeviceError("a finish without a start");
    }
    const auto [server, first] = servers_.try_emplace(engine, std::this_thread::get_id());
    if (!first && server->second != std::this_thread::get_id()) {
      note_locked("two threads finish the work of one engine");
    }
    if (options_.jitter_us == 0) return 0;
    return static_cast<unsigned>(rng_.below(std::uint64_t{options_.jitter_us} + 1));
  }

  std::unique_ptr<Device> device_;
  FaultyOptions options_;
  std::atomic<bool> starting_{false};
  std::mutex mutex_;  // of all that follows
  Rng rng_;
  UseLedger ledger_;
  std::map<DeviceCall, std::size_t> calls_;
  std::map<std::size_t, std::thread::id> servers_;  // of each engine, the thread of its finishes
  bool cancelled_ = false;
  std::string broken_;
};

}  // namespace damocles
