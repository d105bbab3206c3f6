#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "tests/gpu/cuda/fake/fake.hpp"

namespace damocles::fake {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int> gpus{1};
std::atomic<bool> has_driver{true};
thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

constexpr std::size_t memory_bytes = std::size_t{4} << 30U;  // of all GPUs together

std::mutex memory_mutex;
std::map<const char*, std::size_t> pieces;  // by address, the host's too
std::map<const void*, std::size_t> on_gpus;
/// Lets copies of a GPU go one after the other, in the order in which they were started.
class Turns {
 public:
  /// Queues a copy on a stream: numbered and queued at once, or two on one stream could change
  /// places and wait for each other.
  void queue(Stream& stream, const Stream::Work& copy) {
    const std::lock_guard lock(issuing_);
    stream.queue([this, copy, number = drawn_++](Stream::Time& at) {
      wait_for(number);
      at = std::max(at, until_);
      copy(at);
      until_ = at;
      end();
    });
  }

 private:
  void wait_for(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    over_.wait(lock, [&] { return done_ == number; });
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ++done_;
    }
    over_.notify_all();
  }

  std::mutex issuing_;
  std::uint64_t drawn_ = 0;
  std::mutex mutex_;
  std::condition_variable over_;
  std::uint64_t done_ = 0;
  Stream::Time until_{};  // the copy before, done; whose turn it is looks at it
};

Turns& turns_of(int gpu, bool inwards) {
  static std::mutex mutex;
  static std::map<std::pair<int, bool>, Turns> all;
  const std::lock_guard lock(mutex);
  return all[{gpu, inwards}];
}

std::size_t used_bytes = 0;    // by those on GPUs
std::size_t pinned_bytes = 0;  // of the host

struct Event {
  std::mutex mutex;
  std::condition_variable reached;
  int gpu = current;
  int records = 0;     // not reached yet
  bool green = false;  // recorded on a green context's stream
  bool recorded = false;
  Clock::time_point at;
};

/// When the host hears that it was reached.
Clock::time_point heard(const Event& event) {
  return event.at +
         std::chrono::round<Clock::duration>(std::chrono::duration<double>(kind().heard_after_s));
}

// Shared: an event may be destroyed while it is on its way.
using Handle = std::shared_ptr<Event>;

Handle& event_of(cudaEvent_t handle) { return *reinterpret_cast<Handle*>(handle); }

cudaError_t said(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}

cudaError_t allocate(void** at, std::size_t bytes) {
  if (fault() != cudaSuccess) return said(fault());
  *at = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*at == nullptr) return said(cudaErrorMemoryAllocation);
  const std::lock_guard lock(memory_mutex);
  pieces[static_cast<char*>(*at)] = bytes;
  return cudaSuccess;
}

cudaError_t release(void* at) {
  if (at == nullptr) return cudaSuccess;
  const std::lock_guard lock(memory_mutex);
  if (pieces.erase(static_cast<char*>(at)) == 0) return said(cudaErrorInvalidValue);
  std::free(at);
  return fault();
}

bool pin(std::size_t bytes) {
  const std::lock_guard lock(memory_mutex);
  if (bytes > kind().pinnable_bytes - std::min(pinned_bytes, kind().pinnable_bytes)) return false;
  pinned_bytes += bytes;
  return true;
}

void unpin(void* at) {
  const std::lock_guard lock(memory_mutex);
  if (const auto piece = pieces.find(static_cast<char*>(at)); piece != pieces.end())
    pinned_bytes -= piece->second;
}

}  // namespace

void set_gpus(int count) { gpus = count; }
void set_driver(bool has) { has_driver = has; }

Kind& kind() {
  static Kind kind = [] {
    const auto said = [](const char* name) {
      const char* const text = std::getenv(name);
      return text == nullptr ? 0 : std::strtod(text, nullptr);
    };
    return Kind{.flops_per_s = said("DAMOCLES_FAKE_FLOPS_PER_S"),
                .bytes_per_s = said("DAMOCLES_FAKE_BYTES_PER_S"),
                .heard_after_s = said("DAMOCLES_FAKE_HEARD_AFTER_S")};
  }();
  return kind;
}

void take(Stream::Time& at, double seconds) {
  at += std::chrono::round<Clock::duration>(std::chrono::duration<double>(seconds));
  std::this_thread::sleep_until(at);
}

