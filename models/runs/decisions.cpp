#include "models/runs/decisions.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <map>

#include "models/error.hpp"

namespace damocles {
namespace {

using Kind = RunEvent::Kind;

/// Keeps the books of a replay before it runs.
class DecisionCheck {
 public:
  DecisionCheck(const Decisions& decisions, const Workload& workload,
                const std::vector<std::uint64_t>& memory_bytes,
                const std::function<std::uint64_t(DataId)>& data_bytes)
      : workload_(workload),
        memory_bytes_(memory_bytes),
        data_bytes_(data_bytes),
        nodes_(decisions.processors),
        started_(workload.tasks(), false) {}

  void take(const RunEvent& event, std::size_t number) {
    event_ = &event;
    number_ = number;
    if (raw(event.processor) >= nodes_.size()) refuse("there is no such processor");
    const bool of_task = event.kind == Kind::granted || event.kind == Kind::task_started ||
                         event.kind == Kind::task_ended;
    if (event.id >= (of_task ? workload_.tasks() : workload_.data())) {
      refuse(of_task ? "there is no such task" : "there is no such data");
    }
    Node& node = nodes_[raw(event.processor)];
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
      case Kind::return_started:
      case Kind::return_ended:
        refuse("what tasks write is not recorded");
    }
  }

  void finish() const {
    for (std::size_t task = 0; task < started_.size(); ++task) {
      if (!started_[task]) {
        throw InvalidInput(
            fmt::format("the decisions never start task {}; record a run that ended well", task));
      }
    }
  }

 private:
  struct Held {
    bool arrived = false;
    std::uint32_t uses = 0;  // by tasks that run
  };
  struct Node {
    std::map<std::uint64_t, Held> data;
    std::deque<std::uint64_t> running;
    std::uint64_t used_bytes = 0;
  };

  [[noreturn]] void refuse(const std::string& why) const {
    static constexpr std::array names{"granted", "load_started", "load_ended",
                                      "evicted", "task_started", "task_ended"};
    throw InvalidInput(fmt::format("decision {} ({} of {} on processor {}): {}", number_,
                                   names.at(static_cast<std::size_t>(event_->kind)), event_->id,
                                   raw(event_->processor), why));
  }

  void start_load(Node& node) {
    if (!node.data.try_emplace(event_->id).second) refuse("the data is there already");
    node.used_bytes += data_bytes_(DataId{event_->id});
    const std::uint64_t room = memory_bytes_[raw(event_->processor)];
    if (node.used_bytes > room) refuse(fmt::format("more than {} bytes would be in memory", room));
  }

  void end_load(Node& node) {
    const auto at = node.data.find(event_->id);
    if (at == node.data.end() || at->second.arrived) refuse("no such load is on its way");
    at->second.arrived = true;
  }

  void evict(Node& node) {
    const auto at = node.data.find(event_->id);
    if (at == node.data.end() || !at->second.arrived) refuse("the data is not there");
    if (at->second.uses > 0) refuse("a running task reads the data");
    node.data.erase(at);
    node.used_bytes -= data_bytes_(DataId{event_->id});
  }

  void start_task(Node& node) {
    if (started_[event_->id]) refuse("the task has started before");
    started_[event_->id] = true;
    workload_.for_each_input(TaskId{event_->id}, [&](DataId data) {
      const auto at = node.data.find(raw(data));
      if (at == node.data.end() || !at->second.arrived) {
        refuse(fmt::format("its input {} is not there", raw(data)));
      }
      ++at->second.uses;
    });
    node.running.push_back(event_->id);
  }

  void end_task(Node& node) {
    if (node.running.empty() || node.running.front() != event_->id) refuse("it does not run");
    node.running.pop_front();
    workload_.for_each_input(TaskId{event_->id},
                             [&](DataId data) { --node.data.at(raw(data)).uses; });
  }

  const Workload& workload_;
  const std::vector<std::uint64_t>& memory_bytes_;
  const std::function<std::uint64_t(DataId)>& data_bytes_;
  std::vector<Node> nodes_;
  std::vector<bool> started_;
  const RunEvent* event_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace

void check_decisions(const Decisions& decisions, const Workload& workload,
                     const std::vector<std::uint64_t>& memory_bytes,
                     const std::function<std::uint64_t(DataId)>& data_bytes) {
  if (decisions.processors != memory_bytes.size()) {
    throw InvalidInput(
        fmt::format("the decisions are those of {} processors and this platform has {}; give the "
                    "platform they were recorded on",
                    decisions.processors, memory_bytes.size()));
  }
  DecisionCheck check(decisions, workload, memory_bytes, data_bytes);
  for (std::size_t i = 0; i < decisions.events.size(); ++i) check.take(decisions.events[i], i);
  check.finish();
}

}  // namespace damocles
