#include "sim/limited_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "models/error.hpp"
#include "sim/bus.hpp"
#include "sim/event_queue.hpp"
#include "sim/gpu_node.hpp"

namespace damocles {
namespace {

using Index = Bipartite::Index;
using Kind = RunEvent::Kind;

void refuse_oversized(const Workload& workload, const std::vector<std::uint64_t>& memory,
                      bool write_back) {
  const Bipartite& graph = workload.graph();
  const auto least = std::min_element(memory.begin(), memory.end());
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const auto task = static_cast<Index>(t);
    const std::uint64_t output = write_back ? graph.output_bytes(task) : 0;
    const std::uint64_t need = graph.footprint(task) + output;
    if (need <= *least) continue;
    throw InvalidInput(
        fmt::format("task {} of '{}' reads {}{} bytes, but processor {} has {} bytes of memory; "
                    "give memory={}B or more",
                    graph.task_name(task), workload.text(), output > 0 ? "and writes " : "", need,
                    least - memory.begin(), *least, need));
  }
}

/// Rates of the links: one in and one out a processor.
std::vector<double> links(const Limits& limits) {
  std::vector<double> result;
  for (int direction = 0; direction < 2; ++direction) {
    for (const GpuModel& gpu : limits.gpus) result.push_back(gpu.link_bytes_per_s);
  }
  return result;
}

class LimitedRun {
 public:
  LimitedRun(const Workload& workload, const Platform& platform, const StrategyChoice& strategy,
             std::uint64_t seed, std::uint64_t replicate, const Watcher& watcher, Scheduling charge)
      : graph_(workload.graph()),
        limits_(*platform.limits),
        depth_(limits_.depth > 0 ? limits_.depth : strategy.entry->depth),
        watcher_(watcher),
        charged_(charge == Scheduling::charged),
        memory_(platform.processors(), workload.data()),
        bus_(limits_.bus_bytes_per_s, limits_.latency_s, limits_.sharing, links(limits_)),
        computing_(platform.processors()),
        writes_(platform.processors()),
        writing_(platform.processors(), 0),
        starved_(platform.processors(), 0) {
    const auto bytes = memory_bytes(limits_, workload);
    refuse_oversized(workload, bytes, limits_.write_back);
    now_ = timed([&] {
      strategy_ = strategy.make({workload, platform, memory_, strategy.spec,
                                 Rng(seed, Draw::strategy, replicate), bytes});
    });
    eviction_ = eviction_named(strategy.eviction())
                    .make({platform.processors(), workload.data(), *strategy_,
                           Rng(seed, Draw::eviction, replicate)});
    const std::size_t processors = platform.processors();
    for (std::size_t p = 0; p < processors; ++p) {
      nodes_.emplace_back(ProcessorId{static_cast<std::uint32_t>(p)}, graph_, *strategy_, bytes[p]);
    }
    trace_.loads.resize(processors);
    trace_.tasks.resize(processors);
    trace_.busy_s.resize(processors);
    trace_.bytes_loaded.resize(processors);
    trace_.bytes_written.resize(processors);
    trace_.evictions.resize(processors);
  }

  Trace run() {
    // One task each, then a second: nobody fills its buffer before the others have asked.
    for (std::size_t tasks = 1; tasks <= depth_; ++tasks) {
      for (GpuNode& node : nodes_) refill(node, tasks);
    }
    for (GpuNode& node : nodes_) serve(node);
    while (true) {
      const double transfer = bus_.next_time();
      if (transfer == std::numeric_limits<double>::infinity() && computing_.empty()) break;
      // Transfers first: a task that starts now may need what arrives now.
      if (computing_.empty() || transfer <= computing_.next_time()) {
        end_transfer();
      } else {
        end_task();
      }
    }
    if (ended_ != graph_.tasks()) {
      throw NoProgress(
          fmt::format("the strategy ran {} of {} tasks and stopped", ended_, graph_.tasks()));
    }
    return std::move(trace_);
  }

 private:
  /// Runs `decide`; the wall time it took where that is charged, else 0.
  template <typename Decide>
  double timed(Decide&& decide) {
    if (!charged_) {
      decide();
      return 0;
    }
    const auto start = std::chrono::steady_clock::now();
    decide();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    trace_.scheduling_s += took.count();
    return took.count();
  }

