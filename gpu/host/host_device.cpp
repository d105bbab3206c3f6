#include "gpu/host/host_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "gpu/host/host_kernels.hpp"
#include "gpu/host/throttled_bus.hpp"
#include "models/host_machine.hpp"
#include "models/host_memory.hpp"

namespace damocles {
namespace {

constexpr std::align_val_t tile_alignment{device_alignment};

/// Work that was started and not taken up yet.
template <typename Call>
class CallQueue {
 public:
  void push(Call call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  Call pop() {
    const std::lock_guard lock(mutex_);
    if (calls_.empty()) throw DeviceError("host: a finish without a start");
    Call call = std::move(calls_.front());
    calls_.pop_front();
    return call;
  }
  /// What a run that failed left.
  void clear() {
    const std::lock_guard lock(mutex_);
    calls_.clear();
  }

 private:
  std::mutex mutex_;
  std::deque<Call> calls_;
};

class HostDevice final : public Device {
 public:
  explicit HostDevice(const DeviceRequest& request)
      : writes_on_bus_(request.writes_on_bus),
        loads_bus_(request.bus, request.paced, clock_),
        free_bus_(std::nullopt, request.paced, clock_),
        nodes_(request.processors) {}

  [[nodiscard]] DeviceDescription description() const override {
    return {"host", machine_name(), host_kernel_library(),
            std::vector<std::string>(nodes_.size(), "a thread")};
  }
  [[nodiscard]] std::size_t processors() const override { return nodes_.size(); }
  [[nodiscard]] bool computes_in_host_memory(ProcessorId) const override { return true; }
  [[nodiscard]] std::size_t at_once() const override {
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, processors());
  }

  std::byte* allocate_host(std::size_t bytes) override { return allocate_bytes(bytes); }
  void release_host(std::byte* at) noexcept override {
    {
      const std::lock_guard lock(allocating_);
      large_.erase(at);
    }
    ::operator delete(at, tile_alignment);
  }
  std::byte* allocate(ProcessorId, std::size_t bytes) override { return allocate_bytes(bytes); }
  void release(ProcessorId, std::byte* at) noexcept override { release_host(at); }
  void clear(ProcessorId, std::byte* at, std::size_t bytes) override { std::memset(at, 0, bytes); }

  void prepare(const Kernel& kernel) override {
    kernel_ = kernel;
    if (kernel.kind == Kernel::Kind::product) (void)host_kernel_library();  // before any thread
  }
  void start_clock() override {
    loads_bus_.reset();
    free_bus_.reset();
    for (Node& node : nodes_) {
      node.loads.clear();
      node.peer_loads.clear();
      node.tasks.clear();
      node.writes.clear();
    }
    clock_.start();
  }
  [[nodiscard]] double now_s() const override { return clock_.now_s(); }

  void start_load(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                  double ready_s) override {
    nodes_[raw(processor)].loads.push(loads_bus_.ask(raw(processor), to, from, bytes, ready_s));
  }
  Interval finish_load(ProcessorId processor) override {
    return loads_bus_.copy(nodes_[raw(processor)].loads.pop());
  }

  void start_peer_load(ProcessorId lender, ProcessorId processor, std::byte* to,
                       const std::byte* from, std::size_t bytes, double ready_s) override {
    nodes_[raw(processor)].peer_loads.push(
        loads_bus_.ask_peer(raw(lender), raw(processor), to, from, bytes, ready_s));
  }
  Interval finish_peer_load(ProcessorId processor) override {
    return loads_bus_.copy(nodes_[raw(processor)].peer_loads.pop());
  }

  void start_task(ProcessorId processor, TaskCall call) override {
    nodes_[raw(processor)].tasks.push(std::move(call));
  }
  Interval finish_task(ProcessorId processor) override {
    const TaskCall call = nodes_[raw(processor)].tasks.pop();
    if (call.paced_s <= 0) {
      const double begin_s = clock_.now_s();
      run_on_host(kernel_, call);
      return {begin_s, clock_.now_s()};
    }
    const double before_s = thread_time_s();
    run_on_host(kernel_, call);
    const double end_s = call.ready_s + std::max(call.paced_s, thread_time_s() - before_s);
    clock_.wait_until(end_s);
    return {call.ready_s, end_s};
  }

  void start_write(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                   double ready_s) override {
    const std::size_t link = nodes_.size() + raw(processor);
    nodes_[raw(processor)].writes.push(writes_bus().ask(link, to, from, bytes, ready_s));
  }
  Interval finish_write(ProcessorId processor) override {
    return writes_bus().copy(nodes_[raw(processor)].writes.pop());
  }

  void cancel() noexcept override { clock_.cancel(); }

 private:
  [[nodiscard]] ThrottledBus& writes_bus() { return writes_on_bus_ ? loads_bus_ : free_bus_; }

  struct Node {
    CallQueue<ThrottledBus::Call> loads;
    CallQueue<ThrottledBus::Call> peer_loads;
    CallQueue<TaskCall> tasks;
    CallQueue<ThrottledBus::Call> writes;
  };

  std::byte* allocate_bytes(std::size_t bytes) {
    constexpr std::size_t worth_a_promise = std::size_t{1} << 27U;
    std::unique_ptr<MemoryPromise> promise;
    if (bytes >= worth_a_promise) {
      promise =
          std::make_unique<MemoryPromise>(static_cast<double>(bytes), MemoryPromise::Others::count);
    }
    auto* const at = static_cast<std::byte*>(::operator new(bytes, tile_alignment, std::nothrow));
    if (at == nullptr) {
      throw DeviceError(fmt::format("host: {} bytes of memory are not to be had", bytes));
    }
    if (promise) {
      const std::lock_guard lock(allocating_);
      large_.emplace(at, std::move(promise));
    }
    return at;
  }

  bool writes_on_bus_;
  RunClock clock_;
  ThrottledBus loads_bus_;
  ThrottledBus free_bus_;
  std::deque<Node> nodes_;
  Kernel kernel_;
  std::mutex allocating_;
  std::map<const std::byte*, std::unique_ptr<MemoryPromise>> large_;
};

}  // namespace

std::unique_ptr<Device> make_host_device(const DeviceRequest& request) {
  return std::make_unique<HostDevice>(request);
}

namespace {

const Register host_backend{
    BackendEntry{.name = "host",
                 .place = 1,
                 .summary = [] { return "host threads; products by " + host_kernel_library(); },
                 .make = make_host_device,
                 .paces_tasks = true,
                 .throttles_copies = true}};

}  // namespace
}  // namespace damocles
