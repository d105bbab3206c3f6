#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/rng.hpp"
#include "models/runs/trace.hpp"
#include "models/task_graph.hpp"
#include "models/workload.hpp"
#include "strategies/runtime/runtime.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles {

/// A machine without time: whatever is on its way ends in random order. It knows which version of
/// each data item lies where, and notes every order that breaks a law. A processor without
/// memory_bytes computes in host memory.
class VersionMachine final : public ExecutionBackend {
 public:
  using Index = TaskGraph::Index;
  using Kind = RunEvent::Kind;

  VersionMachine(const TaskGraph& graph, const std::vector<std::uint64_t>& memory_bytes,
                 std::uint64_t seed)
      : graph_(graph),
        memory_bytes_(memory_bytes),
        rng_(seed, Draw::test, 1),
        now_(graph.data(), 0),
        home_(graph.data(), 0),
        writers_(graph.data(), 0),
        ended_(graph.tasks(), false),
        nodes_(memory_bytes.size()) {
    for (Node& node : nodes_) node.copies.resize(graph.data());
    for (Index data = 0; data < graph.data(); ++data) {
      if (graph.temporary(data)) home_[data] = never_written;
    }
  }

  /// Orders are given again, so that copies may go some time before the task that overwrites them,
  /// and the last of them in any order.
  void expect_recorded_orders() { recorded_orders_ = true; }

  void granted(ProcessorId p, TaskId task) override {
    tell(Kind::granted, p, raw(task));
    check_predecessors(task, "granted");
  }

  void start_load(ProcessorId p, DataId data) override {
    tell(Kind::load_started, p, raw(data));
    Copy& copy = at(p, data);
    if (copy.state != '-') note("data that is there is loaded");
    if (home_[raw(data)] != now_[raw(data)]) note("an old version is loaded");
    if (writers_[raw(data)] > 0) note("data is loaded while it is written");
    copy = {'l', home_[raw(data)]};
    nodes_[raw(p)].loading.push_back(data);
    use(p, data);
  }

  void start_peer_load(ProcessorId from, ProcessorId p, DataId data) override {
    tell(Kind::load_started, p, raw(data));
    events_.back().lender = from;
    const Copy lent = at(from, data);
    if (at(p, data).state != '-') note("data that is there is loaded");
    if (lent.state != 'r' || lent.version != now_[raw(data)]) note("what is not valid is lent");
    if (writers_[raw(data)] > 0) note("data is lent while it is written");
    at(p, data) = {'l', lent.version};
    nodes_[raw(p)].loading.push_back(data);
    lent_.push_back({from, p, data});
    use(p, data);
  }

  void create(ProcessorId p, DataId data) override {
    tell(Kind::created, p, raw(data));
    if (at(p, data).state != '-') note("data that is there is made");
    at(p, data) = {'r', never_written};
    use(p, data);
  }

  void begin_sum(ProcessorId p, DataId data) override {
    if (at(p, data).state != 'r') note("a sum begins where there is no room for it");
    at(p, data) = {'r', never_written, true, 0};
  }

  void invalidate(ProcessorId p, DataId data) override {
    tell(Kind::evicted, p, raw(data));
    events_.back().overwritten = true;
    if (at(p, data).is_sum) note("a sum is thrown away");
    if (at(p, data).version == now_[raw(data)] && !over(static_cast<Index>(raw(data)))) {
      to_be_written_.push_back(data);
    }
    drop(p, data);
  }

  void evict(ProcessorId p, DataId data) override {
    tell(Kind::evicted, p, raw(data));
    const Copy& copy = at(p, data);
    if (copy.is_sum && copy.sum > 0) note("a sum is lost");
    bool last = !copy.is_sum && copy.version == now_[raw(data)] && home_[raw(data)] != copy.version;
    for (std::uint32_t other = 0; other < nodes_.size(); ++other) {
      const Copy& its = at(ProcessorId{other}, data);
      last = last && (other == raw(p) || its.state != 'r' || its.version != copy.version);
    }
    if (last && !recorded_orders_) note("what was written is lost");
    drop(p, data);
  }

