#include "ode/limited_memory/buffered_memory.hpp"

#include <algorithm>

namespace damocles {

/// The task after those that have ended runs if its inputs have come.
void BufferedMemory::start_tasks(std::size_t unfinished) {
  const std::size_t running = ended(unfinished) + 1;
  for (; started_ < std::min(running, requested_); ++started_) {
    for (const Index item : run_->graph->inputs(taken_[started_])) {
      held_.touch(item);
      if (by_next_use_) by_next_use_->held.touch(item);
    }
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

void BufferedMemory::set_next_use(Index item, Index use) {
  by_next_use_->of[item] = use;
  if (held_.holds(item)) by_next_use_->held.set_next_use(item, use);
}

/// What is evicted next.
std::optional<BufferedMemory::Index> BufferedMemory::first_unmarked() {
  const auto may_go = [&](Index item) { return marks_[item] != round_; };
  return by_next_use_ ? by_next_use_->held.first_if(may_go) : held_.oldest_if(may_go);
}

/// @pre something is held that is not marked
void BufferedMemory::make_room() {
  if (held_.size() < run_->memory) return;
  const auto victim = first_unmarked();
  if (!victim) return;
  held_.remove(*victim);
  if (by_next_use_) by_next_use_->held.remove(*victim);
}

void BufferedMemory::add(Index item) {
  held_.add(item);
  if (by_next_use_) by_next_use_->held.add(item, by_next_use_->of[item]);
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
      add(item);
    }
    loads.needed = static_cast<std::uint32_t>(missing);
  }
  ++requested_;
  return loads;
}

bool BufferedMemory::has_room_ahead(std::size_t unfinished) {
  start_tasks(unfinished);
  const std::size_t spared = mark_inputs(ended(unfinished), taken_.size());
  if (!by_next_use_ || held_.size() < run_->memory) return spared < run_->memory;
  const auto victim = first_unmarked();
  return victim && by_next_use_->of[*victim] == FarthestUse::never;
}

void BufferedMemory::load_ahead(Index item, std::size_t unfinished) {
  mark_inputs(ended(unfinished), taken_.size());
  make_room();
  add(item);
}

}  // namespace damocles
