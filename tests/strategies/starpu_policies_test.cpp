// The queueing rule of each of StarPU's policies, worked out by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/error_text.hpp"
#include "tests/strategies/fan.hpp"
#include "tests/strategies/gpu_and_cores.hpp"

namespace damocles::starpu_policies_test {
namespace {

using Ids = TaskIds;

/// Tasks that wait for nobody, each with 1 B of its own, of these flops and priorities.
struct Task {
  double flops = 1;
  double priority = 0;
};

/// A strategy on processors of these flop/s, whose transfers take next to nothing.
class Free {
 public:
  Free(const std::string& strategy, const std::vector<Task>& tasks,
       const std::vector<double>& speeds = {1, 1}, double bytes_per_s = 1e30)
      : workload_(Workload::of_graph("free", TaskGraph(parts_of(tasks)))),
        platform_{.speeds = speeds},
        memory_(speeds.size(), tasks.size()),
        choice_(StrategyChoice::parse(strategy, workload_)) {
    platform_.machine = MachineModel{.processors = {}, .bus_bytes_per_s = bytes_per_s, .jitter = 0};
    for (const double speed : speeds) {
      platform_.machine->processors.push_back(
          {.flops_per_s = speed, .memory_bytes = 1000, .link_bytes_per_s = bytes_per_s});
    }
    strategy_ =
        choice_.make({workload_, platform_, memory_, choice_.spec, Rng(1, Draw::strategy, 0),
                      std::vector<std::uint64_t>(speeds.size(), 1000)});
  }

  Strategy& operator*() { return *strategy_; }
  /// The next task of the processor, or nothing.
  Ids next(std::uint32_t processor) {
    Grant grant;
    strategy_->request(ProcessorId{processor}, grant);
    Ids result;
    grant.tasks.for_each([&](TaskId task) { result.push_back(raw(task)); });
    return result;
  }
  /// All that it is granted, one after the other.
  Ids all(std::uint32_t processor) {
    Ids result;
    for (Ids one = next(processor); !one.empty(); one = next(processor)) {
      result.push_back(one.front());
    }
    return result;
  }

 private:
  static TaskGraph::Parts parts_of(const std::vector<Task>& tasks) {
    TaskGraph::Parts parts;
    parts.bytes.assign(tasks.size(), 1);
    for (TaskGraph::Index task = 0; task < tasks.size(); ++task) {
      parts.add_task(std::vector{task}, tasks[task].flops);
      parts.priorities.push_back(tasks[task].priority);
    }
    return parts;
  }

