#include "models/runs/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/error.hpp"
#include "models/quantity.hpp"
#include "models/runs/decision_check.hpp"

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

bool of_task(Kind kind) {
  return kind == Kind::granted || kind == Kind::task_started || kind == Kind::task_ended ||
         kind == Kind::joined || kind == Kind::left;
}

}  // namespace

DecisionCheck::DecisionCheck(const Decisions& decisions, const Workload& workload,
                             const Platform& platform,
                             const std::vector<std::uint64_t>& memory_bytes,
                             const std::function<std::uint64_t(DataId)>& data_bytes)
    : workload_(workload),
      platform_(platform),
      memory_bytes_(memory_bytes),
      data_bytes_(data_bytes),
      nodes_(decisions.processors),
      places_(workload.writes() ? workload.data() : 0),
      started_(workload.tasks(), false) {
  if (platform.machine) {
    durations_.emplace(workload, platform);
    teams_ = durations_->teams();
    if (durations_->all_run_all()) durations_.reset();
    for (std::size_t p = 0; p < nodes_.size(); ++p) {
      nodes_[p].in_host_memory = platform.machine->processors[p].in_host_memory;
    }
  }
  for (std::size_t data = 0; data < places_.size(); ++data) {
    places_[data].in_host_memory = !workload.graph().temporary(static_cast<Index>(data));
  }
  if (!workload.has_dependencies()) return;
  ended_.assign(workload.tasks(), false);
  waits_.emplace(workload.graph().dependencies(), workload.tasks());
}

void DecisionCheck::take(const RunEvent& event, std::size_t number) {
  event_ = &event;
  number_ = number;
  check_names();
  Node& node = nodes_[raw(event.processor)];
  if (node.in_host_memory && !of_task(event.kind)) {
    refuse("the processor computes where all data lie: nothing moves there");
  }
  switch (event.kind) {
    case Kind::granted:
      return;
    case Kind::load_started:
      return start_load(node);
    case Kind::load_ended:
      return end_load(node);
    case Kind::evicted:
      return evict(node);
    case Kind::task_started:
      return start_task(node);
    case Kind::task_ended:
      return end_task(node);
    case Kind::created:
      return create(node);
    case Kind::return_started:
      return start_return(node);
    case Kind::return_ended:
      return end_return(node);
    case Kind::joined:
      return join(node);
    case Kind::left:
      return leave(node);
  }
}

void DecisionCheck::finish() const {
  for (std::size_t task = 0; task < started_.size(); ++task) {
    if (!started_[task]) {
      throw InvalidInput(fmt::format(
          "the decisions never start task {}; record a run that ended well", task_name(task)));
    }
  }
  refuse_lost();
}

void DecisionCheck::refuse(const std::string& why) const {
  static constexpr std::array names{"granted",      "load_started", "load_ended", "evicted",
                                    "task_started", "task_ended",   "created",    "return_started",
                                    "return_ended", "joined",       "left"};
  throw InvalidInput(fmt::format(
      "decision {} ({} of {} on {}): {}", number_, names.at(static_cast<std::size_t>(event_->kind)),
      of_task(event_->kind) ? task_name(event_->id) : data_name(event_->id),
      processor_name(raw(event_->processor)), why));
}

// What is not there has only its number.
std::string DecisionCheck::task_name(std::uint64_t task) const {
  if (task >= workload_.tasks()) return std::to_string(task);
  return workload_.task_name(TaskId{task});
}

std::string DecisionCheck::data_name(std::uint64_t data) const {
  if (data >= workload_.data()) return std::to_string(data);
  return workload_.data_name(DataId{data});
}

std::string DecisionCheck::processor_name(std::size_t processor) const {
  if (processor >= nodes_.size()) return fmt::format("processor {}", processor);
  return platform_.name(processor);
}

void DecisionCheck::check_names() const {
  if (raw(event_->processor) >= nodes_.size()) refuse("there is no such processor");
  const bool task = of_task(event_->kind);
  if (event_->id >= (task ? workload_.tasks() : workload_.data())) {
    refuse(task ? "there is no such task" : "there is no such data item");
  }
}

void DecisionCheck::start_load(Node& node) {
  if (event_->lender) {
    check_lender(*event_->lender);
  } else if (!places_.empty() && !places_[event_->id].in_host_memory) {
    refuse("host memory does not hold the data as it is now");
  }
  if (!places_.empty() && places_[event_->id].writing) refuse("a task that runs writes the data");
  Held& held = enter(node);
  held.lender = event_->lender;
  if (held.lender) ++nodes_[raw(*held.lender)].data.at(event_->id).loans;
  if (places_.empty()) return;
  Place& place = places_[event_->id];
  held.version = place.version;
  ++place.loading;
  if (held.lender) ++place.loans;
}

void DecisionCheck::check_lender(ProcessorId lender) const {
  if (raw(lender) >= nodes_.size()) {
    refuse(fmt::format("there is no processor {} that it could come from", raw(lender)));
  }
  if (!platform_.machine ||
      !(platform_.machine->peer_rate(raw(lender), raw(event_->processor)) > 0)) {
    refuse(fmt::format("there is no link from {}", processor_name(raw(lender))));
  }
  const auto& there = nodes_[raw(lender)].data;
  const auto at = there.find(event_->id);
  if (at == there.end() || !at->second.arrived || !valid(at->second, event_->id)) {
    refuse(fmt::format("{} does not hold the data as it is now", processor_name(raw(lender))));
  }
}

