#include "strategies/parts/ready_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "tests/strategies/small_graphs.hpp"

namespace damocles::ready_list_test {
namespace {

using Index = TaskGraph::Index;

/// The same lists, scanned from end to end at every question.
class NaiveLists {
 public:
  NaiveLists(const TaskGraph& graph, std::size_t processors, ReadyList::Requests requests,
             std::size_t view)
      : graph_(graph),
        requests_(requests),
        view_(view),
        lists_(processors),
        seen_(processors),
        held_(processors),
        loading_(processors),
        evicted_(processors) {}

  std::vector<Index>& list(std::size_t p) { return lists_[p]; }

  /// Requests what the tasks that came in view read, after each change of a list.
  void look_on(std::size_t p) {
    std::set<Index> in_view(lists_[p].cbegin(), end_of_view(p));
    for (const Index task : in_view) {
      if (seen_[p].contains(task)) continue;
      for (const Index input : graph_.inputs(task)) evicted_[p].erase(input);
    }
    seen_[p] = std::move(in_view);
  }

  void load(std::size_t p, Index data) {
    if (held_[p].contains(data)) return;
    loading_[p].insert(data);
    evicted_[p].erase(data);
  }
  void arrive(std::size_t p, Index data) {
    held_[p].insert(data);
    loading_[p].erase(data);
    evicted_[p].erase(data);
  }
  void evict(std::size_t p, Index data) {
    if (held_[p].erase(data) + loading_[p].erase(data) > 0) evicted_[p].insert(data);
  }

  [[nodiscard]] MissingBytes lack(std::size_t p, Index task) const {
    MissingBytes lack;
    for (const Index input : graph_.inputs(task)) {
      if (held_[p].contains(input)) continue;
      lack.missing += graph_.bytes(input);
      if (requests_ == ReadyList::Requests::at_push && evicted_[p].contains(input)) {
        lack.unrequested += graph_.bytes(input);
      }
    }
    return lack;
  }

  [[nodiscard]] std::uint32_t uses(std::size_t p, Index data) const {
    std::uint32_t uses = 0;
    for (const Index task : std::span(lists_[p].cbegin(), end_of_view(p))) {
      const auto inputs = graph_.inputs(task);
      if (std::find(inputs.begin(), inputs.end(), data) != inputs.end()) ++uses;
    }
    return uses;
  }

  /// Neither there, nor on its way, nor evicted since a task that reads it came in view.
  [[nodiscard]] bool new_to(std::size_t p, Index data) const {
    return !held_[p].contains(data) && !loading_[p].contains(data) && !evicted_[p].contains(data);
  }

  std::optional<Index> take_readiest(std::size_t p) {
    if (lists_[p].empty()) return std::nullopt;
    const auto first = std::min_element(lists_[p].cbegin(), end_of_view(p),
                                        [&](Index a, Index b) { return lack(p, a) < lack(p, b); });
    const Index task = *first;
    lists_[p].erase(first);
    return task;
  }

  [[nodiscard]] double work(std::size_t p) const {
    double flops = 0;
    for (const Index task : lists_[p]) flops += graph_.flops(task);
    return flops;
  }

  bool steal(std::size_t thief, ReadyList::Half half) {
    const bool by_flops = half == ReadyList::Half::flops;
    std::size_t robbed = thief;
    for (std::size_t p = 0; p < lists_.size(); ++p) {
      if (p == thief || lists_[p].empty()) continue;
      const auto load = [&](std::size_t q) {
        return std::pair(by_flops ? work(q) : 0.0, lists_[q].size());
      };
      if (robbed == thief || load(p) > load(robbed)) robbed = p;
    }
    if (robbed == thief) return false;
    auto& from = lists_[robbed];
    std::size_t kept = from.size() / 2;
    if (by_flops && work(robbed) > 0) {
      double tail = 0;
      for (kept = from.size(); tail < work(robbed) / 2;) tail += graph_.flops(from[--kept]);
    }
    const auto cut = from.begin() + static_cast<std::ptrdiff_t>(kept);
    lists_[thief].insert(lists_[thief].end(), cut, from.end());
    from.erase(cut, from.end());
    return true;
  }