  void start_return(ProcessorId p, DataId data) override {
    tell(Kind::return_started, p, raw(data));
    const Copy& copy = at(p, data);
    if (copy.state != 'r' || (copy.version != now_[raw(data)] && !copy.is_sum)) {
      note("what is not valid returns");
    }
    if (writers_[raw(data)] > 0) note("data returns while it is written");
    nodes_[raw(p)].returning.push_back(data);
    returned_ += 1;
  }

  void start_task(ProcessorId p, TaskId task, double) override {
    tell(Kind::task_started, p, raw(task));
    check_predecessors(task, "started");
    for (const DataId data : std::exchange(to_be_written_, {})) {
      bool written = false;
      graph_.for_each_access(static_cast<Index>(raw(task)), [&](Index own, Access access) {
        written = written || (own == raw(data) && writes(access));
      });
      if (!written && !recorded_orders_) note("a valid copy is taken away");
    }
    graph_.for_each_access(static_cast<Index>(raw(task)), [&](Index data, Access access) {
      if (in_host_memory(p)) return access_in_host_memory(data, access);
      Copy& copy = at(p, DataId{data});
      if (copy.state != 'r') note("a task starts without its data");
      if (reduces(access)) {
        if (!copy.is_sum) note("a task adds to what is no sum");
        check_sums(data);
        ++copy.sum;
        ++now_[data];
        return;
      }
      if (added(data) > 0) note("a task starts before all is added up");
      if (reads(access) && copy.version != now_[data]) note("a task reads an old version");
      if (writers_[data] > 0) note("a task starts on what is being written");
      if (!writes(access)) return;
      check_writing(data);
      copy.version = ++now_[data];
      ++writers_[data];
    });
    nodes_[raw(p)].running.push_back(task);
  }

  [[nodiscard]] bool in_host_memory(ProcessorId p) const { return memory_bytes_[raw(p)] == 0; }
  void check_writing(Index data) {
    for (const Node& node : nodes_) {
      if (std::count(node.returning.begin(), node.returning.end(), DataId{data}) > 0) {
        note("what is copied from is written");
      }
    }
    for (const Lent& one : lent_) {
      if (raw(one.data) == data) note("what is lent is written");
    }
  }
  /// Of what tasks reduce, in memories.
  std::uint64_t added(Index data) {
    std::uint64_t result = 0;
    for (const Node& node : nodes_) result += node.copies[data].sum;
    return result;
  }
  void check_sums(Index data) {
    if (home_[data] + added(data) != now_[data]) note("a task adds to an old version");
  }
  void add_in_host_memory(Index data) {
    check_sums(data);
    for (const Node& node : nodes_) {
      if (std::count(node.loading.begin(), node.loading.end(), DataId{data}) > 0) {
        note("what is loaded is added to at home");
      }
    }
    ++home_[data];
    ++now_[data];
  }
  void access_in_host_memory(Index data, Access access) {
    if (reduces(access)) return add_in_host_memory(data);
    if (reads(access) && home_[data] != now_[data]) note("a task at home reads an old version");
    if (writers_[data] > 0) note("a task starts at home on what is being written");
    ++read_in_host_memory_;
    if (!writes(access)) return;
    check_writing(data);
    for (const Node& node : nodes_) {
      if (std::count(node.loading.begin(), node.loading.end(), DataId{data}) > 0) {
        note("what is loaded is written at home");
      }
    }
    home_[data] = ++now_[data];
    ++writers_[data];
  }

  void start_write(ProcessorId, TaskId) override { note("a task writes an output of its own"); }