/// Room for the data of the decision.
DecisionCheck::Held& DecisionCheck::enter(Node& node) {
  const auto [at, is_new] = node.data.try_emplace(event_->id);
  if (!is_new) refuse("the data is there already");
  node.used_bytes += data_bytes_(DataId{event_->id});
  const std::uint64_t room = memory_bytes_[raw(event_->processor)];
  if (node.used_bytes > room) refuse(fmt::format("more than {} bytes would be in memory", room));
  return at->second;
}

void DecisionCheck::end_load(Node& node) {
  const auto at = node.data.find(event_->id);
  if (at == node.data.end() || at->second.arrived) refuse("no such load is on its way");
  Held& held = at->second;
  held.arrived = true;
  if (held.lender) --nodes_[raw(*held.lender)].data.at(event_->id).loans;
  if (places_.empty()) return;
  Place& place = places_[event_->id];
  --place.loading;
  if (held.lender) --place.loans;
  if (valid(held, event_->id)) ++place.valid;
}

void DecisionCheck::evict(Node& node) {
  const auto at = node.data.find(event_->id);
  if (at == node.data.end() || !at->second.arrived) refuse("the data item is not there");
  const Held& held = at->second;
  if (held.uses > 0) refuse("a running task reads the data");
  if (held.loans > 0) refuse("another processor is being sent the data from here");
  if (held.returning) refuse("it is on its way to host memory");
  if (held.sum) refuse("what tasks added to it here has not returned");
  if (event_->overwritten && places_.empty()) refuse("no task writes data");
  if (!places_.empty()) {
    Place& place = places_[event_->id];
    const bool is_valid = valid(held, event_->id);
    if (is_valid && place.valid == 1 && !place.in_host_memory && !event_->overwritten) {
      refuse("the data is nowhere else as it is now, and has not returned");
    }
    if (is_valid) --place.valid;
  }
  node.data.erase(at);
  node.used_bytes -= data_bytes_(DataId{event_->id});
}

void DecisionCheck::start_task(Node& node) {
  if (started_[event_->id]) refuse("the task has started before");
  started_[event_->id] = true;
  const auto task = static_cast<Index>(event_->id);
  if (durations_ && !durations_->runs(raw(event_->processor), task)) {
    refuse("the processor cannot run tasks of its kind");
  }
  if (node.helps)
    refuse(fmt::format("it computes task {} with another processor", task_name(*node.helps)));
  check_team();
  check_turn();
  for_each_access([&](std::uint64_t data, Access access) { check_access(node, data, access); });
  for_each_access([&](std::uint64_t data, Access access) {
    if (!node.in_host_memory) ++node.data.at(data).uses;
    if (writes(access)) write(node, data, access);
  });
  node.running.push_back(event_->id);
}

/// Those that joined the task are alike its processor, and not too many.
void DecisionCheck::check_team() {
  const auto joined = joined_.find(event_->id);
  if (joined == joined_.end()) return;
  const auto task = static_cast<Index>(event_->id);
  const std::size_t p = raw(event_->processor);
  for (const std::size_t helper : joined->second) {
    if (teams_.alike(p, helper)) continue;
    refuse(
        fmt::format("{} joined it, which computes no task with this one", processor_name(helper)));
  }
  if (teams_.most(p, task) < 1 + joined->second.size()) {
    refuse(fmt::format("at most {} processors compute it together", teams_.most(p, task)));
  }
  running_teams_.insert(*joined);
  joined_.erase(joined);
}

void DecisionCheck::join(Node& node) {
  if (started_[event_->id]) refuse("the task has started before");
  if (!node.running.empty())
    refuse(fmt::format("it computes task {}", task_name(node.running.front())));
  if (node.helps)
    refuse(fmt::format("it computes task {} with another processor", task_name(*node.helps)));
  node.helps = event_->id;
  joined_[event_->id].push_back(raw(event_->processor));
}

void DecisionCheck::leave(Node& node) {
  if (node.helps != event_->id) refuse("it did not join the task");
  if (joined_.contains(event_->id) || running_teams_.contains(event_->id)) {
    refuse("the task has not ended");
  }
  node.helps.reset();
}

/// All that it waits for has ended.
void DecisionCheck::check_turn() const {
  const auto task = static_cast<Index>(event_->id);
  if (!waits_ || !waits_->waits(task)) return;
  const Dependencies& dependencies = workload_.graph().dependencies();
  for (std::size_t before = 0; before < ended_.size(); ++before) {
    if (ended_[before] || !dependencies.waits(task, static_cast<Index>(before))) continue;
    refuse(fmt::format("it waits for task {}, which has not ended", task_name(before)));
  }
}

void DecisionCheck::end_task(Node& node) {
  if (node.running.empty() || node.running.front() != event_->id) refuse("it does not run");
  node.running.pop_front();
  running_teams_.erase(event_->id);
  for_each_access([&](std::uint64_t data, Access access) {
    if (!node.in_host_memory) --node.data.at(data).uses;
    if (writes(access)) end_write(places_[data], access);
  });
  if (!waits_) return;
  ended_[event_->id] = true;
  waits_->ended(static_cast<Index>(event_->id), [](Index) {});
}

void check_decisions(const Decisions& decisions, const Workload& workload, const Platform& platform,
                     const std::vector<std::uint64_t>& memory_bytes,
                     const std::function<std::uint64_t(DataId)>& data_bytes) {
  if (decisions.processors != memory_bytes.size()) {
    throw InvalidInput(fmt::format(
        "the decisions are those of {} and this platform has {}; give the platform they were recorded on",
        counted(decisions.processors, "processor"), memory_bytes.size()));
  }
  DecisionCheck check(decisions, workload, platform, memory_bytes, data_bytes);
  for (std::size_t i = 0; i < decisions.events.size(); ++i) check.take(decisions.events[i], i);
  check.finish();
}

}  // namespace damocles