  /// Index in the list of the first task that reads the data, or none.
  [[nodiscard]] std::optional<std::size_t> next_use(std::size_t p, Index data) const {
    for (std::size_t i = 0; i < lists_[p].size(); ++i) {
      const auto inputs = graph_.inputs(lists_[p][i]);
      if (std::find(inputs.begin(), inputs.end(), data) != inputs.end()) return i;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::vector<Index>::const_iterator end_of_view(std::size_t p) const {
    return lists_[p].begin() + static_cast<std::ptrdiff_t>(std::min(view_, lists_[p].size()));
  }

  const TaskGraph& graph_;
  ReadyList::Requests requests_;
  std::size_t view_;
  std::vector<std::vector<Index>> lists_;
  std::vector<std::set<Index>> seen_;
  std::vector<std::set<Index>> held_;
  std::vector<std::set<Index>> loading_;
  std::vector<std::set<Index>> evicted_;
};

/// The list, taken from a copy.
std::vector<Index> tasks_of(ReadyList lists, ProcessorId p) {
  std::vector<Index> tasks;
  while (const auto task = lists.take_front(p)) tasks.push_back(*task);
  return tasks;
}

std::vector<Index> requests_of(ReadyList& lists, ProcessorId p, std::size_t count) {
  std::vector<Index> data;
  lists.for_each_request(p, count, [&](Index wanted) { data.push_back(wanted); });
  return data;
}

/// Both forms side by side.
class Pair {
 public:
  Pair(const TaskGraph& graph, std::size_t processors, ReadyList::Requests requests,
       std::size_t view)
      : graph_(graph),
        processors_(processors),
        fast_(graph, processors, requests, view),
        slow_(graph, processors, requests, view) {}

  void step(Rng& rng) {
    const std::size_t p = rng.below(processors_);
    const ProcessorId id{static_cast<std::uint32_t>(p)};
    const auto data = static_cast<Index>(rng.below(graph_.data()));
    switch (rng.below(9)) {
      case 0:
      case 1:
        if (pushed_ < graph_.tasks()) push(p, pushed_++);
        break;
      case 2:
        if (!taken_.empty()) {  // a task may come back, as from a cancelled prefetch
          push(p, taken_.back());
          taken_.pop_back();
        }
        break;
      case 3:
        slow_.load(p, data);
        fast_.on_loaded(id, data);
        break;
      case 4:
        slow_.arrive(p, data);
        fast_.on_arrived(id, data);
        break;
      case 5:
        slow_.evict(p, data);
        fast_.on_evicted(id, data);
        break;
      case 6:
      case 7: {
        const auto expected = slow_.take_readiest(p);
        ASSERT_EQ(fast_.take_readiest(id), expected);
        if (expected) taken_.push_back(*expected);
        break;
      }
      default:
        take_front_or_steal(p, rng);
    }
    for (std::size_t q = 0; q < processors_; ++q) slow_.look_on(q);
  }

  void compare(bool uses) {
    for (std::size_t p = 0; p < processors_; ++p) {
      const ProcessorId id{static_cast<std::uint32_t>(p)};
      ASSERT_EQ(tasks_of(fast_, id), slow_.list(p));
      ASSERT_EQ(fast_.size(id), slow_.list(p).size());
      ASSERT_EQ(fast_.work(id), slow_.work(p));
      for (const Index task : slow_.list(p)) {
        ASSERT_EQ(fast_.owner(task), id);
        ASSERT_EQ(fast_.lack(task), slow_.lack(p, task));
      }
      for (Index d = 0; d < graph_.data(); ++d) ASSERT_EQ(fast_.uses(id, d), slow_.uses(p, d));
      compare_requests(p, id);
      if (uses) compare_uses(p, id);
    }
    for (const Index task : taken_) ASSERT_EQ(fast_.owner(task), std::nullopt);
  }

 private:
  void push(std::size_t p, Index task) {
    slow_.list(p).push_back(task);
    fast_.push_back(ProcessorId{static_cast<std::uint32_t>(p)}, task);
  }

  void take_front_or_steal(std::size_t p, Rng& rng) {
    const ProcessorId id{static_cast<std::uint32_t>(p)};
    if (rng.below(3) == 0) {
      const auto half = rng.below(2) == 0 ? ReadyList::Half::tasks : ReadyList::Half::flops;
      ASSERT_EQ(fast_.steal(id, half), slow_.steal(p, half));
      return;
    }
    const auto task = fast_.take_front(id);
    ASSERT_EQ(task.has_value(), !slow_.list(p).empty());
    if (!task) return;
    ASSERT_EQ(*task, slow_.list(p).front());
    slow_.list(p).erase(slow_.list(p).begin());
    taken_.push_back(*task);
  }

  /// Every new data item that a task in view reads, each once; their order is tested by hand.
  void compare_requests(std::size_t p, ProcessorId id) {
    auto found = requests_of(fast_, id, graph_.data() + 1);
    std::sort(found.begin(), found.end());
    std::vector<Index> expected;
    for (Index d = 0; d < graph_.data(); ++d) {
      if (slow_.new_to(p, d) && slow_.uses(p, d) > 0) expected.push_back(d);
    }
    ASSERT_EQ(found, expected);
  }

  /// Positions are not list indices, but they must order data as those do, and tie where they do.
  void compare_uses(std::size_t p, ProcessorId id) {
    std::vector<std::pair<std::size_t, std::uint32_t>> both;
    for (Index d = 0; d < graph_.data(); ++d) {
      const auto expected = slow_.next_use(p, d);
      const auto found = fast_.next_use(id, d);
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (found) both.emplace_back(*expected, *found);
    }
    std::sort(both.begin(), both.end());
    for (std::size_t i = 1; i < both.size(); ++i) {
      ASSERT_EQ(both[i - 1].first == both[i].first, both[i - 1].second == both[i].second);
      ASSERT_LE(both[i - 1].second, both[i].second);
    }
  }

  const TaskGraph& graph_;
  std::size_t processors_;
  ReadyList fast_;
  NaiveLists slow_;
  Index pushed_ = 0;
  std::vector<Index> taken_;
};

TEST(ReadyList, AgreesWithLinearScansOverRandomOperations) {
  for (std::uint64_t replicate = 0; replicate < 24; ++replicate) {
    SCOPED_TRACE(replicate);
    Rng rng(1, Draw::test, replicate);
    const auto graph =
        oracle::random_graph(rng, 150, 4 + rng.below(20), 3, replicate % 2 == 0 ? 1 : 9);
    Pair pair(graph, 1 + rng.below(3),
              replicate % 3 == 0 ? ReadyList::Requests::untold : ReadyList::Requests::at_push,
              replicate % 5 == 0 ? ReadyList::whole : 1 + rng.below(12));
    for (int step = 0; step < 800; ++step) {
      ASSERT_NO_FATAL_FAILURE(pair.step(rng)) << step;
      // Half the runs ask for next uses, which drops those past, half only once lists are long.
      const bool uses = replicate % 4 < 2 || step > 400;
      if (step % 7 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(pair.compare(uses)) << step;
    }
  }
}

/// 2 x 2 product: task t reads row t / 2 (data 0, 1) and column t % 2 (data 2, 3).
TaskGraph two_by_two(std::uint64_t row_bytes, std::uint64_t column_bytes) {
  TaskGraph::Parts parts;
  parts.bytes = {row_bytes, row_bytes, column_bytes, column_bytes};
  for (Index t = 0; t < 4; ++t) parts.add_task(std::array<Index, 2>{t / 2, 2 + t % 2}, 1);
  return TaskGraph(std::move(parts));
}

constexpr ProcessorId p0{0};
constexpr ProcessorId p1{1};

TEST(ReadyList, TakesTheFirstOfEquallyReadyTasks) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 1);
  for (const Index task : {3U, 1U, 0U, 2U}) lists.push_back(p0, task);

  EXPECT_EQ(lists.take_readiest(p0), 3U);  // nothing is held: all lack two
  lists.on_arrived(p0, 0);                 // row 0: tasks 0 and 1 lack one, 1 comes first
  EXPECT_EQ(lists.take_readiest(p0), 1U);
  lists.on_arrived(p0, 2);  // column 0: task 0 lacks none
  EXPECT_EQ(lists.take_readiest(p0), 0U);
  EXPECT_EQ(lists.take_readiest(p0), 2U);
  EXPECT_EQ(lists.take_readiest(p0), std::nullopt);
}

TEST(ReadyList, CountsBytesNotData) {
  const auto graph = two_by_two(10, 3);
  ReadyList lists(graph, 1);
  for (const Index task : {0U, 1U, 2U, 3U}) lists.push_back(p0, task);

  lists.on_arrived(p0, 2);  // column 0: tasks 0 and 2 lack a row of 10
  lists.on_arrived(p0, 1);  // row 1: task 3 lacks a column of 3, task 2 nothing

  EXPECT_EQ(lists.lack(1).missing, 13U);
  EXPECT_EQ(lists.take_readiest(p0), 2U);
  EXPECT_EQ(lists.take_readiest(p0), 3U);
  EXPECT_EQ(lists.take_readiest(p0), 0U);
}

TEST(ReadyList, AStolenTaskCountsWhatItsNewProcessorHolds) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 2);
  for (const Index task : {0U, 1U, 2U, 3U}) lists.push_back(p0, task);
  lists.on_arrived(p0, 1);
  lists.on_arrived(p1, 3);