  Workload workload_;
  Platform platform_;
  NodeMemory memory_;
  StrategyChoice choice_;
  std::unique_ptr<Strategy> strategy_;
};

TEST(CentralQueues, GiveTheHighestPriorityOrWhoCameFirst) {
  for (const auto& [name, order] : {std::pair<std::string, Ids>{"modular-eager", {1, 2, 3, 4}},
                                    {"modular-eager-prefetching", {1, 2, 3, 4}},
                                    {"prio", {2, 3, 4, 1}},
                                    {"modular-prio", {2, 3, 4, 1}},
                                    {"modular-prio-prefetching", {2, 3, 4, 1}},
                                    {"modular-eager-prio", {2, 3, 4, 1}}}) {
    Fan fan(name, {9, 1, 4, 3, 2});
    fan.first_runs_on(1);

    EXPECT_EQ(fan.granted(0), order) << name;  // whoever ran the task before
    EXPECT_EQ(fan.granted(1), Ids{}) << name;
  }
}

TEST(Eager, PutsTasksOfAPriorityToTheFrontWhereAsked) {
  const std::vector<double> priorities{0, 0, 4, 0, -2};
  Fan plain("eager", priorities);
  plain.first_runs_on(1);
  EXPECT_EQ(plain.granted(0), (Ids{1, 2, 3, 4}));

  Fan front("eager:priorities=front", priorities);
  front.first_runs_on(1);
  // 1; 2 before it; 3 behind it; 4 before them all: what came last goes first, whatever it is.
  EXPECT_EQ(front.granted(0), (Ids{4, 2, 1, 3}));

  EXPECT_EQ(error_text([&] { Fan("eager:priorities=high", priorities); }),
            "strategy 'eager:priorities=high': priorities must be none or front, not 'high'");
}

TEST(Ws, KeepsTasksWhereTheOneBeforeRanTheHighestPriorityFirst) {
  Fan fan("ws", {9, 1, 4, 3, 2});
  fan.first_runs_on(1);

  EXPECT_EQ(fan.granted(1), (Ids{2, 3, 4, 1}));
}

/// Seven tasks dealt out to three: 0, 3 and 6; 1 and 4; 2 and 5.
const std::vector<Task> seven(7);
const std::vector<double> three{1, 1, 1};

TEST(Ws, RobsTheLongestQueue) {
  Free ws("ws", seven, three);

  // Its own; 6, the last of three; of two and two the lower processor's, 3; 4 of two; of one and
  // one 0, then 1.
  EXPECT_EQ(ws.all(2), (Ids{2, 5, 6, 3, 4, 0, 1}));
}

TEST(Lws, RobsTheNextNeighbour) {
  Free lws("lws", seven, three);

  EXPECT_EQ(lws.all(2), (Ids{2, 5, 6, 3, 0, 4, 1}));
}

/// Eight tasks dealt out to two: the first gets 0, 2, 4 and 6, of priorities 1, 5, 5 and 0.
TEST(WorkStealing, TakesTheLastPushedTaskOfTheHighestPriority) {
  const std::vector<Task> eight{{1, 1}, {1, 0}, {1, 5}, {1, 0}, {1, 5}, {1, 0}, {1, 0}, {1, 0}};
  for (const std::string name : {"ws", "lws", "modular-ws"}) {
    Free robbed(name, eight);
    EXPECT_EQ(robbed.all(1), (Ids{1, 3, 5, 7, 4, 2, 0, 6})) << name;

    Free owner(name, eight);
    EXPECT_EQ(owner.all(0), (Ids{2, 4, 0, 6, 7, 5, 3, 1})) << name;  // its own: the first pushed
  }
}

TEST(ModularWs, DealsOutInTurnWhoeverFreedATaskAndRobsTheNextNeighbour) {
  Fan fan("modular-ws", {9, 1, 4, 3, 2});
  fan.first_runs_on(1);  // task 0 was dealt to processor 0, and stolen

  // 1 and 3 to processor 1, 2 and 4 to processor 0; of each the highest priority first.
  EXPECT_EQ(fan.granted(1), (Ids{3, 1, 2, 4}));
}

TEST(Ws, RobsWhomItCanHelp) {
  Platform platform = gpu_and_cores();
  platform.machine->processors[2].kernel_times = {{"A", never_s}, {"B", 3}};
  // The GPU: 0, 3 and 6, of A; the first core: 1 and 4, of B; the second: 2, of A, and 5, of B.
  Asked ws("ws", tasks_of({0, 1, 0, 0, 1, 1, 0}), platform);

  EXPECT_EQ(ws.granted(2), Ids{5});
  EXPECT_EQ(ws.granted(2), Ids{4});  // the GPU has more, but nothing for it
  EXPECT_EQ(ws.granted(2), Ids{1});
  EXPECT_EQ(ws.granted(2), Ids{});
  EXPECT_EQ(ws.granted(1), Ids{6});
  EXPECT_EQ(ws.granted(0), Ids{0});
  EXPECT_EQ(ws.granted(0), Ids{3});
  EXPECT_EQ(ws.granted(0), Ids{2});
}

/// The number of tasks of each processor, of 6000; 2 standard deviations are 73 at a third.
std::map<std::uint32_t, double> shares(const std::string& strategy,
                                       const std::vector<double>& speeds) {
  Free drawn(strategy, std::vector<Task>(6000), speeds);
  std::map<std::uint32_t, double> result;
  for (std::uint32_t p = 0; p < speeds.size(); ++p) {
    result[p] = static_cast<double>(drawn.all(p).size());
  }
  return result;
}

TEST(RandomBySpeed, GivesWhoIsTwiceAsFastTwiceAsMany) {
  for (const auto* name : {"random-by-speed", "modular-random", "modular-random-prefetching",
                           "modular-random-prio", "modular-random-prio-prefetching"}) {
    const auto share = shares(name, {1, 2, 3});

    EXPECT_NEAR(share.at(0), 1000, 120) << name;
    EXPECT_NEAR(share.at(1), 2000, 150) << name;
    EXPECT_NEAR(share.at(2), 3000, 155) << name;
    EXPECT_EQ(share.at(0) + share.at(1) + share.at(2), 6000) << name;
  }
}

TEST(RandomBySpeed, SortsByPriorityWhereItsNameSaysSo) {
  const std::vector<Task> tasks{{1, 1}, {1, 5}, {1, 3}};
  for (const auto* name : {"random-by-speed", "modular-random", "modular-random-prefetching"}) {
    EXPECT_EQ(Free(name, tasks, {1}).all(0), (Ids{0, 1, 2})) << name;
  }
  for (const auto* name : {"modular-random-prio", "modular-random-prio-prefetching"}) {
    EXPECT_EQ(Free(name, tasks, {1}).all(0), (Ids{1, 2, 0})) << name;
  }
}

TEST(RandomBySpeed, DrawsAmongThoseThatCanRunATask) {
  Platform platform = gpu_and_cores();
  for (const std::size_t core : {1U, 2U}) {
    platform.machine->processors[core].kernel_times = {{"A", never_s}, {"B", 3}};
  }
  Asked drawn("random-by-speed", tasks_of(std::vector<std::uint16_t>(50, 0)), platform);

  EXPECT_EQ(drawn.granted(1), Ids{});
  EXPECT_EQ(drawn.granted(2), Ids{});
  EXPECT_EQ(drawn.granted(0), Ids{0});
}

/// Overall a GPU computes a task of A and one of B in 1 + 2 s, a core in 10 + 3 s: 13 to 3 to 3.
TEST(RandomBySpeed, IsBySpeedOverAllTasks) {
  std::vector<std::uint16_t> kinds(4000, 0);
  std::fill(kinds.begin() + 2000, kinds.end(), std::uint16_t{1});
  Asked drawn("random-by-speed", tasks_of(kinds), gpu_and_cores());
  double of_gpu = 0;
  while (!drawn.granted(0).empty()) ++of_gpu;

  EXPECT_NEAR(of_gpu, 4000 * 13.0 / 19, 3 * std::sqrt(4000 * 13.0 / 19 * 6 / 19));
}

/// One data item of 10 B at 2 * 2 / 4 = 1 s a byte, tasks of 1 s.
TEST(Dm, CountsNoTransfers) {
  for (const auto& [name, second_on] : {std::pair<std::string, Ids>{"dm", {1}}, {"dmda", {}}}) {
    TaskGraph::Parts parts;
    parts.bytes = {10};
    for (int i = 0; i < 2; ++i) parts.add_task(std::vector<TaskGraph::Index>{0}, 1);
    const Workload workload = Workload::of_graph("one data item", TaskGraph(std::move(parts)));
    Platform platform{.speeds = {1, 1}};
    platform.machine = MachineModel{
        .processors = {2, {.flops_per_s = 1, .memory_bytes = 100, .link_bytes_per_s = 1e9}},
        .bus_bytes_per_s = 4,
        .jitter = 0};
    const NodeMemory memory(2, 1);
    const auto choice = StrategyChoice::parse(name, workload);
    const auto strategy = choice.make(
        {workload, platform, memory, choice.spec, Rng(1, Draw::strategy, 0), {100, 100}});
    Grant grant;
    strategy->request(ProcessorId{1}, grant);
    Ids granted;
    grant.tasks.for_each([&](TaskId task) { granted.push_back(raw(task)); });

    EXPECT_EQ(granted, second_on) << name;
  }
}

TEST(Dmdap, SortsByPriorityAndLooksAtNoData) {
  for (const auto& [name, order] :
       {std::pair<std::string, Ids>{"dmdap", {1, 3}}, {"dmdas", {3, 1}}, {"dmdasd", {3, 1}}}) {
    Fan same(name, {9, 1, 1, 1, 1});
    same.first_runs_on(0);
    same.memory().load(ProcessorId{0}, DataId{3});
    EXPECT_EQ(same.granted(0), order) << name;
    if (name == "dmdasd") continue;

    Fan sorted(name, {9, 1, 4, 3, 2});
    sorted.first_runs_on(0);
    EXPECT_EQ(sorted.granted(0), (Ids{3, 1})) << name;
  }
}

/// 4 s to the first, 3 s to the second, of low priority; then 1.5 s of the highest, 1 s of a middle
/// one.
TEST(Dmdasd, PlacesATaskAsIfThoseItOvertakesWereNotThere) {
  const std::vector<Task> tasks{{4, 1}, {3, 1}, {1.5, 5}, {1, 3}};

  // All count: 2 behind 3 s on the second, ends at 4; then 3 behind 4 s on the first, or the
  // second.
  Free dmdas("dmdas", tasks);
  EXPECT_EQ(dmdas.all(0), (Ids{3, 0}));
  EXPECT_EQ(dmdas.all(1), (Ids{2, 1}));
  // Only what goes before: 2 behind nothing, on the first; 3 behind 1.5 s there, nothing elsewhere.
  Free dmdasd("dmdasd", tasks);
  EXPECT_EQ(dmdasd.all(0), (Ids{2, 0}));
  EXPECT_EQ(dmdasd.all(1), (Ids{3, 1}));
}

TEST(Dmdasd, CountsATaskThatWasGranted) {
  // Task 0, of a low priority, is on the first and granted: it goes before all that come.
  Fan dmdasd("dmdasd", {1, 9, 9, 9, 9});
  (*dmdasd).on_ready(TaskId{0});
  Grant grant;
  (*dmdasd).request(ProcessorId{0}, grant);
  (*dmdasd).on_ready(TaskId{1});

  EXPECT_EQ(dmdasd.granted(0), Ids{});
  EXPECT_EQ(dmdasd.granted(1), Ids{1});
}

/// Where each of two tasks of B goes, which take 2 s on the GPU and 3 on a core, data 10 s.
Ids placed(const std::string& strategy, double core_w) {
  Platform platform = gpu_and_cores(20);
  platform.machine->processors[0].power.computing_w = 100;
  for (const std::size_t core : {1U, 2U})
    platform.machine->processors[core].power.computing_w = core_w;
  Ids result(2);
  Asked dmda(strategy, tasks_of({1, 1}), platform);
  for (std::uint32_t p = 0; p < 3; ++p) {
    for (Ids one = dmda.granted(p); !one.empty(); one = dmda.granted(p)) result[one.front()] = p;
  }
  return result;
}

TEST(CostWeights, SayWhatAPlacementCosts) {
  // As StarPU weighs them: at 10 + 2 + 10 on the GPU, at 3 on a core.
  EXPECT_EQ(placed("dmda:gamma=0", 100), (Ids{1, 2}));
  // A transfer counts once, where it delays the task: 12 to 3.
  EXPECT_EQ(placed("dmda:gamma=0,beta=0", 100), (Ids{1, 2}));
  // Nothing but transfers: both in host memory, on the first that has none.
  EXPECT_EQ(placed("dmda:gamma=0,alpha=0", 100), (Ids{1, 1}));
  // 200 J on the GPU, 3 000 J on a core: at 1 s a joule 222 to 3 003; at 1 ms 22.2 to 6.
  EXPECT_EQ(placed("dmda:gamma=1000000", 1000), (Ids{0, 0}));
  EXPECT_EQ(placed("dmda", 1000), (Ids{1, 2}));
  // Nothing but energy.
  EXPECT_EQ(placed("dmda:alpha=0,beta=0", 1000), (Ids{0, 0}));
  EXPECT_EQ(placed("dmda:alpha=0,beta=0", 10), (Ids{1, 1}));
}

/// Energy alone would have both on one core: 30 J each. With all idle power counted the second goes
/// to the other core, behind whose end the run is no longer: 3 s more of 200 W are 600 J.
TEST(CostWeights, CountIdlePowerWhereATaskMakesTheRunLonger) {
  EXPECT_EQ(placed("dmda:alpha=0,beta=0,idle-power=0", 10), (Ids{1, 1}));
  EXPECT_EQ(placed("dmda:alpha=0,beta=0,idle-power=200", 10), (Ids{1, 2}));
}

TEST(CostWeights, AreNumbersThatAreNotNegative) {
  EXPECT_EQ(error_text([] { Free("dmdas:alpha=-1", {{}}); }),
            "strategy 'dmdas:alpha=-1': alpha must be a number from 0 to 1000000000, not '-1'");
}

TEST(ModularHeft, PlacesATaskWhenThereIsRoom) {
  // Lists of one: 1 to GPU 0, 2 to GPU 1; 3 waits, as GPU 0, where it should go, is full, and 4
  // with it. When 1 was granted 3 is placed, then 4 should go to GPU 1, which is full.
  Fan late("modular-heft:threshold=1", {9, 1, 4, 3, 2});
  late.first_runs_on(0);
  EXPECT_EQ(late.granted(0), (Ids{1, 3}));
  // By now GPU 0 has computed both.
  (*late).on_finished(ProcessorId{0}, TaskId{1});
  (*late).on_finished(ProcessorId{0}, TaskId{3});
  EXPECT_EQ(late.granted(0), Ids{4});
  EXPECT_EQ(late.granted(1), Ids{2});

  // Lists of thirty: all placed at once, in turn, sorted by priority there.
  Fan early("modular-heft", {9, 1, 4, 3, 2});
  early.first_runs_on(0);
  EXPECT_EQ(early.granted(0), (Ids{3, 1}));
  EXPECT_EQ(early.granted(1), (Ids{2, 4}));
}

TEST(ModularHeft, WakesWhomItGivesATask) {
  Fan fan("modular-heft:threshold=1", {9, 1, 4, 3, 2});
  fan.first_runs_on(0);
  EXPECT_FALSE((*fan).consume_wakeup());
  EXPECT_EQ(fan.granted(1), Ids{2});
  EXPECT_FALSE((*fan).consume_wakeup());  // 3 should go to GPU 0, which is full
  (*fan).on_finished(ProcessorId{1}, TaskId{2});
  Grant grant;
  (*fan).request(ProcessorId{0}, grant);  // 1: now 3 goes to GPU 1, and 4 to GPU 0

  EXPECT_TRUE((*fan).consume_wakeup());
  EXPECT_FALSE((*fan).consume_wakeup());
  EXPECT_EQ(fan.granted(1), Ids{3});
}

/// A takes 1 s on the GPU and 10 on a core, B 2 s and 2.5.
Platform faster_cores() {
  Platform platform = gpu_and_cores();
  for (const std::size_t core : {1U, 2U}) {
    platform.machine->processors[core].kernel_times = {{"A", 10}, {"B", 2.5}};
  }
  return platform;
}

TEST(ModularHeft2, PlacesFirstTheTaskToWhichItMattersMost) {
  // B came first: to the GPU, until 2; A behind it, until 3.
  Asked heft("modular-heft", tasks_of({1, 0}), faster_cores());
  EXPECT_EQ(heft.granted(1), Ids{});
  EXPECT_EQ(heft.granted(0), Ids{0});
  EXPECT_EQ(heft.granted(0), Ids{1});
  // A's ends are 9 s apart, B's 0.5: A to the GPU, until 1; B there until 3, on a core until 2.5.
  Asked heft2("modular-heft2", tasks_of({1, 0}), faster_cores());
  EXPECT_EQ(heft2.granted(1), Ids{0});
  EXPECT_EQ(heft2.granted(0), Ids{1});
}

TEST(ModularHeft2, LooksAtFiveTasks) {
  // The sixth is of A, to which it matters most: it is placed when one of the five before it is.
  Asked heft2("modular-heft2:threshold=1", tasks_of({1, 1, 1, 1, 1, 0}), faster_cores());

  EXPECT_EQ(heft2.granted(0), Ids{0});  // B, until 2; then A, until 3
  EXPECT_EQ(heft2.granted(0), Ids{5});
}

TEST(ModularHeftPrio, LetsCoresDrawFromOneList) {
  // 0 to the GPU, until 2; 1 to the first core, until 2.5.
  Asked one_each("modular-heft", tasks_of({1, 1}), faster_cores());
  EXPECT_EQ(one_each.granted(2), Ids{});
  EXPECT_EQ(one_each.granted(1), Ids{1});
  Asked shared("modular-heft-prio", tasks_of({1, 1}), faster_cores());
  EXPECT_EQ(shared.granted(2), Ids{1});
  EXPECT_EQ(shared.granted(1), Ids{});
  EXPECT_EQ(shared.granted(0), Ids{0});
}

TEST(ModularHeteroprio, GivesTheGpuWhatItGainsMostAtFirst) {
  // Two of B came before A. By priority alone: B to the GPU until 2, B to a core, A to the GPU.
  Asked heft("modular-heft", tasks_of({1, 1, 0}), faster_cores());
  EXPECT_EQ(heft.granted(0), Ids{0});
  EXPECT_EQ(heft.granted(0), Ids{2});
  // A to the GPU, until 1; then B to a core, until 2.5 (on the GPU until 3), as only what should go
  // to a core does; so the second B.
  Asked heteroprio("modular-heteroprio", tasks_of({1, 1, 0}), faster_cores());
  EXPECT_EQ(heteroprio.granted(0), Ids{2});
  EXPECT_EQ(heteroprio.granted(0), Ids{});
  EXPECT_EQ(heteroprio.granted(1), Ids{0});
  EXPECT_EQ(heteroprio.granted(2), Ids{1});
}

TEST(ModularHeteroprio, PlacesWhatNotAllCanRunBeforeTheRest) {
  Platform platform = faster_cores();
  platform.machine->processors[0].kernel_times = {{"A", 1}, {"B", never_s}};
  platform.machine->processors[2].kernel_times = {{"A", 10}, {"B", never_s}};
  Asked heteroprio("modular-heteroprio:threshold=1", tasks_of({0, 1}), platform);

  EXPECT_EQ(heteroprio.granted(1), Ids{1});
  EXPECT_EQ(heteroprio.granted(0), Ids{0});
}

}  // namespace
}  // namespace damocles::starpu_policies_test
