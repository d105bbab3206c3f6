#include "strategies/runtime/memory_aware_runtime.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "models/rng.hpp"
#include "tests/strategies/choices.hpp"
#include "tests/strategies/small_graphs.hpp"

namespace damocles::memory_aware_runtime_test {
namespace {

using Index = TaskGraph::Index;

/// A machine without time: whatever is on its way ends in random order, tasks and writes of one
/// processor in the order of their starts. Notes every order that cannot be carried out.
class RandomMachine final : public ExecutionBackend {
 public:
  RandomMachine(const Workload& workload, const std::vector<std::uint64_t>& memory_bytes,
                const RuntimeOptions& options, bool write_back, std::uint64_t seed)
      : graph_(workload.graph()),
        memory_bytes_(memory_bytes),
        options_(options),
        write_back_(write_back),
        rng_(seed, Draw::test, 0),
        loads_in_order_(rng_.below(2) == 0),
        nodes_(memory_bytes.size()),
        granted_to_(workload.tasks(), nobody),
        started_(workload.tasks(), false) {
    for (Node& node : nodes_) node.state.assign(workload.data(), '-');
  }

  void granted(ProcessorId p, TaskId task) override {
    if (granted_to_[raw(task)] != nobody) note("a task is granted twice");
    granted_to_[raw(task)] = raw(p);
  }

  void start_load(ProcessorId p, DataId data) override {
    Node& node = nodes_[raw(p)];
    if (node.state[raw(data)] != '-') note("data that is there is loaded");
    node.state[raw(data)] = 'l';
    node.loading.push_back(data);
    most_loading_ = std::max(most_loading_, node.loading.size());
    use(p, graph_.bytes(static_cast<Index>(raw(data))));
  }

  void evict(ProcessorId p, DataId data) override {
    Node& node = nodes_[raw(p)];
    if (node.state[raw(data)] != 'r') note("data that is not there is evicted");
    for (const TaskId task : node.running) {
      const auto inputs = graph_.inputs(static_cast<Index>(raw(task)));
      if (std::find(inputs.begin(), inputs.end(), raw(data)) != inputs.end()) {
        note("what a running task reads is evicted");
      }
    }
    node.state[raw(data)] = '-';
    node.used_bytes -= graph_.bytes(static_cast<Index>(raw(data)));
  }

  void start_task(ProcessorId p, TaskId task, double) override {
    Node& node = nodes_[raw(p)];
    if (granted_to_[raw(task)] != raw(p)) note("a task starts that was not granted there");
    if (started_[raw(task)]) note("a task starts twice");
    started_[raw(task)] = true;
    for (const Index input : graph_.inputs(static_cast<Index>(raw(task)))) {
      if (node.state[input] != 'r') note("a task starts without its inputs");
    }
    node.running.push_back(task);
    most_running_ = std::max(most_running_, node.running.size());
    if (node.running.size() > options_.lanes) note("more tasks run than there are lanes");
    if (write_back_) use(p, graph_.output_bytes(static_cast<Index>(raw(task))));
  }

  void start_write(ProcessorId p, TaskId task) override {
    if (!write_back_) note("an output is written back");
    nodes_[raw(p)].writing.push_back(task);
  }

