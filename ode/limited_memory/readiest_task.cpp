#include "ode/limited_memory/readiest_task.hpp"

namespace damocles {

void ReadiestTask::append(Index task) {
  tasks_.push_back({task, static_cast<Index>(counted_.size())});
  counted_.resize(counted_.size() + graph_->inputs(task).size(), 0);
  lacks_.push_back(out_of_view);
}

void ReadiestTask::weigh(Index data, Lack weight) {
  const Lack more = weight - weights_[data];
  weights_[data] = weight;
  for (const Counted& one : counted_in_[data]) {
    if (weight == 0) counted_[one.input] = 0;
    const Lack lack = lacks_.key(one.place);
    if (lack != out_of_view) lacks_.set(one.place, lack + more);
  }
  if (weight == 0) counted_in_[data].clear();
}

ReadiestTask::Index ReadiestTask::first() {
  while (true) {
    const auto place = static_cast<Index>(lacks_.best());
    const Lack known = lacks_.key(place);
    const Lack lack = count_more(place, known);
    if (lack == known) return place;
    lacks_.raise(place, lack);
  }
}

/// What the task lacks, where so much of it was counted.
ReadiestTask::Lack ReadiestTask::count_more(Index place, Lack lack) {
  Index input = tasks_[place].input;
  for (const Index data : graph_->inputs(tasks_[place].task)) {
    if (weights_[data] > 0 && counted_[input] == 0) {
      counted_[input] = 1;
      counted_in_[data].push_back({place, input});
      lack += weights_[data];
    }
    ++input;
  }
  return lack;
}

}  // namespace damocles
