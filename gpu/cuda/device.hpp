#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/cuda/engine.hpp"
#include "gpu/cuda/green.hpp"
#include "gpu/cuda/host_memory.hpp"
#include "gpu/cuda/product.hpp"
#include "gpu/cuda/shares.hpp"
#include "gpu/cuda_device.hpp"
#include "models/ids.hpp"

namespace damocles::cuda {

/// A part of a GPU with its engines.
class Processor {
 public:
  /// @param compute          the stream that tasks run on
  /// @param multiprocessors  that it may use, >= 1
  /// @param part             what it is made of, as "16 SMs"
  /// @param patience         of its engines
  Processor(int gpu, Stream compute, unsigned multiprocessors, std::string part,
            std::chrono::microseconds patience);

  const int gpu;
  const unsigned multiprocessors;
  const std::string part;
  Engine loads;
  Engine peer_loads;
  Engine tasks;
  Engine writes;
  /// All of them.
  [[nodiscard]] std::array<Engine*, 4> engines() { return {&loads, &peer_loads, &tasks, &writes}; }
  std::unique_ptr<Product> product;  // where prepare() saw one
  DeviceMemory sum;                  // of the running checksum task that writes data; the same
};

/// The device behind make_cuda_device(); its contract is Device's.
class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const CudaOptions& options);
  ~CudaDevice() override;

  [[nodiscard]] DeviceDescription description() const override;
  [[nodiscard]] std::size_t processors() const override { return processors_.size(); }
  /// Two: when a task ends, the GPU goes to the queued one by itself, and while that runs the host
  /// hears of the end and queues another.
  [[nodiscard]] std::size_t lanes() const override { return 2; }
  /// One more than tasks at once, so that the next task finds room.
  [[nodiscard]] std::size_t output_places() const override { return lanes() + 1; }
  /// As many as take 400 us at 50 GB/s, at least one and at most 16: until the host has heard of an
  /// end and queued another load the copy engine goes on by itself. More would only settle earlier
  /// than needed what is loaded next. The processors of a GPU share its copy engine.
  [[nodiscard]] std::size_t loads_ahead(double mean_bytes) const override;

  [[nodiscard]] std::byte* allocate_host(std::size_t bytes) override;
  void release_host(std::byte* at) noexcept override;
  [[nodiscard]] std::byte* allocate(ProcessorId processor, std::size_t bytes) override;
  void release(ProcessorId processor, std::byte* at) noexcept override;
  void clear(ProcessorId processor, std::byte* at, std::size_t bytes) override;

  void prepare(const Kernel& kernel) override;
  void start_clock() override;
  [[nodiscard]] double now_s() const override;

  void start_load(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                  double ready_s) override;
  Interval finish_load(ProcessorId processor) override;
  void start_peer_load(ProcessorId lender, ProcessorId processor, std::byte* to,
                       const std::byte* from, std::size_t bytes, double ready_s) override;
  Interval finish_peer_load(ProcessorId processor) override;
  void start_task(ProcessorId processor, TaskCall call) override;
  Interval finish_task(ProcessorId processor) override;
  void start_write(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                   double ready_s) override;
  Interval finish_write(ProcessorId processor) override;

  void cancel() noexcept override;

  /// For looking into it: the stream of a processor's tasks, and its GPU.
  [[nodiscard]] const Processor& processor(ProcessorId id) const;

 private:
  void make_processors(int gpu, const std::vector<Place>& all, std::chrono::microseconds patience);
  [[nodiscard]] Processor& at(ProcessorId id);
  void run_copies_once();

  std::vector<std::optional<GreenContexts>> green_;  // shape (GPUs); outlives the streams
  std::vector<std::string> names_;                   // shape (GPUs)
  std::vector<std::unique_ptr<Processor>> processors_;
  HostMemory host_;
  std::vector<Event> bases_;  // shape (GPUs)
  Kernel kernel_;
  std::chrono::steady_clock::time_point zero_;
};

}  // namespace damocles::cuda
