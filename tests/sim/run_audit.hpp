#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "models/runs/trace.hpp"
#include "sim/limited_run.hpp"

namespace damocles {

/// Keeps the books of a run with limited memory from its events alone, and notes every rule that
/// one of them breaks.
class RunAudit {
 public:
  using Index = TaskGraph::Index;

  struct Gpu {
    std::uint64_t memory_bytes = 0;
    std::uint64_t used_bytes = 0;  ///< outputs on their way back are not seen, so at least these
    std::vector<char> state;       ///< of each data item: absent '-', loading 'l', resident 'r'
    std::deque<Index> line;        ///< tasks granted and not ended; the first may be running
    bool running = false;
    double started_s = 0;
    double delayed_s = 0;   ///< the running task, by copies beside it
    double computed_s = 0;  ///< by tasks that have ended
    std::deque<Index> on_their_way;
    double copy_begun_s = 0;       ///< the first of them
    double computed_before_s = 0;  ///< until then
    std::uint64_t loads = 0;
    std::uint64_t loaded_bytes = 0;
    std::uint64_t evictions = 0;
    std::uint64_t tasks = 0;
    double busy_s = 0;
  };

  /// Which task of a buffer may start: the one granted first, or any that has its inputs.
  enum class Buffer { in_order, any_ready };

  RunAudit(const Workload& workload, const Platform& platform, std::size_t depth,
           Buffer buffer = Buffer::in_order)
      : graph_(workload.graph()),
        machine_(*platform.machine),
        depth_(depth),
        buffer_(buffer),
        gpus_(platform.processors()),
        started_(workload.tasks(), 0) {
    const auto bytes = memory_bytes(machine_, workload);
    for (std::size_t p = 0; p < gpus_.size(); ++p) {
      gpus_[p].memory_bytes = bytes[p];
      gpus_[p].state.assign(graph_.data(), '-');
    }
  }

  void take(const RunEvent& event) {
    if (event.time_s < now_) note(event, "time goes back");
    now_ = event.time_s;
    Gpu& gpu = gpus_.at(raw(event.processor));
    switch (event.kind) {
      case RunEvent::Kind::granted:
        gpu.line.push_back(static_cast<Index>(event.id));
        break;
      case RunEvent::Kind::load_started:
        start_load(event, gpu);
        break;
      case RunEvent::Kind::load_ended:
        if (gpu.state.at(event.id) != 'l') note(event, "a load ends that did not start");
        gpu.state[event.id] = 'r';
        end_copy(event, gpu);
        arrived_bytes_ += graph_.bytes(static_cast<Index>(event.id));
        break;
      case RunEvent::Kind::evicted:
        evict(event, gpu);
        break;
      case RunEvent::Kind::task_started:
        start_task(event, gpu);
        break;
      case RunEvent::Kind::task_ended:
        end_task(event, gpu);
        break;
      case RunEvent::Kind::created:
      case RunEvent::Kind::return_started:
      case RunEvent::Kind::return_ended:
        note(event, "nobody writes here");
        break;
      case RunEvent::Kind::joined:
      case RunEvent::Kind::left:
        note(event, "nobody computes with another here");
        break;
    }
  }

  /// What was wrong, or "".
  [[nodiscard]] const std::string& broken() const { return broken_; }
  [[nodiscard]] const std::vector<Gpu>& gpus() const { return gpus_; }
  /// How often each task started.
  [[nodiscard]] const std::vector<int>& started() const { return started_; }
  /// When the last task ended [s].
  [[nodiscard]] double last_end_s() const { return last_end_s_; }
  /// What had arrived by then, on all processors [B].
  [[nodiscard]] std::uint64_t arrived_bytes() const { return arrived_by_last_end_; }
  /// Whether loads started after the last task of all had ended.
  [[nodiscard]] bool loads_for_nothing() const { return last_load_s_ > last_end_s_; }

