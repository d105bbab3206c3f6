#include "ode/limited_memory/planned_lists.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "ode/limited_memory/buffered_memory.hpp"
#include "ode/limited_memory/mean_of_draws.hpp"
#include "ode/limited_memory/pace.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;
constexpr Index never = FarthestUse::never;

/// One processor. A place is where in its list a task stands; stolen tasks get new places.
class PlannedList {
 public:
  PlannedList(const LimitedRun& run, const PacedOrder& plan)
      : graph_(*run.graph),
        plan_(plan),
        items_(run.data()),
        memory_(run, BufferedMemory::Evicts::used_farthest_ahead) {
    for (const PlannedLoad& load : plan.loads) items_[load.data].planned_for.push_back(load.first);
    for (Item& item : items_) std::sort(item.planned_for.begin(), item.planned_for.end());
    for (const Index task : plan.order) append(task);
  }

  /// Tasks that it has not taken.
  [[nodiscard]] std::size_t left() const { return listed_.size(); }
  /// It asks for a task when so many have started: loads are due.
  void ask(std::size_t started);
  /// @pre left() > 0
  Index take();
  /// Moves half of the tasks, rounded up, from the end of another list to the end of this one.
  void steal_from(PlannedList& other);
  std::optional<TaskLoads> request(std::size_t unfinished) {
    note_ended(unfinished);
    return memory_.request(unfinished);
  }
  bool load_ahead(std::size_t unfinished);

 private:
  struct Item {
    std::vector<Index> uses;         // places, of tasks that have not been stolen
    std::size_t first_use = 0;       // index of the first whose task has not ended
    std::vector<Index> planned_for;  // ascending: places for which it is planned to be loaded
    Index due_for = never;           // the last of them whose load was due
  };

  void append(Index task);
  Index take_last();
  void note_ended(std::size_t unfinished);
  [[nodiscard]] Index first_listed() const { return listed_.empty() ? never : listed_.front(); }
  [[nodiscard]] bool is_listed(Index data);
  [[nodiscard]] Index next_use(Index data);
  void look_again(Index task) {
    for (const Index data : graph_.inputs(task)) memory_.set_next_use(data, next_use(data));
  }

  const TaskGraph& graph_;
  const PacedOrder& plan_;
  std::vector<Index> tasks_;    // by place
  std::deque<Index> listed_;    // places of those that are not taken
  std::vector<Index> taken_;    // places
  std::size_t ended_ = 0;       // of those taken
  std::vector<Item> items_;     // by data item
  std::size_t due_ = 0;         // loads of the plan
  std::vector<Index> waiting_;  // data items whose loads are due
  std::size_t asked_for_ = 0;   // of these, since it asked for a task
  BufferedMemory memory_;
};

void PlannedList::append(Index task) {
  const auto place = static_cast<Index>(tasks_.size());
  tasks_.push_back(task);
  listed_.push_back(place);
  for (const Index data : graph_.inputs(task)) items_[data].uses.push_back(place);
  look_again(task);
}

void PlannedList::ask(std::size_t started) {
  for (; due_ < plan_.loads.size() && plan_.loads[due_].after <= started; ++due_) {
    const PlannedLoad& load = plan_.loads[due_];
    items_[load.data].due_for = load.first;
    memory_.set_next_use(load.data, next_use(load.data));
    waiting_.push_back(load.data);
  }
  std::erase_if(waiting_, [&](Index data) { return memory_.holds(data) || !is_listed(data); });
  asked_for_ = 0;
}

Index PlannedList::take() {
  const Index place = listed_.front();
  listed_.pop_front();
  taken_.push_back(place);
  memory_.take(tasks_[place]);
  look_again(tasks_[place]);
  return tasks_[place];
}

Index PlannedList::take_last() {
  const Index task = tasks_[listed_.back()];
  listed_.pop_back();
  for (const Index data : graph_.inputs(task)) items_[data].uses.pop_back();
  look_again(task);
  return task;
}

void PlannedList::steal_from(PlannedList& other) {
  std::vector<Index> loot;
  for (std::size_t most = (other.left() + 1) / 2; loot.size() < most;) {
    loot.push_back(other.take_last());
  }
  std::for_each(loot.rbegin(), loot.rend(), [&](Index task) { append(task); });
}

void PlannedList::note_ended(std::size_t unfinished) {
  while (ended_ + unfinished < taken_.size()) look_again(tasks_[taken_[ended_++]]);
}

bool PlannedList::is_listed(Index data) {
  const Item& item = items_[data];
  return !item.uses.empty() && item.uses.back() >= first_listed();
}

Index PlannedList::next_use(Index data) {
  Item& item = items_[data];
  const Index first = ended_ < taken_.size() ? taken_[ended_] : first_listed();
  while (item.first_use < item.uses.size() && item.uses[item.first_use] < first) ++item.first_use;
  if (item.first_use == item.uses.size()) return never;
  const Index use = item.uses[item.first_use];
  if (use < first_listed() || use == item.due_for) return use;
  const auto& anew = item.planned_for;
  return std::binary_search(anew.begin(), anew.end(), use) ? never : use;
}

bool PlannedList::load_ahead(std::size_t unfinished) {
  note_ended(unfinished);
  while (asked_for_ < waiting_.size() && memory_.holds(waiting_[asked_for_])) ++asked_for_;
  if (asked_for_ == waiting_.size() || !memory_.has_room_ahead(unfinished)) return false;
  memory_.load_ahead(waiting_[asked_for_++], unfinished);
  return true;
}

/// All processors.
class PlannedLists {
 public:
  PlannedLists(const LimitedRun& run, const std::vector<PacedOrder>& plans)
      : started_(run.processors, 0) {
    for (const PacedOrder& plan : plans) {
      lists_.emplace_back(run, plan);
      if (plan.order.empty()) steals_ = false;
    }
  }

  LimitedPrediction drawn(const LimitedRun& run, std::uint64_t draw) {
    TaskQueue queue;
    queue.next = [&](std::size_t processor, std::size_t) { return next(processor); };
    queue.loads = [&](std::size_t processor, std::size_t unfinished) {
      return lists_[processor].request(unfinished);
    };
    queue.load_ahead = [&](std::size_t processor, std::size_t unfinished) {
      return lists_[processor].load_ahead(unfinished);
    };
    queue.progress = [&](std::size_t processor, std::size_t started, std::size_t /*ended*/) {
      started_[processor] = started;
    };
    return paced_run(run, queue, Taken::when_there_is_room, draw);
  }

 private:
  std::optional<TaskLoads> next(std::size_t processor) {
    PlannedList& own = lists_[processor];
    if (own.left() == 0 && steals_) {
      const auto longest = std::max_element(
          lists_.begin(), lists_.end(),
          [](const PlannedList& a, const PlannedList& b) { return a.left() < b.left(); });
      if (longest->left() > 0) own.steal_from(*longest);
    }
    if (own.left() == 0) return std::nullopt;
    const Index task = own.take();
    own.ask(started_[processor]);
    return TaskLoads{.task = task};
  }

  std::vector<PlannedList> lists_;
  std::vector<std::size_t> started_;  // tasks, when anybody asked last
  bool steals_ = true;
};

}  // namespace

LimitedPrediction predict_plans(const LimitedRun& run, const std::vector<PacedOrder>& plans) {
  return mean_of_draws(run, few_draws(run), [&](const LimitedRun& one, std::uint64_t draw) {
    return PlannedLists(one, plans).drawn(one, draw);
  });
}

}  // namespace damocles
