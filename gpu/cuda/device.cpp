#include "gpu/cuda/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>
#include <utility>

#include "gpu/cuda/kernels.hpp"
#include "models/error.hpp"

extern "C" void damocles_make_cuda_device(const damocles::CudaOptions& options,
                                          std::unique_ptr<damocles::Device>& device) {
  device = std::make_unique<damocles::cuda::CudaDevice>(options);
}

namespace damocles {
namespace cuda {
namespace {

std::size_t count_gpus() {
  // Streams that share one of the hardware's queues wait for each other. Of its 32, a context uses
  // 8 unless this says otherwise, fewer than three processors have streams. Read when the context
  // is made, so it comes before any other call.
  (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  int gpus = 0;
  const cudaError_t status = cudaGetDeviceCount(&gpus);
  if (status == cudaSuccess && gpus > 0) return static_cast<std::size_t>(gpus);
  (void)cudaGetLastError();
  if (status == cudaErrorInsufficientDriver) {
    throw DeviceError(
        fmt::format("no CUDA driver was found, or one that is older than CUDA {}.{} needs ({}); "
                    "see nvidia-smi, or use --backend host",
                    CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, cudaGetErrorName(status)));
  }
  const cudaError_t why = status == cudaSuccess ? cudaErrorNoDevice : status;
  throw DeviceError(fmt::format("no CUDA device was found ({}: {}); use --backend host",
                                cudaGetErrorName(why), cudaGetErrorString(why)));
}

unsigned multiprocessors_of(int gpu) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, gpu),
        "asking for the multiprocessors");
  return static_cast<unsigned>(count);
}

// Three engines a processor at work, a thread each: where every one has a core, asking costs nobody
// anything. Waking up took 68 us on an H200 (95 %: 155 us), longer than a task of 60 us.
std::chrono::microseconds patience_of(std::size_t processors, std::size_t threads_beside) {
  const bool has_cores = 3 * processors + threads_beside < std::thread::hardware_concurrency();
  constexpr std::chrono::seconds longer_than_any_work{1};
  return has_cores ? longer_than_any_work : std::chrono::microseconds(0);
}

void start_checksum_task(Processor& on, const TaskCall& call) {
  auto* const sum = call.output != nullptr ? reinterpret_cast<std::uint64_t*>(call.output)
                                           : static_cast<std::uint64_t*>(on.sum.get());
  start_checksum(call.inputs, sum, call.accumulate, on.multiprocessors, on.tasks.stream());
  start_writing(call.written, sum, on.multiprocessors, on.tasks.stream());
}

// Until a GPU is told that it may reach another's memory, copies between the two go over the host.
void let_reach_each_other(int gpus) {
  for (int from = 0; from < gpus; ++from) {
    check(cudaSetDevice(from), "choosing the GPU");
    for (int to = 0; to < gpus; ++to) {
      int may = 0;
      if (to != from) check(cudaDeviceCanAccessPeer(&may, from, to), "asking for peer access");
      if (may == 0) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
      if (status != cudaErrorPeerAccessAlreadyEnabled) check(status, "enabling peer access");
      (void)cudaGetLastError();
    }
  }
}

std::string name_of(int gpu) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, gpu), "asking for the GPU's properties");
  return properties.name;
}

}  // namespace

Processor::Processor(int on, Stream compute, unsigned has, std::string made_of,
                     std::chrono::microseconds patience)
    : gpu(on),
      multiprocessors(has),
      part(std::move(made_of)),
      loads(on, make_stream(), patience),
      peer_loads(on, make_stream(), patience),
      tasks(on, std::move(compute), patience),
      writes(on, make_stream(), patience) {}

CudaDevice::CudaDevice(const CudaOptions& options) {
  const std::size_t gpus = count_gpus();
  const auto all = places(options, gpus);
  const std::size_t used = std::min(gpus, all.size());
  processors_.resize(all.size());
  green_.resize(used);
  for (std::size_t gpu = 0; gpu < used; ++gpu) {
    names_.push_back(name_of(static_cast<int>(gpu)));
    make_processors(static_cast<int>(gpu), all, patience_of(all.size(), options.threads_beside));
    bases_.push_back(make_event());
  }
  let_reach_each_other(static_cast<int>(used));
  run_copies_once();
  start_clock();  // so that intervals have a meaning from the start; whoever runs starts it again
}

std::size_t CudaDevice::loads_ahead(double mean_bytes) const {
  constexpr double queued_bytes = 400e-6 * 50e9;
  constexpr double most = 16;
  const auto on_first = std::count_if(processors_.begin(), processors_.end(),
                                      [](const auto& processor) { return processor->gpu == 0; });
  const double each = queued_bytes / static_cast<double>(on_first);  // the first GPU has most
  return static_cast<std::size_t>(std::clamp(std::ceil(each / mean_bytes), 1.0, most));
}