 private:
  [[nodiscard]] bool keeps_outputs() const {
    return machine_.write_back && machine_.outputs_take_memory;
  }
  void note(const RunEvent& event, const char* what) {
    broken_ += fmt::format("at {} s on {}, id {}: {}\n", event.time_s, raw(event.processor),
                           event.id, what);
  }
  [[nodiscard]] bool reads(Index task, std::uint64_t data) const {
    const auto inputs = graph_.inputs(task);
    return std::find(inputs.begin(), inputs.end(), data) != inputs.end();
  }
  [[nodiscard]] bool all(const Gpu& gpu, Index task, char state) const {
    const auto inputs = graph_.inputs(task);
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](Index input) { return gpu.state[input] == state; });
  }
  void use(const RunEvent& event, Gpu& gpu, std::uint64_t bytes) {
    gpu.used_bytes += bytes;
    if (gpu.used_bytes > gpu.memory_bytes) note(event, "more is in memory than fits");
  }

  void start_load(const RunEvent& event, Gpu& gpu) {
    const auto data = static_cast<Index>(event.id);
    if (gpu.state.at(data) != '-') note(event, "a data item is loaded that is there");
    gpu.state[data] = 'l';
    if (gpu.on_their_way.empty()) begin_copy(event, gpu);
    gpu.on_their_way.push_back(data);
    ++gpu.loads;
    gpu.loaded_bytes += graph_.bytes(data);
    last_load_s_ = event.time_s;
    use(event, gpu, graph_.bytes(data));
  }

  void begin_copy(const RunEvent& event, Gpu& gpu) const {
    gpu.copy_begun_s = event.time_s;
    gpu.computed_before_s = computed_s(event, gpu);
  }
  /// Copies in follow one another; those to host memory are not seen.
  void end_copy(const RunEvent& event, Gpu& gpu) {
    const ProcessorModel& model = machine_.processors[raw(event.processor)];
    const double rate = std::min(machine_.bus_rate(model.bus), model.link_bytes_per_s);
    const auto bytes = static_cast<double>(graph_.bytes(static_cast<Index>(event.id)));
    const double alone_s = machine_.latency_s + bytes / rate;
    const double way_s = event.time_s - gpu.copy_begun_s;
    const double beside_s = computed_s(event, gpu) - gpu.computed_before_s;
    if (gpu.running) gpu.delayed_s += machine_.interference * alone_s * beside_s / way_s;
    if (gpu.on_their_way.empty() || gpu.on_their_way.front() != event.id) {
      note(event, "copies end in another order than they were asked for");
    } else {
      gpu.on_their_way.pop_front();
    }
    begin_copy(event, gpu);
  }
  static double computed_s(const RunEvent& event, const Gpu& gpu) {
    return gpu.computed_s + (gpu.running ? event.time_s - gpu.started_s : 0);
  }

  void evict(const RunEvent& event, Gpu& gpu) {
    if (gpu.state.at(event.id) != 'r') note(event, "a data item is evicted that is not there");
    gpu.state[event.id] = '-';
    ++gpu.evictions;
    gpu.used_bytes -= graph_.bytes(static_cast<Index>(event.id));
    const std::size_t buffered = std::min(gpu.line.size(), depth_);
    const std::size_t next = gpu.running ? 1 : 0;
    for (std::size_t at = 0; at < buffered; ++at) {
      if (!reads(gpu.line[at], event.id)) continue;
      if (at == 0 && gpu.running) note(event, "an input of the running task is evicted");
      // Who is next is not seen from outside where any may be.
      if (buffer_ == Buffer::any_ready) continue;
      if (at == next) note(event, "an input of the next task is evicted");
      // Room for a later task's prefetch never costs a buffered task its input.
      if (at > next && all(gpu, gpu.line[next], 'r') && !machine_.write_back) {
        note(event, "an input of a buffered task is evicted for a later one");
      }
    }
  }

  void start_task(const RunEvent& event, Gpu& gpu) {
    const auto task = static_cast<Index>(event.id);
    if (gpu.running) note(event, "two tasks run at once");
    if (buffer_ == Buffer::any_ready) bring_forward(gpu, task);
    if (gpu.line.empty() || gpu.line.front() != task) note(event, "tasks run out of order");
    if (!all(gpu, task, 'r')) note(event, "a task starts without its inputs");
    ++started_.at(task);
    gpu.running = true;
    gpu.started_s = event.time_s;
    gpu.delayed_s = 0;
    if (keeps_outputs()) use(event, gpu, graph_.output_bytes(task));
  }

  /// Of the buffered tasks this one runs now; the others keep their order.
  void bring_forward(Gpu& gpu, Index task) const {
    const auto end =
        gpu.line.begin() + static_cast<std::ptrdiff_t>(std::min(gpu.line.size(), depth_));
    const auto at = std::find(gpu.line.begin(), end, task);
    if (at != end) std::rotate(gpu.line.begin(), at, at + 1);
  }

  void end_task(const RunEvent& event, Gpu& gpu) {
    const auto task = static_cast<Index>(event.id);
    if (!gpu.running || gpu.line.front() != task) note(event, "a task ends that does not run");
    if (!all(gpu, task, 'r')) note(event, "a task ends without its inputs");
    const double takes =
        graph_.flops(task) / machine_.processors[raw(event.processor)].flops_per_s +
        machine_.overhead_s + gpu.delayed_s;
    const double eps = std::numeric_limits<double>::epsilon();
    if (std::abs(event.time_s - gpu.started_s - takes) > 8 * eps * event.time_s) {
      note(event, "a task does not take its time");
    }
    gpu.computed_s = computed_s(event, gpu);
    gpu.running = false;
    gpu.line.pop_front();
    gpu.busy_s += takes;
    ++gpu.tasks;
    if (keeps_outputs()) gpu.used_bytes -= graph_.output_bytes(task);
    last_end_s_ = event.time_s;
    arrived_by_last_end_ = arrived_bytes_;
  }

  const TaskGraph& graph_;
  const MachineModel& machine_;
  std::size_t depth_;
  Buffer buffer_;
  std::vector<Gpu> gpus_;
  std::vector<int> started_;
  double now_ = 0;
  double last_end_s_ = 0;
  double last_load_s_ = 0;
  std::uint64_t arrived_bytes_ = 0;
  std::uint64_t arrived_by_last_end_ = 0;
  std::string broken_;
};

}  // namespace damocles