  std::size_t run(Runtime& runtime) {
    runtime.start();
    for (int ends = 0; broken_.empty() && end_one(runtime); ++ends) {
      if (ends == 100'000) note("it never ends");
    }
    return static_cast<std::size_t>(std::count(ended_.begin(), ended_.end(), true));
  }

  [[nodiscard]] const std::string& broken() const { return broken_; }
  [[nodiscard]] std::size_t returned() const { return returned_; }
  /// Accesses of tasks that ran in host memory.
  [[nodiscard]] std::size_t read_in_host_memory() const { return read_in_host_memory_; }
  [[nodiscard]] bool all_home() const {
    for (Index data = 0; data < now_.size(); ++data) {
      if (home_[data] != now_[data] && !graph_.temporary(data)) return false;
    }
    return true;
  }
  /// Whether the data item is temporary, and all tasks that access it have ended.
  [[nodiscard]] bool over(Index data) const {
    const auto users = graph_.users(data);
    return graph_.temporary(data) &&
           std::all_of(users.begin(), users.end(), [&](Index task) { return ended_[task]; });
  }
  /// Whether a memory still holds temporary data that are over, sums apart.
  [[nodiscard]] bool keeps_what_is_over() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
      for (Index data = 0; data < now_.size(); ++data) {
        const Copy& copy = node.copies[data];
        if (copy.state != '-' && !copy.is_sum && over(data)) return true;
      }
      return false;
    });
  }
  /// Whether each data item is somewhere as it was written last.
  [[nodiscard]] bool nothing_lost() {
    for (Index data = 0; data < now_.size(); ++data) {
      bool held = graph_.temporary(data) || home_[data] + added(data) == now_[data];
      for (const Node& node : nodes_) held = held || node.copies[data].version == now_[data];
      if (!held) return false;
    }
    return true;
  }
  [[nodiscard]] const std::vector<RunEvent>& events() const { return events_; }
  /// The version of each data item in the end.
  [[nodiscard]] const std::vector<std::uint64_t>& versions() const { return now_; }

 private:
  static constexpr std::uint64_t never_written = ~std::uint64_t{0};
  struct Copy {
    char state = '-';  // absent '-', loading 'l', resident 'r'
    std::uint64_t version = never_written;
    bool is_sum = false;
    std::uint64_t sum = 0;  // of what tasks reduce: how many of them
  };
  struct Node {
    std::vector<Copy> copies;
    std::deque<DataId> loading;
    std::deque<DataId> returning;
    std::deque<TaskId> running;
    std::uint64_t used_bytes = 0;
  };

  struct Lent {
    ProcessorId from;
    ProcessorId to;
    DataId data;
  };

  Copy& at(ProcessorId p, DataId data) { return nodes_[raw(p)].copies[raw(data)]; }
  void tell(Kind kind, ProcessorId p, std::uint64_t id) { events_.push_back({kind, 0, p, id}); }
  void note(const std::string& what) {
    if (broken_.empty()) broken_ = what;
  }
  void use(ProcessorId p, DataId data) {
    nodes_[raw(p)].used_bytes += graph_.bytes(static_cast<Index>(raw(data)));
    if (nodes_[raw(p)].used_bytes > memory_bytes_[raw(p)]) note("more is used than there is");
  }
  void drop(ProcessorId p, DataId data) {
    Copy& copy = at(p, data);
    if (copy.state != 'r') note("data that is not there goes");
    for (const Lent& one : lent_) {
      if (one.from == p && one.data == data) note("what is lent goes");
    }
    const auto& returning = nodes_[raw(p)].returning;
    if (std::count(returning.begin(), returning.end(), data) > 0) note("what is copied from goes");
    for (const TaskId task : nodes_[raw(p)].running) {
      const auto inputs = graph_.inputs(static_cast<Index>(raw(task)));
      if (std::find(inputs.begin(), inputs.end(), raw(data)) != inputs.end()) {
        note("what a running task uses goes");
      }
    }
    copy = {};
    nodes_[raw(p)].used_bytes -= graph_.bytes(static_cast<Index>(raw(data)));
  }
  void check_predecessors(TaskId task, const char* what) {
    for (std::size_t before = 0; before < graph_.tasks(); ++before) {
      const bool waits =
          graph_.dependencies().waits(static_cast<Index>(raw(task)), static_cast<Index>(before));
      if (waits && !ended_[before]) note(std::string("a task is ") + what + " too early");
    }
  }

  DataId take(std::deque<DataId>& from) {
    const std::size_t place = rng_.below(from.size());
    const DataId data = from[place];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(place));
    return data;
  }

  bool end_one(Runtime& runtime) {
    struct Choice {
      std::size_t node;
      char what;
    };
    std::vector<Choice> choices;
    for (std::size_t p = 0; p < nodes_.size(); ++p) {
      if (!nodes_[p].loading.empty()) choices.push_back({p, 'l'});
      if (!nodes_[p].returning.empty()) choices.push_back({p, 'h'});
      if (!nodes_[p].running.empty()) choices.push_back({p, 't'});
    }
    if (choices.empty()) return false;
    const Choice choice = choices[rng_.below(choices.size())];
    const ProcessorId p{static_cast<std::uint32_t>(choice.node)};
    Node& node = nodes_[choice.node];
    if (choice.what == 'l') {
      const DataId data = take(node.loading);
      at(p, data).state = 'r';
      std::erase_if(lent_, [&](const Lent& one) { return one.to == p && one.data == data; });
      tell(Kind::load_ended, p, raw(data));
      runtime.load_ended(p, data);
    } else if (choice.what == 'h') {
      const DataId data = take(node.returning);
      Copy& copy = at(p, data);
      home_[raw(data)] = copy.is_sum ? home_[raw(data)] + std::exchange(copy.sum, 0) : copy.version;
      tell(Kind::return_ended, p, raw(data));
      runtime.return_ended(p, data);
    } else {
      end_task(p, runtime);
    }
    return true;
  }

  void end_task(ProcessorId p, Runtime& runtime) {
    const TaskId task = nodes_[raw(p)].running.front();
    nodes_[raw(p)].running.pop_front();
    ended_[raw(task)] = true;
    graph_.for_each_access(static_cast<Index>(raw(task)), [&](Index data, Access access) {
      if (writes(access) && !reduces(access)) --writers_[data];
    });
    tell(Kind::task_ended, p, raw(task));
    runtime.task_ended(p, task);
  }

  const TaskGraph& graph_;
  const std::vector<std::uint64_t>& memory_bytes_;
  Rng rng_;
  std::vector<std::uint64_t> now_;   // versions of each data item: how often it was written
  std::vector<std::uint64_t> home_;  // which of them lies in host memory
  std::vector<std::size_t> writers_;
  std::vector<DataId> to_be_written_;  // by the next task that starts: copies were taken for it
  std::vector<bool> ended_;
  std::vector<Node> nodes_;
  std::vector<Lent> lent_;  // on their way between processors
  std::string broken_;
  std::size_t returned_ = 0;
  std::size_t read_in_host_memory_ = 0;
  std::vector<RunEvent> events_;
  bool recorded_orders_ = false;
};

