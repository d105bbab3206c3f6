// What each data item would enable, against counting anew.

#include "ode/limited_memory/task_views.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "models/rng.hpp"
#include "models/workload.hpp"

namespace damocles::task_views_test {
namespace {

using Index = TaskGraph::Index;

/// Open tasks that read the data item and of whose inputs so many are out of view. Tasks that lack
/// two count only if they have three inputs or more.
Index lacking(const TaskViews& views, std::size_t processor, Index data, std::size_t inputs) {
  const TaskGraph& graph = views.graph();
  Index count = 0;
  for (const Index task : graph.users(data)) {
    const auto all = graph.inputs(task);
    const auto missing = std::count_if(
        all.begin(), all.end(), [&](Index input) { return !views.in_view(processor, input); });
    const bool counts = inputs == 1 || all.size() > inputs;
    if (counts && views.is_open(task) && static_cast<std::size_t>(missing) == inputs) ++count;
  }
  return count;
}

Index open_users(const TaskViews& views, Index data) {
  const auto users = views.graph().users(data);
  return static_cast<Index>(
      std::count_if(users.begin(), users.end(), [&](Index task) { return views.is_open(task); }));
}

void expect_counted(const TaskViews& views, std::size_t processors) {
  for (Index data = 0; data < views.graph().data(); ++data) {
    EXPECT_EQ(views.users(data), open_users(views, data));
    for (std::size_t k = 0; k < processors; ++k) {
      const bool sees = views.in_view(k, data);
      EXPECT_EQ(views.frees(k, data), sees ? 0 : lacking(views, k, data, 1));
      EXPECT_EQ(views.nearly_frees(k, data), sees ? 0 : lacking(views, k, data, 2));
    }
  }
}

/// Shows the data item, and looks whether it names the tasks that lack nothing then.
void expect_shown(TaskViews& views, std::size_t processor, Index data) {
  std::vector<Index> enabled;
  views.show(processor, data, enabled);
  std::vector<Index> free;
  for (const Index task : views.graph().users(data)) {
    const auto inputs = views.graph().inputs(task);
    const bool lacks_nothing = std::all_of(
        inputs.begin(), inputs.end(), [&](Index input) { return views.in_view(processor, input); });
    if (views.is_open(task) && lacks_nothing) free.push_back(task);
  }
  EXPECT_EQ(enabled, free);
}

/// Tasks with one, two and three inputs, or with three alone; grids, whose rows and columns are no
/// lists, and tasks that are spread over one.
class TaskViewsOf : public testing::TestWithParam<const char*> {};

TEST_P(TaskViewsOf, CountWhatEachDataItemWouldEnable) {
  constexpr std::size_t processors = 2;
  const Workload workload = Workload::parse(GetParam());
  const TaskGraph& graph = workload.graph();
  TaskViews views(graph, processors, true);
  expect_counted(views, processors);
  Rng rng(1, Draw::test, 7);
  for (int step = 0; step < 400; ++step) {
    const auto data = static_cast<Index>(rng.below(graph.data()));
    const std::size_t processor = rng.below(processors);
    if (views.in_view(processor, data) && rng.below(4) > 0) {
      views.hide(processor, data);
    } else {
      expect_shown(views, processor, data);
    }
    const auto task = static_cast<Index>(rng.below(graph.tasks()));
    views.set_open(task, !views.is_open(task));
    expect_counted(views, processors);
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, TaskViewsOf,
                         testing::Values("cholesky:n=6,deps=false", "gemm3d:n=4,c=yes",
                                         "gemm2d:n=8", "gemm2d:n=5,m=21",
                                         "sparse2d:n=9,density=0.4"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(TaskViews, NameTheFirstTaskThatLacksTwo) {
  const Workload workload = Workload::parse("gemm3d:n=3,c=yes");
  TaskViews views(workload.graph(), 1, true);
  const auto inputs = workload.graph().inputs(5);
  std::vector<Index> enabled;
  views.show(0, inputs[0], enabled);
  const Index found = views.first_nearly_free(0, inputs[1]);
  const auto its = workload.graph().inputs(found);
  EXPECT_NE(std::find(its.begin(), its.end(), inputs[1]), its.end());
  EXPECT_EQ(lacking(views, 0, inputs[1], 2), views.nearly_frees(0, inputs[1]));
  EXPECT_FALSE(views.is_free(0, found));
}

TEST(TaskViews, CountOpenTasksAlone) {
  const Workload workload = Workload::parse("gemm2d:n=3");
  TaskViews views(workload.graph(), 1, false);
  const Index row = workload.graph().inputs(0)[0];
  const Index column = workload.graph().inputs(0)[1];
  std::vector<Index> enabled;
  views.show(0, row, enabled);
  EXPECT_TRUE(enabled.empty());
  EXPECT_EQ(views.frees(0, column), 1);
  EXPECT_EQ(views.users(column), 3);
  views.set_open(0, false);
  EXPECT_EQ(views.frees(0, column), 0);
  EXPECT_EQ(views.users(column), 2);
  EXPECT_EQ(views.left(), 8);
  views.show(0, column, enabled);
  EXPECT_TRUE(enabled.empty());
  EXPECT_FALSE(views.is_free(0, 0));
  views.set_open(0, true);
  EXPECT_TRUE(views.is_free(0, 0));
}

}  // namespace
}  // namespace damocles::task_views_test