Stream::Stream(int on, unsigned multiprocessors_first, unsigned count, bool is_green)
    : gpu(on),
      first(multiprocessors_first),
      multiprocessors(count),
      green(is_green),
      thread_([this] { work_off(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Stream::queue(Work work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(work), Clock::now()});
  }
  changed_.notify_all();
}

void Stream::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

void Stream::work_off() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return over_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const auto next = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    Time at = kind().is_timed() ? std::max(next.since, until_) : Clock::now();
    next.work(at);
    until_ = at;
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

cudaStream_t handle_of(Stream* stream) { return reinterpret_cast<cudaStream_t>(stream); }
Stream& stream_of(cudaStream_t handle) { return *reinterpret_cast<Stream*>(handle); }

Place place_of(const void* at, std::size_t bytes) {
  const std::lock_guard lock(memory_mutex);
  const auto* const begin = static_cast<const char*>(at);
  auto piece = pieces.upper_bound(begin);
  if (piece == pieces.begin()) return Place::nowhere;
  --piece;
  if (begin + bytes > piece->first + piece->second) return Place::nowhere;
  return on_gpus.contains(piece->first) ? Place::gpu : Place::host;
}

std::atomic<cudaError_t>& fault() {
  static std::atomic<cudaError_t> error{cudaSuccess};
  return error;
}

}  // namespace damocles::fake

using namespace damocles::fake;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = gpus;
  return has_driver ? cudaSuccess : said(cudaErrorInsufficientDriver);
}
cudaError_t cudaDeviceCanAccessPeer(int* may, int gpu, int other) {
  if (gpu < 0 || gpu >= gpus || other < 0 || other >= gpus) return said(cudaErrorInvalidDevice);
  *may = gpu == other ? 0 : 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags) {
  if (other < 0 || other >= gpus || other == current) return said(cudaErrorInvalidDevice);
  if (flags != 0) return said(cudaErrorInvalidValue);
  static std::set<std::pair<int, int>> reached;
  const bool is_new = reached.emplace(current, other).second;
  return is_new ? cudaSuccess : said(cudaErrorPeerAccessAlreadyEnabled);
}
cudaError_t cudaSetDevice(int gpu) {
  if (gpu < 0 || gpu >= gpus) return said(cudaErrorInvalidDevice);
  current = gpu;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* gpu) {
  *gpu = current;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*gpu*/) {
  *properties = {};
  std::strcpy(properties->name, "fake GPU");
  properties->multiProcessorCount = static_cast<int>(multiprocessors_of_gpu);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*gpu*/) {
  if (attribute == cudaDevAttrMultiProcessorCount)
    *value = static_cast<int>(multiprocessors_of_gpu);
  else if (attribute == cudaDevAttrComputeCapabilityMajor)
    *value = 9;
  else if (attribute == cudaDevAttrPageableMemoryAccess)
    *value = 0;
  else
    return said(cudaErrorInvalidValue);
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    default:
      return "cudaErrorOfFake";
  }
}
const char* cudaGetErrorString(cudaError_t /*error*/) { return "as a fake says it"; }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last;
  last = fault();
  return error;
}