  EXPECT_TRUE(lists.steal(p1));

  EXPECT_EQ(tasks_of(lists, p0), (std::vector<Index>{0, 1}));
  EXPECT_EQ(tasks_of(lists, p1), (std::vector<Index>{2, 3}));  // the tail, in its order
  EXPECT_EQ(lists.lack(2).missing, 2U);
  EXPECT_EQ(lists.lack(3).missing, 1U);
}

TEST(ReadyList, StealsTheLastTaskButNeverItsOwn) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 2);
  lists.push_back(p0, 2);

  EXPECT_FALSE(lists.steal(p0));
  EXPECT_TRUE(lists.steal(p1));
  EXPECT_FALSE(lists.steal(p1));

  EXPECT_TRUE(lists.empty(p0));
  EXPECT_EQ(tasks_of(lists, p1), (std::vector<Index>{2}));
}

TEST(ReadyList, CountsDataOnTheirWayAsMissing) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 1);
  lists.push_back(p0, 0);

  lists.on_loaded(p0, 0);
  EXPECT_EQ(lists.lack(0).missing, 2U);
  lists.on_arrived(p0, 0);
  EXPECT_EQ(lists.lack(0).missing, 1U);
}

TEST(ReadyList, PrefersANewDataToOneThatWasEvicted) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 1, ReadyList::Requests::at_push);
  for (const Index task : {0U, 1U}) lists.push_back(p0, task);  // row 0, columns 0 and 1
  lists.on_arrived(p0, 0);
  lists.on_arrived(p0, 2);
  lists.on_evicted(p0, 2);

  // Both lack a column; column 0 was there and left, the request for column 1 is still open.
  EXPECT_EQ(lists.lack(0), (MissingBytes{1, 1}));
  EXPECT_EQ(lists.lack(1), (MissingBytes{1, 0}));
  EXPECT_EQ(lists.take_readiest(p0), 1U);
  // On its way again it is as good as requested.
  lists.on_loaded(p0, 2);
  EXPECT_EQ(lists.lack(0), (MissingBytes{1, 0}));
}

