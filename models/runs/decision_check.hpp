#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/platforms/durations.hpp"
#include "models/runs/decisions.hpp"

namespace damocles {

/// Keeps the books of recorded decisions before they are carried out: what is in which memory, and
/// where tasks write, which copies are valid.
///
/// Each write of a data item makes a version of it. Host memory has the last one or an older one; a
/// copy that was loaded has the one that was loaded, and only of the last one anybody may compute.
/// Where tasks reduce, copies are sums, and host memory has the data when all of them have come.
class DecisionCheck {
 public:
  /// All references outlive it. @throws InvalidInput where the platform does not fit the workload
  DecisionCheck(const Decisions& decisions, const Workload& workload, const Platform& platform,
                const std::vector<std::uint64_t>& memory_bytes,
                const std::function<std::uint64_t(DataId)>& data_bytes);

  /// @throws InvalidInput where the decision, the `number`th, cannot be carried out
  void take(const RunEvent& event, std::size_t number);
  /// @throws InvalidInput where tasks were left out, or data are lost
  void finish() const;

 private:
  using Index = TaskGraph::Index;

  /// What a processor has of a data item.
  struct Held {
    bool arrived = false;
    std::uint32_t uses = 0;   // by tasks that run
    std::uint32_t loans = 0;  // copies to other processors under way
    std::optional<ProcessorId> lender{};
    std::uint64_t version = none;
    bool returning = false;
    bool sum = false;
  };
  struct Node {
    std::map<std::uint64_t, Held> data;
    std::deque<std::uint64_t> running;
    std::uint64_t used_bytes = 0;
    bool in_host_memory = false;
    std::optional<std::uint64_t> helps{};  // a task that another processor was granted
  };
  /// A data item that tasks may write.
  struct Place {
    std::uint64_t version = 0;
    bool in_host_memory = true;   // host memory has that version
    std::uint32_t valid = 0;      // arrived copies of it
    std::uint32_t loading = 0;    // copies on their way to processors
    std::uint32_t loans = 0;      // of which from other processors
    std::uint32_t returning = 0;  // on their way to host memory
    std::uint32_t sums = 0;       // on processors
    std::uint32_t adding = 0;     // tasks that run and reduce into it
    bool writing = false;         // a task runs that writes it, and does not reduce
    [[nodiscard]] bool reducing() const { return sums + adding > 0; }
  };
  static constexpr std::uint64_t none = ~std::uint64_t{0};  // no version

  [[noreturn]] void refuse(const std::string& why) const;
  [[nodiscard]] std::string task_name(std::uint64_t task) const;
  [[nodiscard]] std::string data_name(std::uint64_t data) const;
  [[nodiscard]] std::string processor_name(std::size_t processor) const;
  void check_names() const;
  void start_load(Node& node);
  void check_lender(ProcessorId lender) const;
  void end_load(Node& node);
  void create(Node& node);
  Held& enter(Node& node);
  void evict(Node& node);
  void start_return(Node& node);
  void end_return(Node& node);
  void start_task(Node& node);
  void check_turn() const;
  void check_team();
  void join(Node& node);
  void leave(Node& node);
  void check_access(const Node& node, std::uint64_t data, Access access) const;
  void check_write(const Node& node, const Place& place, std::uint64_t data, Access access) const;
  void check_alone(const Place& place, std::uint64_t data) const;
  void write(Node& node, std::uint64_t data, Access access);
  void add(Node& node, Place& place, std::uint64_t data);
  void end_task(Node& node);
  static void end_write(Place& place, Access access);
  [[nodiscard]] bool valid(const Held& held, std::uint64_t data) const {
    return places_.empty() || (held.arrived && held.version == places_[data].version);
  }
  void refuse_lost() const;
  /// Calls visit(data, access) for each that the task of the decision accesses.
  template <typename Visit>
  void for_each_access(Visit&& visit) const {
    if (!places_.empty()) {
      workload_.graph().for_each_access(
          static_cast<Index>(event_->id),
          [&](Index data, Access access) { visit(std::uint64_t{data}, access); });
      return;
    }
    workload_.for_each_input(TaskId{event_->id},
                             [&](DataId data) { visit(raw(data), Access::read); });
  }

  const Workload& workload_;
  const Platform& platform_;
  const std::vector<std::uint64_t>& memory_bytes_;
  const std::function<std::uint64_t(DataId)>& data_bytes_;
  std::optional<Durations> durations_;  // where not every processor runs every task
  TeamLaws teams_;
  // By task: who joined those that have not started, and those that run.
  std::map<std::uint64_t, std::vector<std::size_t>> joined_;
  std::map<std::uint64_t, std::vector<std::size_t>> running_teams_;
  std::vector<Node> nodes_;
  std::vector<Place> places_;  // by data; empty where no task writes
  std::vector<bool> started_;
  // Where tasks wait for others, by task.
  std::optional<Countdown> waits_;
  std::vector<bool> ended_;
  const RunEvent* event_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace damocles