  /// Ends things at random until nothing is on its way; the tasks that ran.
  std::size_t run(MemoryAwareRuntime& runtime) {
    runtime.start();
    // Far more than any instance needs: a runtime may also go on for ever.
    for (int ends = 0; broken_.empty() && end_one(runtime); ++ends) {
      if (ends == 100'000) note("it never ends");
    }
    return ended_;
  }

  /// The first order that could not be carried out, or "".
  [[nodiscard]] const std::string& broken() const { return broken_; }
  [[nodiscard]] std::size_t most_loading() const { return most_loading_; }
  [[nodiscard]] std::size_t most_running() const { return most_running_; }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct Node {
    std::vector<char> state;  // of each data item: absent '-', loading 'l', resident 'r'
    std::deque<DataId> loading;
    std::deque<TaskId> running;
    std::deque<TaskId> writing;
    std::uint64_t used_bytes = 0;
  };

  void note(const std::string& what) {
    if (broken_.empty()) broken_ = what;
  }
  void use(ProcessorId p, std::uint64_t bytes) {
    nodes_[raw(p)].used_bytes += bytes;
    if (nodes_[raw(p)].used_bytes > memory_bytes_[raw(p)]) note("more is used than there is");
  }

  bool end_one(MemoryAwareRuntime& runtime) {
    struct Choice {
      std::size_t node;
      char what;
    };
    std::vector<Choice> choices;
    for (std::size_t p = 0; p < nodes_.size(); ++p) {
      if (!nodes_[p].loading.empty()) choices.push_back({p, 'l'});
      if (!nodes_[p].running.empty()) choices.push_back({p, 't'});
      if (!nodes_[p].writing.empty()) choices.push_back({p, 'w'});
    }
    if (choices.empty()) return false;
    const Choice choice = choices[rng_.below(choices.size())];
    const ProcessorId p{static_cast<std::uint32_t>(choice.node)};
    Node& node = nodes_[choice.node];
    if (choice.what == 'l') {
      const std::size_t at = loads_in_order_ ? 0 : rng_.below(node.loading.size());
      const DataId data = node.loading[at];
      node.loading.erase(node.loading.begin() + static_cast<std::ptrdiff_t>(at));
      node.state[raw(data)] = 'r';
      runtime.load_ended(p, data);
    } else if (choice.what == 't') {
      const TaskId task = node.running.front();
      node.running.pop_front();
      ++ended_;
      runtime.task_ended(p, task);
    } else {
      const TaskId task = node.writing.front();
      node.writing.pop_front();
      node.used_bytes -= graph_.output_bytes(static_cast<Index>(raw(task)));
      runtime.write_ended(p, task);
    }
    return true;
  }

  const TaskGraph& graph_;
  const std::vector<std::uint64_t>& memory_bytes_;
  RuntimeOptions options_;
  bool write_back_;
  Rng rng_;
  bool loads_in_order_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> granted_to_;
  std::vector<bool> started_;
  std::size_t ended_ = 0;
  std::size_t most_loading_ = 0;
  std::size_t most_running_ = 0;
  std::string broken_;
};

/// Tasks of 0 to 4 inputs and an output on processors with little more memory than the largest
/// needs.
struct Instance {
  Workload workload;
  Platform platform;
};

Workload drawn_workload(Rng& rng) {
  constexpr std::array texts{"gemm2d:n=5,tile=4,k=4", "gemm3d:n=3,tile=4,c=yes",
                             "cholesky:n=4,tile=4,deps=false"};
  const std::uint64_t which = rng.below(2 * texts.size());
  if (which < texts.size()) return Workload::parse(texts.at(which));
  TaskGraph::Parts parts =
      oracle::random_graph(rng, 1 + rng.below(24), 1 + rng.below(12), 4, 1 + rng.below(9)).parts();
  for (std::size_t t = 0; t < parts.flops.size(); ++t) parts.output_bytes.push_back(rng.below(6));
  return Workload::of_graph("random", TaskGraph(std::move(parts)));
}

Instance drawn_instance(Rng& rng) {
  const Workload workload = drawn_workload(rng);
  const TaskGraph& graph = workload.graph();
  std::uint64_t least = 1;
  for (Index t = 0; t < graph.tasks(); ++t) {
    least = std::max(least, graph.footprint(t) + graph.output_bytes(t));
  }
  MachineModel machine{.processors = {}, .bus_bytes_per_s = 1e9, .depth = rng.below(6)};
  machine.write_back = rng.below(2) == 0;
  Platform platform;
  for (std::uint64_t p = 0; p < 1 + rng.below(4); ++p) {
    platform.speeds.push_back(1e9);
    machine.processors.push_back({.flops_per_s = 1e9,
                                  .memory_bytes = least + rng.below(1 + least),
                                  .link_bytes_per_s = 1e9});
  }
  platform.machine = machine;
  return {workload, platform};
}

class EveryMemoryAwareRuntime : public testing::TestWithParam<std::string> {};

TEST_P(EveryMemoryAwareRuntime, OrdersOnlyWhatCanBeDoneAndEnds) {
  if (left_out_of_build(GetParam())) GTEST_SKIP() << "not built in";
  Rng rng(11, Draw::test, 0);
  std::size_t most_running = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Instance instance = drawn_instance(rng);
    MachineModel& machine = *instance.platform.machine;
    const RuntimeOptions options{.lanes = 1 + rng.below(3)};
    machine.loads_ahead = rng.below(6);
    if (!defined_on(name_in(GetParam()), instance.workload)) continue;
    std::vector<std::uint64_t> memory;
    for (const ProcessorModel& gpu : machine.processors) memory.push_back(gpu.memory_bytes);
    SCOPED_TRACE(testing::Message()
                 << "instance " << i << ": " << instance.workload.text() << ", "
                 << machine.processors.size() << " processors, depth " << machine.depth << ", "
                 << options.lanes << " lanes, " << machine.loads_ahead << " loads ahead");
    RandomMachine backend(instance.workload, memory, options, machine.write_back, i);
    MemoryAwareRuntime runtime(instance.workload, instance.platform,
                               StrategyChoice::parse(GetParam(), instance.workload), i, 0, options,
                               backend);

    const std::size_t ran = backend.run(runtime);

    ASSERT_EQ(backend.broken(), "");
    ASSERT_EQ(ran, instance.workload.tasks());
    // One batch may be asked for while `loads_ahead` are on their way, of one task's inputs.
    ASSERT_LE(backend.most_loading(), machine.loads_ahead + instance.workload.graph().widest());
    most_running = std::max(most_running, backend.most_running());
  }
  EXPECT_EQ(most_running, 3U);  // the lanes were used
}

std::vector<std::string> limited_choices() {
  std::vector<std::string> result = every_choice();
  for (const auto& policy : evictions()) {
    for (const auto* name : {"eager", "dmdar", "dynamic"}) {
      result.push_back(std::string(name) + ":eviction=" + policy.name);
    }
  }
  for (const auto* name : {"eager", "mst", "hfp", "darts", "dmdar", "dynamic", "panel-streaming"}) {
    result.push_back(std::string(name) + ":buffer=ready");
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryMemoryAwareRuntime, testing::ValuesIn(limited_choices()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace damocles::memory_aware_runtime_test