TEST(ReadyList, LooksNoFurtherThanItsView) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 1, ReadyList::Requests::at_push, 2);
  for (const Index task : {0U, 1U, 2U, 3U}) lists.push_back(p0, task);
  lists.on_arrived(p0, 1);  // row 1, for tasks 2 and 3: out of view

  EXPECT_EQ(requests_of(lists, p0, 9), (std::vector<Index>{0, 2, 3}));
  EXPECT_EQ(lists.uses(p0, 1), 0U);
  EXPECT_EQ(lists.take_readiest(p0), 0U);
  EXPECT_EQ(lists.uses(p0, 1), 1U);  // task 2 came in view
  EXPECT_EQ(lists.take_readiest(p0), 2U);
}

TEST(ReadyList, ComparesOnlyTheFirstTasksOfTheListIfAskedTo) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 1, ReadyList::Requests::at_push);
  for (const Index task : {0U, 1U, 2U, 3U}) lists.push_back(p0, task);
  lists.on_arrived(p0, 1);  // row 1, for tasks 2 and 3, which the first two questions do not reach
  lists.on_arrived(p0, 3);  // column 1, for tasks 1 and 3

  EXPECT_EQ(requests_of(lists, p0, 9), (std::vector<Index>{0, 2}));  // of the whole list
  EXPECT_EQ(lists.take_readiest(p0, 1), 0U);
  EXPECT_EQ(lists.take_readiest(p0, 2), 1U);  // lacks row 0, task 2 lacks column 0: the first goes
  EXPECT_EQ(lists.take_readiest(p0, 2), 3U);
}

TEST(ReadyList, RequestsAnEvictedDataAgainForATaskThatComesInView) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 1, ReadyList::Requests::at_push, 2);
  for (const Index task : {0U, 1U, 2U, 3U}) lists.push_back(p0, task);
  for (const Index data : {0U, 2U}) lists.on_arrived(p0, data);
  lists.on_evicted(p0, 2);
  EXPECT_EQ(lists.lack(0), (MissingBytes{1, 1}));

  EXPECT_EQ(lists.take_front(p0), 0U);  // task 2 comes in view, which reads row 1 and data 2

  EXPECT_EQ(requests_of(lists, p0, 9), (std::vector<Index>{3, 1, 2}));
  EXPECT_EQ(lists.lack(2), (MissingBytes{2, 0}));
}

TEST(ReadyList, ServesRequestsOnceInTheOrderOfTheList) {
  const auto graph = two_by_two(1, 1);
  ReadyList lists(graph, 1, ReadyList::Requests::at_push);
  for (const Index task : {1U, 0U, 3U}) lists.push_back(p0, task);

  // Task 1 reads 0 and 3, task 0 adds 2, task 3 adds 1.
  EXPECT_EQ(requests_of(lists, p0, 9), (std::vector<Index>{0, 3, 2, 1}));
  EXPECT_EQ(requests_of(lists, p0, 2), (std::vector<Index>{0, 3}));
  lists.on_loaded(p0, 0);
  EXPECT_EQ(requests_of(lists, p0, 9), (std::vector<Index>{3, 2, 1}));
  lists.on_arrived(p0, 0);
  lists.on_evicted(p0, 0);
  EXPECT_EQ(requests_of(lists, p0, 9), (std::vector<Index>{3, 2, 1}));  // never again
  lists.remove(0);
  EXPECT_EQ(requests_of(lists, p0, 9), (std::vector<Index>{3, 1}));  // nobody reads 2
}

}  // namespace
}  // namespace damocles::ready_list_test
