#include "gpu/executor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/real_time_backend.hpp"
#include "models/error.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/quantity.hpp"
#include "strategies/runtime/memory_aware_runtime.hpp"
#include "strategies/runtime/unlimited_memory_runtime.hpp"

namespace damocles {
namespace {

/// Room for every data item of the workload, on each processor.
std::vector<std::uint64_t> room_for_all(const Arithmetic& arithmetic, std::size_t processors) {
  std::uint64_t bytes = 0;
  for (std::uint64_t data = 0; data < arithmetic.data(); ++data) {
    bytes += arithmetic.data_bytes(DataId{data});
  }
  return std::vector<std::uint64_t>(processors, bytes);
}

/// @throws InvalidInput if a task's inputs and the results on their way back exceed the memory [B]
/// of a processor
void refuse_unfit_beside_results(const Workload& workload, const MachineModel& machine,
                                 const std::vector<std::uint64_t>& memory,
                                 std::uint64_t bytes_set_aside) {
  const TaskGraph& graph = workload.graph();
  const auto least = std::min_element(memory.begin(), memory.end());
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<TaskGraph::Index>(t);
    const std::uint64_t need = graph.footprint(task) + bytes_set_aside;
    if (need <= *least) continue;
    throw InvalidInput(fmt::format(
        "task {} of '{}' reads {} and {} are for outputs on their way back, but {} has {} of memory; give {} or more",
        graph.task_name(task), workload.text(), size_text(graph.footprint(task)),
        size_text(bytes_set_aside),
        processor_name(machine, static_cast<std::size_t>(least - memory.begin())),
        size_text(*least), memory_to_give(graph, need)));
  }
}

/// @throws InvalidInput where tasks that write data also have outputs of their own to write back
void refuse_outputs_beside_data(const Workload& workload, const MachineModel& machine) {
  if (!machine.write_back) return;
  const TaskGraph& graph = workload.graph();
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<TaskGraph::Index>(t);
    if (graph.output_bytes(task) == 0) continue;
    throw InvalidInput(fmt::format(
        "task {} of '{}' has an output of {} apart from the data that tasks write: executors "
        "compute only data here; leave output_bytes out, or write_back=false",
        graph.task_name(task), workload.text(), size_text(graph.output_bytes(task))));
  }
}

/// @throws InvalidInput where the device has not what the platform says, or cannot do what it asks
void refuse_machine(const Workload& workload, const MachineModel& machine, const Device& device) {
  for (std::size_t p = 0; p < machine.processors.size(); ++p) {
    if (!machine.processors[p].in_host_memory) continue;
    if (device.computes_in_host_memory(ProcessorId{static_cast<std::uint32_t>(p)})) continue;
    throw Infeasible(
        "the processors of this backend cannot compute in the host's memory; leave cpus= out, or use --backend host");
  }
  if (workload.writes()) refuse_outputs_beside_data(workload, machine);
}

/// The machine as the runtime sees them: room for results on their way out is set aside, since the
/// executor manages it, and bytes are named, not a number of data. Where tasks write data, the
/// runtime sends them to host memory itself. Loads are queued as the device needs them, unless the
/// machine says how.
MachineModel set_aside_results(const Workload& workload, const MachineModel& machine,
                               std::uint64_t bytes_set_aside, std::uint64_t loads_ahead) {
  MachineModel result = machine;
  if (machine.loads_ahead == 0) result.loads_ahead = loads_ahead;
  if (workload.writes()) return result;
  result.write_back = false;
  const auto memory = memory_bytes(machine, workload);
  if (machine.write_back) refuse_unfit_beside_results(workload, machine, memory, bytes_set_aside);
  for (std::size_t p = 0; p < memory.size(); ++p) {
    if (machine.processors[p].in_host_memory) continue;
    result.processors[p].memory_data = 0;
    result.processors[p].memory_bytes = memory[p] - (machine.write_back ? bytes_set_aside : 0);
  }
  return result;
}

}  // namespace

Execution execute(const Workload& workload, const Platform& platform, const Arithmetic& arithmetic,
                  Store& store, Device& device, const std::vector<std::uint64_t>& memory_bytes,
                  const MakeRuntime& make_runtime, const ExecutorOptions& options) {
  if (platform.machine) refuse_machine(workload, *platform.machine, device);
  RealTimeBackend backend(workload, platform, arithmetic, store, device, memory_bytes, options);
  return backend.run(make_runtime);
}

Execution execute(const Workload& workload, const Platform& platform,
                  const StrategyChoice& strategy, const Arithmetic& arithmetic, Store& store,
                  Device& device, const ExecutorOptions& options) {
  if (!platform.machine) {
    workload.refuse_dependencies();
    return execute(
        workload, platform, arithmetic, store, device,
        room_for_all(arithmetic, platform.processors()),
        [&](ExecutionBackend& backend) {
          return std::make_unique<UnlimitedMemoryRuntime>(workload, platform, strategy,
                                                          options.seed, options.replicate,
                                                          options.depth, device.lanes(), backend);
        },
        options);
  }
  refuse_unlimited(workload);
  Platform seen = platform;
  seen.machine = set_aside_results(workload, *platform.machine,
                                   (device.lanes() + 1) * arithmetic.output_bytes(),
                                   device.loads_ahead(workload.graph().mean_bytes()));
  ExecutorOptions with_writes = options;
  with_writes.writes_count = platform.machine->write_back;
  return execute(
      workload, seen, arithmetic, store, device, memory_bytes(*seen.machine, workload),
      [&](ExecutionBackend& backend) {
        return std::make_unique<MemoryAwareRuntime>(
            workload, seen, strategy, options.seed, options.replicate,
            RuntimeOptions{.lanes = device.lanes(), .timed = true}, backend);
      },
      with_writes);
}

}  // namespace damocles