void CudaDevice::make_processors(int gpu, const std::vector<Place>& all,
                                 std::chrono::microseconds patience) {
  std::vector<std::size_t> here;
  std::vector<unsigned> asked;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].gpu != gpu) continue;
    here.push_back(i);
    asked.push_back(all[i].multiprocessors);
  }
  check(cudaSetDevice(gpu), "choosing the GPU");
  const unsigned whole = multiprocessors_of(gpu);
  auto& green = green_[static_cast<std::size_t>(gpu)];
  std::string part = fmt::format("{} SMs", whole);
  if (all[here.front()].split) {
    const auto& name = names_[static_cast<std::size_t>(gpu)];
    std::string reason;
    green = GreenContexts::split(gpu, fmt::format("GPU {} ({})", gpu, name), asked, reason);
    if (!green && asked.front() != 0) {
      throw DeviceError(fmt::format(
          "GPU {} ({}) cannot be split as asked: {}; without --sms its processors share all multiprocessors",
          gpu, name, reason));
    }
    if (!green) {
      part = fmt::format("stream of its own; green contexts are not to be had: {}", reason);
    }
  }
  for (std::size_t k = 0; k < here.size(); ++k) {
    auto& processor = processors_[here[k]];
    if (!green) {
      processor = std::make_unique<Processor>(gpu, make_stream(), whole, part, patience);
      continue;
    }
    const unsigned share = green->multiprocessors(k);
    part = fmt::format("{} SMs in a green context", share);
    if (green->seen(k) != share) part += fmt::format(" (work came to {})", green->seen(k));
    processor = std::make_unique<Processor>(gpu, green->take_stream(k), share, part, patience);
  }
}

CudaDevice::~CudaDevice() {
  for (auto& processor : processors_) {
    if (processor == nullptr) continue;
    for (Engine* engine : processor->engines()) engine->drain();
    processor.reset();  // while its GPU is the current one, as cuBLAS expects
  }
}

// The first use of a stream or of a direction costs more than the next.
void CudaDevice::run_copies_once() {
  constexpr std::size_t bytes = 256;
  std::byte* const host = allocate_host(bytes);
  const std::unique_ptr<std::byte, Destroy<cudaFreeHost>> owner(host);
  for (const auto& processor : processors_) {
    check(cudaSetDevice(processor->gpu), "choosing the GPU");
    const DeviceMemory there = make_memory(bytes, "allocating for a first copy");
    check(cudaMemcpyAsync(there.get(), host, bytes, cudaMemcpyHostToDevice,
                          processor->loads.stream()),
          "copying to the GPU for the first time");
    check(cudaStreamSynchronize(processor->loads.stream()), "copying to the GPU");
    check(cudaMemcpyAsync(host, there.get(), bytes, cudaMemcpyDeviceToHost,
                          processor->writes.stream()),
          "copying from the GPU for the first time");
    check(cudaStreamSynchronize(processor->writes.stream()), "copying from the GPU");
  }
}

Processor& CudaDevice::at(ProcessorId id) { return *processors_[raw(id)]; }

const Processor& CudaDevice::processor(ProcessorId id) const { return *processors_[raw(id)]; }

std::byte* CudaDevice::allocate_host(std::size_t bytes) { return host_.allocate(bytes); }

void CudaDevice::release_host(std::byte* at) noexcept { host_.release(at); }

std::byte* CudaDevice::allocate(ProcessorId processor, std::size_t bytes) {
  check(cudaSetDevice(at(processor).gpu), "choosing the GPU");
  return static_cast<std::byte*>(
      make_memory(std::max<std::size_t>(bytes, 1), "allocating memory of a processor").release());
}

void CudaDevice::release(ProcessorId processor, std::byte* at) noexcept {
  (void)cudaSetDevice(this->at(processor).gpu);
  (void)cudaFree(at);
}

void CudaDevice::clear(ProcessorId processor, std::byte* at, std::size_t bytes) {
  const Processor& on = this->at(processor);
  check(cudaSetDevice(on.gpu), "choosing the GPU");
  check(cudaMemsetAsync(at, 0, bytes, on.loads.stream()), "clearing memory");
  check(cudaStreamSynchronize(on.loads.stream()), "clearing memory");
}

void CudaDevice::prepare(const Kernel& kernel) {
  kernel_ = kernel;
  for (const auto& processor : processors_) {
    check(cudaSetDevice(processor->gpu), "choosing the GPU");
    const cudaStream_t stream = processor->tasks.stream();
    if (kernel.kind == Kernel::Kind::product) {
      if (processor->product == nullptr) {
        const bool split = green_[static_cast<std::size_t>(processor->gpu)].has_value();
        processor->product =
            std::make_unique<Product>(stream, split ? processor->multiprocessors : 0);
      }
      processor->product->warm_up(kernel);
    } else if (kernel.kind == Kernel::Kind::checksum) {
      if (!processor->sum) {
        processor->sum = make_memory(sizeof(std::uint64_t), "allocating a checksum");
      }
      auto* const sum = static_cast<std::uint64_t*>(processor->sum.get());
      const TaskCall::Input none{static_cast<const std::byte*>(processor->sum.get()), 0};
      start_checksum({&none, 1}, sum, false, processor->multiprocessors, stream);
      const TaskCall::Written nothing{static_cast<std::byte*>(processor->sum.get()), 0, 0};
      start_writing({&nothing, 1}, sum, processor->multiprocessors, stream);
      check(cudaStreamSynchronize(stream), "running a first checksum");
    }
  }
}