cudaError_t cudaMalloc(void** at, size_t bytes) {
  {
    const std::lock_guard lock(memory_mutex);
    if (bytes > memory_bytes - used_bytes) return said(cudaErrorMemoryAllocation);
  }
  const cudaError_t status = allocate(at, bytes);
  if (status != cudaSuccess) return status;
  const std::lock_guard lock(memory_mutex);
  used_bytes += on_gpus[*at] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void* at) {
  {
    const std::lock_guard lock(memory_mutex);
    if (const auto found = on_gpus.find(at); found != on_gpus.end()) {
      used_bytes -= found->second;
      on_gpus.erase(found);
    }
  }
  return release(at);
}
cudaError_t cudaHostAlloc(void** at, size_t bytes, unsigned /*flags*/) {
  if (!pin(bytes)) return said(cudaErrorMemoryAllocation);
  return allocate(at, bytes);
}
cudaError_t cudaFreeHost(void* at) {
  unpin(at);
  return release(at);
}
cudaError_t cudaHostRegister(void* at, size_t bytes, unsigned /*flags*/) {
  if (!kind().registers_memory) return said(cudaErrorNotSupported);
  if (!pin(bytes)) return said(cudaErrorMemoryAllocation);
  const std::lock_guard lock(memory_mutex);
  pieces[static_cast<char*>(at)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* at) {
  unpin(at);
  const std::lock_guard lock(memory_mutex);
  return pieces.erase(static_cast<char*>(at)) == 1 ? cudaSuccess
                                                   : said(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const std::lock_guard lock(memory_mutex);
  *total = memory_bytes;
  *free = memory_bytes - used_bytes;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind direction,
                            cudaStream_t stream) {
  if (fault() != cudaSuccess) return said(fault());
  if (bytes == 0) return cudaSuccess;
  const Place source = place_of(from, bytes);
  const Place target = place_of(to, bytes);
  if (source == Place::nowhere || target == Place::nowhere) return said(cudaErrorInvalidValue);
  const bool inwards = direction == cudaMemcpyHostToDevice;
  const bool among_gpus =
      direction == cudaMemcpyDefault && source == Place::gpu && target == Place::gpu;
  if (!among_gpus && (source != (inwards ? Place::host : Place::gpu) ||
                      target != (inwards ? Place::gpu : Place::host)))
    return said(cudaErrorInvalidMemcpyDirection);
  const auto copy = [=](Stream::Time& at) {
    std::memcpy(to, from, bytes);
    if (kind().bytes_per_s > 0) take(at, static_cast<double>(bytes) / kind().bytes_per_s);
  };
  if (kind().copies_take_turns && !among_gpus)
    turns_of(stream_of(stream).gpu, inwards).queue(stream_of(stream), copy);
  else
    stream_of(stream).queue(copy);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_stride, const void* from, size_t from_stride,
                              size_t width, size_t height, cudaMemcpyKind direction,
                              cudaStream_t stream) {
  if (width > to_stride || width > from_stride) return said(cudaErrorInvalidPitchValue);
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t status = cudaMemcpyAsync(static_cast<char*>(to) + row * to_stride,
                                               static_cast<const char*>(from) + row * from_stride,
                                               width, direction, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t stream) {
  if (fault() != cudaSuccess) return said(fault());
  if (place_of(at, bytes) != Place::gpu) return said(cudaErrorInvalidValue);
  stream_of(stream).queue([=](Stream::Time& /*at*/) { std::memset(at, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = handle_of(new Stream(current, 0, multiprocessors_of_gpu));
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete &stream_of(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  stream_of(stream).wait();
  return said(fault());
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  *event = reinterpret_cast<cudaEvent_t>(new Handle(std::make_shared<Event>()));
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete &event_of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  const Handle shared = event_of(handle);
  Event& event = *shared;
  if (event.gpu != stream_of(stream).gpu || stream_of(stream).gpu != current)
    return said(cudaErrorInvalidResourceHandle);
  {
    const std::lock_guard lock(event.mutex);
    ++event.records;
    event.recorded = true;
    event.green = stream_of(stream).green;
  }
  stream_of(stream).queue([shared](Stream::Time& at) {
    const std::lock_guard lock(shared->mutex);
    shared->at = at;
    --shared->records;
    shared->reached.notify_all();
  });
  return said(fault());
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  Event& event = *event_of(handle);
  const std::lock_guard lock(event.mutex);
  if (event.records > 0 || Clock::now() < heard(event)) return said(cudaErrorNotReady);
  return said(fault());
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  Event& event = *event_of(handle);
  std::unique_lock lock(event.mutex);
  event.reached.wait(lock, [&event] { return event.records == 0; });
  const auto until = heard(event);
  lock.unlock();
  std::this_thread::sleep_until(until);
  return said(fault());
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  Event& from = *event_of(begin);
  Event& to = *event_of(end);
  if (from.gpu != to.gpu || !from.recorded || !to.recorded ||
      (from.green != to.green && !kind().times_green_streams))
    return said(cudaErrorInvalidResourceHandle);
  if (from.records > 0 || to.records > 0) return said(cudaErrorNotReady);
  *ms = std::chrono::duration<float, std::milli>(to.at - from.at).count();
  return cudaSuccess;
}

}  // extern "C"