  void tell(Kind kind, const GpuNode& node, std::uint64_t id) const {
    if (watcher_) watcher_({kind, now_, node.id(), id});
  }

  void end_transfer() {
    now_ = bus_.next_time();
    const auto ended = bus_.advance();
    if (!ended) return;
    if (ended->link >= nodes_.size()) {
      end_write(nodes_[ended->link - nodes_.size()]);
    } else {
      GpuNode& node = nodes_[ended->link];
      node.end_load(ended->tag);
      --node.in_flight;
      tell(Kind::load_ended, node, ended->tag);
      serve(node);
    }
    serve_starved();
  }

  void end_task() {
    now_ = computing_.next_time();
    GpuNode& node = nodes_[raw(computing_.next())];
    computing_.remove(node.id());
    const Index task = node.finish();
    ++ended_;
    trace_.makespan_s = now_;
    tell(Kind::task_ended, node, task);
    if (limits_.write_back && graph_.output_bytes(task) > 0) {
      writes_[raw(node.id())].push_back(graph_.output_bytes(task));
      start_write(node);
    }
    serve(node);
    serve_starved();
  }

  /// Everything the processor can begin now.
  void serve(GpuNode& node) {
    refill(node, depth_);
    start_task(node);
    start_load(node);
  }

  void serve_starved() {
    if (starving_ == 0) return;
    for (GpuNode& node : nodes_) {
      if (starved_[raw(node.id())] != 0) serve(node);
    }
  }

  void refill(GpuNode& node, std::size_t tasks) {
    while (node.buffer().size() < tasks) {
      if (node.granted.empty() && !ask(node)) return;
      node.buffer_task(node.granted.front());
      node.granted.pop_front();
    }
  }

  /// True if the strategy granted a task.
  bool ask(GpuNode& node) {
    std::uint8_t& starved = starved_[raw(node.id())];
    starving_ -= starved;
    starved = 0;
    std::vector<DataId> wishes;
    do {
      grant_.clear();
      node.owed_s += timed([&] { strategy_->request(node.id(), grant_); });
      wishes.insert(wishes.end(), grant_.loads.begin(), grant_.loads.end());
    } while (grant_.tasks.empty() && !grant_.loads.empty());
    // Whoever gets no task wishes for nothing either: no task of its own would read it.
    node.wishes_done = 0;
    if (grant_.tasks.empty()) {
      node.wishes.clear();
      starved = 1;
      ++starving_;
      return false;
    }
    node.wishes = std::move(wishes);
    grant_.tasks.for_each([&](TaskId task) {
      node.granted.push_back(static_cast<Index>(raw(task)));
      tell(Kind::granted, node, raw(task));
    });
    return true;
  }

  void start_task(GpuNode& node) {
    if (node.running() || !node.next_task() || !node.ready(*node.next_task())) return;
    const Index task = *node.next_task();
    const std::uint64_t output = limits_.write_back ? graph_.output_bytes(task) : 0;
    if (output > 0 && !make_room(node, output, true)) return;
    node.reserve(output);
    node.start_next();
    tell(Kind::task_started, node, task);
    for (const Index input : graph_.inputs(task)) eviction_->on_used(node.id(), DataId{input});
    strategy_->on_started(node.id(), TaskId{task});
    const std::size_t p = raw(node.id());
    const double busy = graph_.flops(task) / limits_.gpus[p].flops_per_s;
    trace_.busy_s[p] += busy;
    ++trace_.tasks[p];
    computing_.set(node.id(), now_ + node.owed_s + busy);
    node.owed_s = 0;
  }

  /// All missing inputs of the first buffered task that lacks some travel together; those of the
  /// next one follow when they have arrived.
  void start_load(GpuNode& node) {
    if (node.in_flight > 0) return;
    const auto next = node.next_task();
    for (std::size_t at = node.running() ? 1 : 0; at < node.buffer().size(); ++at) {
      const Index task = node.buffer()[at];
      if (node.ready(task)) continue;
      for (const Index input : graph_.inputs(task)) {
        if (!node.absent(input)) continue;
        if (!make_room(node, graph_.bytes(input), task == *next)) return;
        load(node, input);
      }
      return;
    }
    start_wish(node);
  }