/// A workload whose tasks write, and processors for it.
struct WritingInstance {
  Workload workload;
  Platform platform;
  std::vector<std::uint64_t> memory;
};

/// @param cores  whether some processors may compute in host memory
inline WritingInstance drawn_writing_instance(Rng& rng, bool cores) {
  constexpr std::array texts{"cholesky:n=4,tile=1,deps=true",
                             "cholesky:n=4,tile=1,deps=true,updates=commute",
                             "cholesky:n=4,tile=1,deps=true,updates=reduce",
                             "stencil:n=3,steps=3,tile=1",
                             "layered:n=4,layers=4,tile=1",
                             "gemm3d:n=3,tile=1,c=made"};
  const std::uint64_t which = rng.below(2 * texts.size());
  WritingInstance made{.workload = which < texts.size()
                                       ? Workload::parse(texts.at(which))
                                       : Workload::of_graph("random", drawn_writing_graph(rng)),
                       .platform = {},
                       .memory = {}};
  const TaskGraph& graph = made.workload.graph();
  std::uint64_t least = 1;
  for (TaskGraph::Index t = 0; t < graph.tasks(); ++t) least = std::max(least, graph.footprint(t));
  MachineModel machine{.processors = {}, .bus_bytes_per_s = 1e9, .depth = rng.below(6)};
  machine.write_back = rng.below(2) == 0;
  if (rng.below(2) == 0) machine.peer_bytes_per_s = 2e9;
  if (rng.below(2) == 0) machine.peer_links.push_back({0, 1, 2e9});
  for (std::uint64_t p = 0; p < 1 + rng.below(4); ++p) {
    made.platform.speeds.push_back(1e9);
    made.memory.push_back(least + rng.below(1 + 2 * least));
    machine.processors.push_back(
        {.flops_per_s = 1e9, .memory_bytes = made.memory.back(), .link_bytes_per_s = 1e9});
  }
  for (std::uint64_t core = cores ? rng.below(4) : 0; core > 0; --core) {
    made.platform.speeds.push_back(1e9);
    made.memory.push_back(0);
    machine.processors.push_back({.flops_per_s = 1e9, .kind = "cpu", .in_host_memory = true});
  }
  made.platform.machine = machine;
  return made;
}

}  // namespace damocles
