#include "ode/limited_memory/buffered_memory.hpp"

#include <algorithm>

namespace damocles {

/// The task after those that have ended runs if its inputs have come.
void BufferedMemory::start_tasks(std::size_t unfinished) {
  const std::size_t running = ended(unfinished) + 1;
  for (; started_ < std::min(running, requested_); ++started_) {
    for (const Index item : run_->graph->inputs(taken_[started_])) held_.touch(item);
  }
}

/// Marks what these of the tasks taken read. @return how many of the data items are held
std::size_t BufferedMemory::mark_inputs(std::size_t from, std::size_t to) {
  ++round_;
  std::size_t held = 0;
  for (std::size_t at = from; at < std::min(to, taken_.size()); ++at) {
    for (const Index item : run_->graph->inputs(taken_[at])) {
      if (marks_[item] == round_) continue;
      marks_[item] = round_;
      held += held_.holds(item) ? 1 : 0;
    }
  }
  return held;
}

/// @pre something is held that is not marked
void BufferedMemory::make_room() {
  if (held_.size() < run_->memory) return;
  const auto victim = held_.oldest_if([&](Index item) { return marks_[item] != round_; });
  if (victim) held_.remove(*victim);
}

std::optional<TaskLoads> BufferedMemory::request(std::size_t unfinished) {
  start_tasks(unfinished);
  const auto inputs = run_->graph->inputs(taken_[requested_]);
  const auto missing = static_cast<std::size_t>(
      std::count_if(inputs.begin(), inputs.end(), [&](Index item) { return !held_.holds(item); }));
  TaskLoads loads{.task = taken_[requested_]};
  if (missing > 0) {
    const std::size_t first = ended(unfinished);
    const std::size_t next = requested_ == first ? first : first + 1;
    const std::size_t kept = mark_inputs(first, requested_ > next ? taken_.size() : next + 1);
    if (requested_ > first && kept + missing > run_->memory) return std::nullopt;
    for (const Index item : inputs) {
      if (held_.holds(item)) continue;
      make_room();
      held_.add(item);
    }
    loads.needed = static_cast<std::uint32_t>(missing);
  }
  ++requested_;
  return loads;
}

bool BufferedMemory::has_room_ahead(std::size_t unfinished) {
  start_tasks(unfinished);
  return mark_inputs(ended(unfinished), taken_.size()) < run_->memory;
}

void BufferedMemory::load_ahead(Index item, std::size_t unfinished) {
  mark_inputs(ended(unfinished), taken_.size());
  make_room();
  held_.add(item);
}

}  // namespace damocles
