#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/kernel.hpp"
#include "models/ids.hpp"

namespace damocles {

/// A device that failed: no device, no memory, a copy or a kernel that went wrong. Exit 1.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// When something ran, in seconds since Device::start_clock().
struct Interval {
  double begin_s = 0;
  double end_s = 0;
};

/// What a device is, for records of what was measured on it.
struct DeviceDescription {
  std::string backend;             ///< host | cuda
  std::string name;                ///< of the processor or GPU
  std::string driver;              ///< versions of driver and libraries, or of the kernel library
  std::vector<std::string> parts;  ///< what each processor is made of, shape (p), as "16 SMs"
};

/// Of device memory [B], as CUDA aligns it.
inline constexpr std::size_t device_alignment = 256;

/// Processors with a memory of their own each, next to the memory that holds all data.
///
/// Every processor has three engines: one copies data in, one computes, one copies results out;
/// and a fourth, which copies data in from other processors.
/// start_*() queues work on an engine and returns at once; finish_*() waits for the oldest work of
/// that engine that was started and not finished yet, and says when it ran. The engines of a
/// processor work side by side, the work of one engine in the order in which it was started.
///
/// Threads: starts come from one thread at a time (the executor's lock); each engine's finishes
/// come from one thread of its own, which waits for nothing else; cancel() may come at any time.
/// Whoever starts a task has seen the ends of the loads it needs, and whoever starts a load or
/// write into or out of an address has seen the end of all that used it before.
///
/// All member functions but cancel() may throw DeviceError.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual DeviceDescription description() const = 0;
  [[nodiscard]] virtual std::size_t processors() const = 0;
  /// Of them, those that compute or copy at the same time; where they are more, they take turns.
  [[nodiscard]] virtual std::size_t at_once() const { return processors(); }
  /// Whether the processor may compute on host memory in place, as cores do.
  [[nodiscard]] virtual bool computes_in_host_memory(ProcessorId /*processor*/) const {
    return false;
  }
  /// Tasks that may be on a compute engine at once, the running one included, so that the next
  /// begins without the host's help.
  [[nodiscard]] virtual std::size_t lanes() const { return 1; }
  /// Loads may be asked for while this many of a processor, of `mean_bytes` each, are still on
  /// their way.
  [[nodiscard]] virtual std::size_t loads_ahead(double /*mean_bytes*/) const { return 0; }

  /// Results for which a processor has room beside its memory, where their way to host memory takes
  /// time beside loads; 0: it takes none that counts.
  [[nodiscard]] virtual std::size_t output_places() const { return 0; }

  /// Host memory that can be copied from and to (pinned, where that is faster).
  [[nodiscard]] virtual std::byte* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(std::byte* at) noexcept = 0;
  /// Memory of a processor, aligned to device_alignment.
  [[nodiscard]] virtual std::byte* allocate(ProcessorId processor, std::size_t bytes) = 0;
  virtual void release(ProcessorId processor, std::byte* at) noexcept = 0;
  /// Sets a processor's memory to zero bytes; before start_clock().
  virtual void clear(ProcessorId processor, std::byte* at, std::size_t bytes) = 0;

  /// Makes ready for tasks of this kernel (handles, workspaces, a first launch); before
  /// start_clock().
  virtual void prepare(const Kernel& kernel) = 0;
  /// Time 0 of all intervals; a new run, which nothing of an earlier one reaches into.
  virtual void start_clock() = 0;
  /// Seconds since then.
  [[nodiscard]] virtual double now_s() const = 0;

  /// `ready_s`: when the copy could start, the end of what it waited for.
  virtual void start_load(ProcessorId processor, std::byte* to, const std::byte* from,
                          std::size_t bytes, double ready_s) = 0;
  virtual Interval finish_load(ProcessorId processor) = 0;
  /// `from` is in the memory of the lender, which keeps it until the copy has ended.
  virtual void start_peer_load(ProcessorId lender, ProcessorId processor, std::byte* to,
                               const std::byte* from, std::size_t bytes, double ready_s) = 0;
  virtual Interval finish_peer_load(ProcessorId processor) = 0;
  virtual void start_task(ProcessorId processor, TaskCall call) = 0;
  virtual Interval finish_task(ProcessorId processor) = 0;
  virtual void start_write(ProcessorId processor, std::byte* to, const std::byte* from,
                           std::size_t bytes, double ready_s) = 0;
  virtual Interval finish_write(ProcessorId processor) = 0;

  /// The run is over: finishes that wait return soon, their results do not count. What was queued
  /// on a real device may still run; the device's destructor waits for it.
  virtual void cancel() noexcept = 0;
};

}  // namespace damocles