void CudaDevice::start_clock() {
  for (const auto& processor : processors_) {
    check(cudaSetDevice(processor->gpu), "choosing the GPU");
    for (const Engine* engine : processor->engines())
      check(cudaStreamSynchronize(engine->stream()), "waiting for earlier work");
  }
  zero_ = std::chrono::steady_clock::now();
  for (std::size_t gpu = 0; gpu < bases_.size(); ++gpu) {
    check(cudaSetDevice(static_cast<int>(gpu)), "choosing the GPU");
    const cudaStream_t stream = processors_[gpu]->loads.stream();  // processor i is on GPU i
    // When the GPU reached an event is known to half of what its round trip takes, some us; the
    // first trips take longer, and some are disturbed. It waits busily, as waking up would count.
    Event tried = make_event();
    double base_s = 0;
    double shortest_s = std::numeric_limits<double>::infinity();
    for (int trip = 0; trip < 16; ++trip) {
      const double before = now_s();
      check(cudaEventRecord(tried.get(), stream), "starting the clock");
      cudaError_t status = cudaSuccess;
      while ((status = cudaEventQuery(tried.get())) == cudaErrorNotReady) {
      }
      check(status, "starting the clock");
      const double after = now_s();
      if (after - before >= shortest_s) continue;
      shortest_s = after - before;
      base_s = (before + after) / 2;
      std::swap(tried, bases_[gpu]);
    }
    (void)cudaGetLastError();  // "not ready" is no error, yet it is kept as the last one
    for (const auto& processor : processors_) {
      if (processor->gpu != static_cast<int>(gpu)) continue;
      for (Engine* engine : processor->engines()) engine->start_clock(bases_[gpu].get(), base_s);
    }
  }
  // What this took, some ms of many engines, is no part of the run.
  const double spent_s = now_s();
  zero_ += std::chrono::round<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(spent_s));
  for (const auto& processor : processors_) {
    for (Engine* engine : processor->engines()) engine->set_clock_back(spent_s);
  }
}

double CudaDevice::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - zero_).count();
}

void CudaDevice::start_load(ProcessorId processor, std::byte* to, const std::byte* from,
                            std::size_t bytes, double /*ready_s*/) {
  at(processor).loads.start([&](cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "copying data in");
  });
}

Interval CudaDevice::finish_load(ProcessorId processor) {
  return at(processor).loads.finish("copying data in");
}

// From another part of the same GPU, or from another GPU: directly where the two may reach each
// other, else over the host, as the driver decides from the addresses.
void CudaDevice::start_peer_load(ProcessorId /*lender*/, ProcessorId processor, std::byte* to,
                                 const std::byte* from, std::size_t bytes, double /*ready_s*/) {
  at(processor).peer_loads.start([&](cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copying between GPUs");
  });
}

Interval CudaDevice::finish_peer_load(ProcessorId processor) {
  return at(processor).peer_loads.finish("copying between GPUs");
}

void CudaDevice::start_task(ProcessorId processor, TaskCall call) {
  if (call.paced_s > 0) {
    throw InvalidInput(
        "the cuda device runs tasks as fast as it can; --pace needs --backend host, and processors of several speeds are shares of multiprocessors");
  }
  Processor& on = at(processor);
  on.tasks.start([&](cudaStream_t /*its own*/) {
    switch (kernel_.kind) {
      case Kernel::Kind::product:
        on.product->start(kernel_, call);
        break;
      case Kernel::Kind::checksum:
        start_checksum_task(on, call);
        break;
      case Kernel::Kind::empty:
        break;
    }
  });
}

Interval CudaDevice::finish_task(ProcessorId processor) {
  return at(processor).tasks.finish("running a task");
}

void CudaDevice::start_write(ProcessorId processor, std::byte* to, const std::byte* from,
                             std::size_t bytes, double /*ready_s*/) {
  at(processor).writes.start([&](cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "copying results out");
  });
}

Interval CudaDevice::finish_write(ProcessorId processor) {
  return at(processor).writes.finish("copying results out");
}

void CudaDevice::cancel() noexcept {
  for (const auto& processor : processors_) {
    for (Engine* engine : processor->engines()) engine->cancel();
  }
}

}  // namespace cuda
}  // namespace damocles
