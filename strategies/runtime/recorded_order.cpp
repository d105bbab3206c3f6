#include "strategies/runtime/recorded_order.hpp"

#include <algorithm>

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

bool is_end(Kind kind) {
  return kind == Kind::load_ended || kind == Kind::task_ended || kind == Kind::return_ended;
}

}  // namespace

RecordedOrder::RecordedOrder(const Decisions& decisions, const Workload& workload,
                             const Platform& platform)
    : decisions_(decisions),
      workload_(workload),
      platform_(platform),
      happened_(decisions.events.size(), false),
      answered_(decisions.processors, none) {
  if (workload.has_dependencies()) {
    waits_.emplace(workload.graph().dependencies(), workload.tasks());
  }
  if (workload.writes()) {
    uses_.resize(workload.data());
    touch_begin_.push_back(0);
  }
  for (Event event = 0; event < happened_.size(); ++event) {
    if (!uses_.empty()) order_data(event);
    if (platform.machine && platform.machine->has_peers()) order_loans(event);
    if (platform.machine) order_answers(event);
    order_teams(event);
  }
}

std::optional<RecordedOrder::Key> RecordedOrder::awaited(Event event) const {
  auto answer = std::lower_bound(answers_.begin(), answers_.end(), std::pair(event, Event{0}));
  for (; answer != answers_.end() && answer->first == event; ++answer) {
    if (!happened_[answer->second]) return answer->second;
  }
  const RunEvent& what = decisions_.events[event];
  const bool begins_task = what.kind == Kind::granted || what.kind == Kind::task_started;
  if (waits_ && begins_task) {
    const auto task = static_cast<Index>(what.id);
    if (waits_->waits(task)) return of_task(task);
  }
  std::optional<Key> result;
  for_each_touch(event, [&](Index data, std::uint32_t group) {
    if (uses_[data].over < group) result = of_data(data);
  });
  return result;
}

/// What a task on a GPU reads is its own copy, which came by a load before; who writes the data
/// later waits for the task.
template <typename Visit>
void RecordedOrder::for_each_way(const RunEvent& event, Visit&& visit) const {
  const auto id = static_cast<Index>(event.id);
  switch (event.kind) {
    case Kind::load_started:
    case Kind::load_ended:
      return visit(id, Way::reads);
    case Kind::evicted:
      return visit(id, sums_.contains({event.processor, event.id}) ? Way::adds : Way::reads);
    case Kind::return_started:
    case Kind::return_ended:
      return visit(id, sums_.contains({event.processor, event.id}) ? Way::adds : Way::changes);
    case Kind::task_started:
    case Kind::task_ended:
      workload_.graph().for_each_access(id, [&](Index data, Access access) {
        if (reduces(access)) return visit(data, Way::adds);
        if (writes(access)) return visit(data, Way::changes);
        if (in_host_memory(event.processor)) visit(data, Way::reads);
      });
      return;
    case Kind::granted:
    case Kind::created:
    case Kind::joined:
    case Kind::left:
      return;  // it concerns no data item of others
  }
}

void RecordedOrder::order_data(Event event) {
  const RunEvent& what = decisions_.events[event];
  for_each_way(what, [&](Index data, Way way) { touch(data, way); });
  touch_begin_.push_back(touches_.size());
  if (what.kind == Kind::evicted) sums_.erase({what.processor, what.id});
  if (what.kind != Kind::task_started || in_host_memory(what.processor)) return;
  workload_.graph().for_each_access(static_cast<Index>(what.id), [&](Index data, Access access) {
    if (reduces(access)) sums_.emplace(what.processor, data);
  });
}

void RecordedOrder::touch(Index data, Way way) {
  Uses& uses = uses_[data];
  if (uses.left.empty() || way == Way::changes || way != uses.way) uses.left.push_back(0);
  uses.way = way;
  ++uses.left.back();
  touches_.emplace_back(data, static_cast<std::uint32_t>(uses.left.size() - 1));
}

void RecordedOrder::order_loans(Event event) {
  const RunEvent& what = decisions_.events[event];
  const Copy copy{what.processor, what.id};
  if (what.kind == Kind::load_started && what.lender) {
    lenders_[copy] = *what.lender;
    // Else a task wrote it there, which the order of the data knows.
    const auto there = arrived_.find({*what.lender, what.id});
    if (there != arrived_.end()) answers_.emplace_back(event, there->second);
  } else if (what.kind == Kind::load_ended) {
    arrived_[copy] = event;
    const auto lender = lenders_.find(copy);
    if (lender == lenders_.end()) return;
    loans_[{lender->second, what.id}].push_back(event);
    lenders_.erase(lender);
  } else if (what.kind == Kind::evicted) {
    arrived_.erase(copy);
    const auto loans = loans_.find(copy);
    if (loans == loans_.end()) return;
    for (const Event load : loans->second) answers_.emplace_back(event, load);
    loans_.erase(loans);
  }
}

void RecordedOrder::order_answers(Event event) {
  const RunEvent& what = decisions_.events[event];
  if (is_end(what.kind)) {
    last_end_ = event;
    return;
  }
  if (last_end_ == none) return;
  const ProcessorId elsewhere = decisions_.events[last_end_].processor;
  Event& answered = answered_[raw(what.processor)];
  if (elsewhere != what.processor && answered != last_end_) answers_.emplace_back(event, last_end_);
  answered = last_end_;
}

/// Of a task that has ended its own end is kept, for those who leave.
void RecordedOrder::order_teams(Event event) {
  const RunEvent& what = decisions_.events[event];
  if (what.kind == Kind::joined) joins_[what.id].push_back(event);
  const auto joins = joins_.find(what.id);
  if (joins == joins_.end()) return;
  if (what.kind == Kind::task_ended) joins->second.assign(1, event);
  if (what.kind != Kind::task_started && what.kind != Kind::left) return;
  for (const Event before : joins->second) answers_.emplace_back(event, before);
}

}  // namespace damocles
