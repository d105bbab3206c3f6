#include "strategies/parts/central_window.hpp"

#include <algorithm>

namespace damocles {
namespace {

std::vector<ProcessorId> shared_lists(const Platform& platform, CentralWindow::Lists lists) {
  std::vector<ProcessorId> result;
  std::optional<ProcessorId> home;
  for (std::uint32_t p = 0; p < platform.processors(); ++p) {
    result.emplace_back(ProcessorId{p});
    if (lists == CentralWindow::Lists::one_a_processor || !platform.machine ||
        !platform.machine->processors[p].in_host_memory) {
      continue;
    }
    if (!home) home = result.back();
    result.back() = *home;
  }
  return result;
}

constexpr std::uint64_t largest_threshold = 1'000'000'000;

/// Where memory is unlimited, who is granted nothing is not asked again: lists have room for all.
std::uint64_t room(const StrategyContext& context) {
  return context.platform.machine ? whole_of(context.spec, "threshold", 30) : largest_threshold;
}

}  // namespace

StrategyOption room_option() {
  return {"threshold",
          "most tasks in a processor's list; further ones wait in the shared queue (default 30, "
          "as STARPU_NTASKS_THRESHOLD)",
          OptionValues::whole(1, largest_threshold)};
}

CentralWindow::CentralWindow(const StrategyContext& context, Lists lists)
    : workload_(context.workload),
      times_(context),
      durations_(context.workload, context.platform),
      list_of_(shared_lists(context.platform, lists)),
      lists_(context.workload.graph(), context.memory, context.platform.processors(),
             ReadyByPriority::wide),
      room_(room(context)),
      allotted_to_(context.workload.tasks()),
      listed_(context.platform.processors()) {
  std::vector<std::size_t> draw_from(list_of_.size(), 0);  // each list
  for (const ProcessorId one : list_of_) ++draw_from[raw(one)];
  for (const ProcessorId one : list_of_) {
    shared_.push_back(draw_from[raw(one)] > 1);
    any_shared_ = any_shared_ || shared_.back();
  }
}

void CentralWindow::submit_all() {
  if (workload_.has_dependencies()) return;
  for (std::uint64_t task = 0; task < workload_.tasks(); ++task) enter(static_cast<Index>(task));
}

std::optional<ProcessorId> CentralWindow::on_ready(TaskId task) {
  placed_.clear();
  settled_ = false;
  enter(static_cast<Index>(raw(task)));
  place_all();
  // Who shares a list may be idle in place of the one it was meant for.
  if (placed_.size() == 1 && !shared_[raw(placed_.front())]) return placed_.front();
  return std::nullopt;
}

void CentralWindow::on_started(ProcessorId, TaskId task) {
  settled_ = false;
  times_.started(allotted_to_[raw(task)], static_cast<Index>(raw(task)));
}

void CentralWindow::on_finished(ProcessorId, TaskId task) {
  settled_ = false;
  times_.finished(allotted_to_[raw(task)], static_cast<Index>(raw(task)));
}

void CentralWindow::request(ProcessorId processor, Grant& grant) {
  placed_.clear();
  auto task = take(processor);
  if (!task) {
    place_all();
    task = take(processor);
  }
  if (task) {
    grant.tasks.add(TaskId{*task});
    place_all();
    lists_.hint_next(list_of(processor), grant.loads);
  }
  wake_ = wake_ || std::any_of(placed_.begin(), placed_.end(),
                               [&](ProcessorId to) { return to != processor; });
}

void CentralWindow::place_all() {
  if (settled_) return;
  while (place_one()) {
  }
  settled_ = true;
}

void CentralWindow::put(Index task, const CompletionTimes::Choice& choice) {
  times_.allot(task, choice);
  allotted_to_[task] = choice.processor;
  lists_.push(list_of(choice.processor), task);
  placed_.push_back(choice.processor);
  listed_.set(raw(list_of(choice.processor)));
}

std::optional<CentralWindow::Index> CentralWindow::take(ProcessorId processor) {
  const auto task = lists_.take(
      list_of(processor), [&](Index listed) { return durations_.runs(raw(processor), listed); });
  if (task) {
    settled_ = false;
    listed_.set(raw(list_of(processor)), lists_.size(list_of(processor)) > 0);
  }
  return task;
}

bool PriorityWindow::place_one() {
  if (window_.empty()) return false;
  auto best = window_.begin();
  double spread_s = looked_at_ > 1 ? times().spread_s(best->task) : 0;
  std::size_t left = looked_at_;
  for (auto at = std::next(best); --left > 0 && at != window_.end(); ++at) {
    if (at->rank != window_.begin()->rank) break;
    const double its_spread_s = times().spread_s(at->task);
    if (its_spread_s <= spread_s) continue;
    best = at;
    spread_s = its_spread_s;
  }
  const auto choice = times().choose(best->task);
  if (!has_room(choice.processor)) return false;
  const Index task = best->task;
  window_.erase(best);
  put(task, choice);
  return true;
}

}  // namespace damocles