  void start_wish(GpuNode& node) {
    for (; node.wishes_done < node.wishes.size(); ++node.wishes_done) {
      const auto data = static_cast<Index>(raw(node.wishes[node.wishes_done]));
      if (!node.absent(data)) continue;
      if (make_room(node, graph_.bytes(data), false)) load(node, data);
      return;
    }
  }

  void load(GpuNode& node, Index data) {
    const std::size_t p = raw(node.id());
    node.begin_load(data);
    ++node.in_flight;
    ++trace_.loads[p];
    trace_.bytes_loaded[p] += graph_.bytes(data);
    memory_.load(node.id(), DataId{data});
    eviction_->on_loaded(node.id(), DataId{data});
    strategy_->on_loaded(node.id(), DataId{data});
    tell(Kind::load_started, node, data);
    bus_.start(static_cast<Bus::Link>(p), data, static_cast<double>(graph_.bytes(data)), now_);
  }

  /// Evicts until `bytes` are free; false if the policy finds nobody (what it evicted stays so).
  bool make_room(GpuNode& node, std::uint64_t bytes, bool for_next_task) {
    node.seek_room_for(for_next_task);
    while (node.free_bytes() < bytes) {
      std::optional<DataId> victim;
      node.owed_s += timed([&] { victim = eviction_->victim(node.id(), node); });
      if (!victim) return false;
      node.evict(static_cast<Index>(raw(*victim)));
      memory_.evict(node.id(), *victim);
      ++trace_.evictions[raw(node.id())];
      eviction_->on_evicted(node.id(), *victim);
      tell(Kind::evicted, node, raw(*victim));
      strategy_->on_evicted(node.id(), *victim);
    }
    return true;
  }

  void start_write(GpuNode& node) {
    const std::size_t p = raw(node.id());
    if (writes_[p].empty() || writing_[p] != 0) return;
    writing_[p] = 1;
    bus_.start(static_cast<Bus::Link>(nodes_.size() + p), 0,
               static_cast<double>(writes_[p].front()), now_);
  }

  void end_write(GpuNode& node) {
    const std::size_t p = raw(node.id());
    node.release(writes_[p].front());
    trace_.bytes_written[p] += writes_[p].front();
    trace_.makespan_s = now_;
    writes_[p].pop_front();
    writing_[p] = 0;
    start_write(node);
    serve(node);
  }

  const Bipartite& graph_;
  const Limits& limits_;
  std::size_t depth_;
  const Watcher& watcher_;
  bool charged_;
  NodeMemory memory_;
  Bus bus_;
  EventQueue computing_;                           // when each processor's running task ends
  std::vector<std::deque<std::uint64_t>> writes_;  // outputs on their way back [B]
  std::vector<std::uint8_t> writing_;
  std::vector<std::uint8_t> starved_;  // asked, and got nothing
  std::size_t starving_ = 0;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Eviction> eviction_;
  std::deque<GpuNode> nodes_;
  Grant grant_;
  Trace trace_;
  std::size_t ended_ = 0;
  double now_ = 0;
};

}  // namespace

std::vector<std::uint64_t> memory_bytes(const Limits& limits, const Workload& workload) {
  std::vector<std::uint64_t> result;
  for (const GpuModel& gpu : limits.gpus) {
    const auto size = workload.graph().uniform_bytes();
    if (gpu.memory_data > 0 && !size) {
      throw InvalidInput(fmt::format(
          "memory={}data on '{}', whose data have several sizes; give bytes, as memory=500MB",
          gpu.memory_data, workload.text()));
    }
    if (gpu.memory_data == 0) {
      result.push_back(gpu.memory_bytes);
      continue;
    }
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    result.push_back(gpu.memory_data > most / *size ? most : gpu.memory_data * *size);
  }
  return result;
}

Trace simulate_limited(const Workload& workload, const Platform& platform,
                       const StrategyChoice& strategy, std::uint64_t seed, std::uint64_t replicate,
                       const Watcher& watcher, Scheduling charge) {
  if (!workload.has_sizes()) {
    throw InvalidInput(fmt::format(
        "workload '{}' has no bytes and flops, which a platform of limited memory needs; use "
        "gemm2d or gemm3d:c=yes for the same tasks with sizes",
        workload.text()));
  }
  workload.refuse_dependencies();
  return LimitedRun(workload, platform, strategy, seed, replicate, watcher, charge).run();
}

}  // namespace damocles
