#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/device.hpp"
#include "gpu/memory/store.hpp"
#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"
#include "strategies/registry.hpp"
#include "strategies/runtime/runtime.hpp"

namespace damocles {

struct ExecutorOptions {
  std::uint64_t seed = 1;
  std::uint64_t replicate = 0;
  /// Where memory is unlimited: a processor asks when fewer of its tasks than this are left.
  std::size_t depth = 1;
  /// Seconds that a second of the platform's time takes; tasks and bus are slowed down to it. 0:
  /// they take as long as they take.
  double time_scale = 0;
  bool writes_count = false;  ///< the makespan ends with the last result, not the last task
  bool keep_events = false;   ///< fills Execution::events
  /// Set from outside (a signal): the run ends soon, as failed.
  const std::atomic<bool>* interrupted = nullptr;
};

/// What a run on a device did.
struct Execution {
  Trace trace;          ///< counted at the copy calls and kernels; bytes are always filled in
  std::string failure;  ///< why the run ended early, or ""
  /// In the order of decisions; the times are those of the device, those of starts the real ones.
  std::vector<RunEvent> events;
  /// Sent back apart from trace.bytes_written [B]: partial sums, and data that tasks wrote and the
  /// runtime did not send to host memory.
  std::uint64_t bytes_summed = 0;
  double total_s = 0;   ///< until the last result was back [s]
  double latest_s = 0;  ///< of a paced run: the longest that a thread woke up too late [s]
  std::vector<std::uint64_t> peak_bytes;  ///< data memory in use at most, shape (p) [B]
};

/// Makes what decides, for a machine of this many lanes.
using MakeRuntime = std::function<std::unique_ptr<Runtime>(ExecutionBackend&)>;

/// One run on real memory. Each processor has a copy-in, a compute and a copy-out engine with a
/// thread each, which wait for the device and take one lock to tell the runtime what ended; what
/// then starts is queued on the device under that lock. So the strategy is asked by one thread at a
/// time, and loads and bytes are counted at the copy call.
///
/// Results: a task that alone writes its output tile sends it to host memory at once. Sums stay on
/// the processor; those in data memory go to host memory when evicted, all others at the end, and
/// are added up on the host. Data that tasks write go to host memory when the runtime says so, or
/// at the end. The makespan is the end of the last task, or of the last result where the platform
/// writes outputs back, as in the simulator; `total_s` always includes the way to host memory.
///
/// A run that fails (device, strategy, interrupt) ends its threads and says why in `failure`, with
/// what was counted until then.
/// @param memory_bytes  of each processor [B], shape (p)
/// @throws DeviceError if the device has not the memory, InvalidInput as the runtime
[[nodiscard]] Execution execute(const Workload& workload, const Platform& platform,
                                const Arithmetic& arithmetic, Store& store, Device& device,
                                const std::vector<std::uint64_t>& memory_bytes,
                                const MakeRuntime& make_runtime, const ExecutorOptions& options);

/// The same for a strategy: where memory is limited, memory is theirs and MemoryAwareRuntime
/// decides; without, every processor has room for all data and UnlimitedMemoryRuntime decides.
/// Where the platform writes outputs back, the room for those on their way is set aside from its
/// memory.
[[nodiscard]] Execution execute(const Workload& workload, const Platform& platform,
                                const StrategyChoice& strategy, const Arithmetic& arithmetic,
                                Store& store, Device& device, const ExecutorOptions& options);

}  // namespace damocles
