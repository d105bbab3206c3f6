// The way to host memory of what a RealTimeBackend makes: fresh outputs, sums, and the data that
// tasks write.

#include <algorithm>
#include <stdexcept>

#include "gpu/real_time_backend.hpp"

namespace damocles {

void RealTimeBackend::start_write(ProcessorId, TaskId) {
  throw std::logic_error("outputs are the executor's own to send home");
}

/// `data`, which the processor holds and host memory has not, as the runtime orders it.
void RealTimeBackend::start_return(ProcessorId processor, DataId data) {
  tell(Kind::return_started, processor, raw(data));
  Node& at = node(processor);
  at.waiting_writes.push_back({.of = Write::Of::data,
                               .from = at.memory.address(data),
                               .data = data,
                               .reduced = has_sum(processor, data)});
  queue_writes(processor);
}

void RealTimeBackend::begin_sum(ProcessorId processor, DataId data) {
  node(processor).sums[raw(data)] = Sum::fresh;
}

/// What the task writes of the data in its processor's memory.
void RealTimeBackend::add_written(ProcessorId processor, TaskId task, TaskCall& call) {
  Node& at = node(processor);
  arithmetic_.for_each_written(task, [&](DataId data, std::uint64_t position, Access access) {
    TaskCall::Written written{.at = nullptr,
                              .bytes = arithmetic_.data_bytes(data),
                              .position = position,
                              .adds = commutes(access) || reduces(access)};
    if (commutes(access)) call.ready_s = std::max(call.ready_s, at.arrived_s[raw(data)]);
    if (in_host_memory(processor)) {
      written.at = store_.place(data);
      if (reduces(access)) written.shared = &store_.adding_to(data);
      home_->written_there(data);
    } else {
      written.at = at.memory.address(data);
      if (reduces(access)) {
        written.fresh = std::exchange(at.sums[raw(data)], Sum::begun) == Sum::fresh;
      } else {
        home_->written(data);
      }
    }
    call.written.push_back(written);
  });
}

void RealTimeBackend::queue_writes(ProcessorId processor) {
  Node& at = node(processor);
  while (!at.waiting_writes.empty()) {
    if (!may_leave(processor, at.waiting_writes.front())) return;
    const Write write = at.waiting_writes.front();
    at.waiting_writes.pop_front();
    start_on_device(processor, write);
  }
}

/// Whether its way is free; a sum has a staging buffer from now on.
bool RealTimeBackend::may_leave(ProcessorId processor, Write& write) {
  if (write.of == Write::Of::fresh) return true;
  if (write.is_data() && !home_->may_return(write.data)) return false;
  if (write.is_data() && !write.reduced) return true;
  auto& staging = node(processor).staging;
  if (staging.empty()) return false;
  write.staging = staging.back();
  staging.pop_back();
  return true;
}

void RealTimeBackend::start_on_device(ProcessorId processor, const Write& write) {
  std::size_t bytes = arithmetic_.output_bytes();
  std::byte* to = write.staging;
  if (write.of == Write::Of::fresh) {
    to = store_.output(write.tile);
  } else if (write.is_data()) {
    bytes = arithmetic_.data_bytes(write.data);
    if (!write.reduced) to = store_.place(write.data);
  }
  const bool counts = write.of == Write::Of::fresh || write.of == Write::Of::data;
  (counts ? result_.trace.bytes_written[raw(processor)] : result_.bytes_summed) += bytes;
  device_.start_write(processor, to, write.from, bytes, now_s_);
  queue(node(processor).writes, write);
}

/// All that is still on the processors alone.
void RealTimeBackend::send_results_home() {
  if (!failure_.empty()) return;
  if (home_) return send_data_home();
  for (std::size_t p = 0; p < nodes_.size(); ++p) {
    Node& at = nodes_[p];
    at.memory.for_each_marked([&](DataId data) {
      at.waiting_writes.push_back({.of = Write::Of::last_sum,
                                   .tile = *arithmetic_.tile_of(data),
                                   .from = at.memory.address(data),
                                   .data = data});
    });
    at.memory.for_each_sum([&](std::uint64_t tile) {
      at.waiting_writes.push_back(
          {.of = Write::Of::last_sum, .tile = tile, .from = at.memory.sum(tile)});
    });
    queue_writes(ProcessorId{static_cast<std::uint32_t>(p)});
  }
}

/// Of what tasks reduced into data, what no order brought to host memory.
void RealTimeBackend::send_sums_home() {
  for (Node& at : nodes_) {
    for (std::size_t d = 0; d < at.sums.size(); ++d) {
      if (at.sums[d] == Sum::none) continue;
      const DataId data{d};
      at.waiting_writes.push_back({.of = Write::Of::last_data,
                                   .from = at.memory.address(data),
                                   .data = data,
                                   .reduced = true});
    }
  }
}

/// Where outputs do not travel back, no order brought them: for the sake of what is asked for,
/// which is all but temporary data.
void RealTimeBackend::send_data_home() {
  send_sums_home();
  const TaskGraph& graph = workload_.graph();
  home_->for_each_old([&](DataId data) {
    if (graph.temporary(static_cast<TaskGraph::Index>(raw(data)))) return;
    for (Node& at : nodes_) {
      std::byte* const from = at.memory.address(data);
      if (from == nullptr) continue;
      at.waiting_writes.push_back({.of = Write::Of::last_data, .from = from, .data = data});
      return;
    }
    throw std::logic_error("data that a task wrote are nowhere");
  });
  queue_returns();
}

/// What may have waited for a place in host memory to be free.
void RealTimeBackend::queue_returns() {
  for (std::size_t p = 0; p < nodes_.size(); ++p) {
    queue_writes(ProcessorId{static_cast<std::uint32_t>(p)});
  }
}

void RealTimeBackend::end_write(ProcessorId processor, const Write& write, const Interval& when) {
  if (write.is_data()) return end_return(processor, write, when);
  if (options_.writes_count) {
    result_.trace.makespan_s = std::max(result_.trace.makespan_s, when.end_s);
  }
  Node& at = node(processor);
  if (write.staging != nullptr) at.staging.push_back(write.staging);
  if (write.of == Write::Of::fresh) {
    store_.arrived(write.tile);
    at.memory.give_back_output(write.from);
  } else if (write.of == Write::Of::evicted_sum) {
    at.memory.give_back(write.data, write.from);
  }
  queue_writes(processor);
  queue_loads(processor);
  queue_tasks(processor);
}

void RealTimeBackend::end_return(ProcessorId processor, const Write& write, const Interval& when) {
  home_->return_ended(write.data);
  if (write.reduced) {
    node(processor).sums[raw(write.data)] = Sum::none;
    node(processor).staging.push_back(write.staging);
    queue_writes(processor);
  }
  if (write.of == Write::Of::last_data) return;
  tell(Kind::return_ended, processor, raw(write.data));
  if (options_.writes_count) {
    result_.trace.makespan_s = std::max(result_.trace.makespan_s, when.end_s);
  }
  runtime_->return_ended(processor, write.data);
}

}  // namespace damocles
