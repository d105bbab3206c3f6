#include "strategies/runtime/worker_state.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "models/task_graph.hpp"

namespace damocles::worker_state_test {
namespace {

using Index = TaskGraph::Index;

class NoStrategy final : public Strategy {
 public:
  void request(ProcessorId, Grant&) override {}
};

/// Data a, b, c, d of 1 B, e of 3 B; tasks ab, cd, a, e, c.
const TaskGraph& graph() {
  static const TaskGraph tasks = [] {
    TaskGraph::Parts parts;
    parts.bytes = {1, 1, 1, 1, 3};
    for (const auto& inputs : std::vector<std::vector<Index>>{{0, 1}, {2, 3}, {0}, {4}, {2}}) {
      parts.add_task(inputs, 1);
    }
    return TaskGraph(parts);
  }();
  return tasks;
}
constexpr Index a = 0;
constexpr Index b = 1;
constexpr Index c = 2;
constexpr Index ab = 0;
constexpr Index cd = 1;
constexpr Index only_a = 2;
constexpr Index only_e = 3;
constexpr Index only_c = 4;

class Buffer : public testing::Test {
 protected:
  NoStrategy strategy_;
  WorkerState taken_{ProcessorId{0}, graph(), strategy_, 100, WorkerState::Order::taken};
  WorkerState ready_{ProcessorId{0}, graph(), strategy_, 100, WorkerState::Order::ready};
};

void load(WorkerState& worker, Index data) {
  worker.begin_load(data);
  worker.end_load(data);
}

TEST_F(Buffer, RunsTasksAsTakenUnlessToldOtherwise) {
  for (const Index task : {ab, only_c}) taken_.buffer_task(task);
  load(taken_, c);

  taken_.choose_next();

  EXPECT_EQ(taken_.next_task(), ab);
}

std::vector<Index> buffered(const WorkerState& worker) {
  return {worker.buffer().begin(), worker.buffer().end()};
}

TEST_F(Buffer, RunsTheReadiestNext) {
  for (const Index task : {ab, cd, only_c}) ready_.buffer_task(task);
  load(ready_, c);

  ready_.choose_next();

  EXPECT_EQ(ready_.next_task(), only_c);
  EXPECT_EQ(buffered(ready_), (std::vector<Index>{only_c, ab, cd}));  // the others in order
}

TEST_F(Buffer, CountsBytesNotData) {
  for (const Index task : {only_e, ab}) ready_.buffer_task(task);  // 3 B against 2 B

  ready_.choose_next();

  EXPECT_EQ(ready_.next_task(), ab);
}

TEST_F(Buffer, OnATiePrefersWhatIsOnItsWayThenTheOrder) {
  for (const Index task : {ab, cd, only_a, only_c}) ready_.buffer_task(task);

  ready_.choose_next();
  EXPECT_EQ(ready_.next_task(), only_a);  // before only_c, as both lack 1 B

  ready_.begin_load(c);
  ready_.choose_next();
  EXPECT_EQ(ready_.next_task(), only_c);  // still not there, but on its way
}

TEST_F(Buffer, PinsOnlyTheInputsOfWhoeverIsNext) {
  for (const Index task : {ab, cd}) ready_.buffer_task(task);
  load(ready_, a);
  ready_.choose_next();
  ready_.seek_room_for(WorkerState::FetchReason::next_task, 1);
  EXPECT_FALSE(ready_.evictable(DataId{a}));  // ab is next, b is missing

  load(ready_, c);
  load(ready_, 3);
  ready_.choose_next();

  EXPECT_EQ(ready_.next_task(), cd);
  EXPECT_TRUE(ready_.evictable(DataId{a}));
  EXPECT_FALSE(ready_.evictable(DataId{c}));
}

TEST_F(Buffer, ChoosesAmongTheRestWhenATaskStarts) {
  for (const Index task : {ab, cd, only_c}) ready_.buffer_task(task);
  for (const Index data : {a, b, c}) load(ready_, data);

  ready_.start_next();  // ab was ready first

  EXPECT_EQ(ready_.buffer().front(), ab);
  EXPECT_EQ(ready_.next_task(), only_c);
  ready_.finish();
  EXPECT_EQ(buffered(ready_), (std::vector<Index>{only_c, cd}));
}

/// A task that only writes a data item may start while it is absent, not while it is on its way.
TEST(WorkerState, WaitsWhileWhatATaskOnlyWritesIsOnItsWay) {
  TaskGraph::Parts parts;
  parts.bytes = {1};
  parts.add_task(std::vector<Index>{0}, std::vector{Access::write}, 1);
  const TaskGraph writing(std::move(parts));
  NoStrategy strategy;
  WorkerState worker(ProcessorId{0}, writing, strategy, 100, WorkerState::Order::taken);
  worker.buffer_task(0);
  EXPECT_FALSE(worker.waits());

  worker.begin_load(0);
  EXPECT_TRUE(worker.waits());
  worker.end_load(0);
  EXPECT_FALSE(worker.waits());
}

}  // namespace
}  // namespace damocles::worker_state_test
