#include "strategies/parts/checked_answers.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "strategies/eviction/eviction_choice.hpp"
#include "strategies/parts/forwarding.hpp"

namespace damocles {
namespace {

/// Who answers, and how it is told of.
class Answerer {
 public:
  explicit Answerer(std::string who) : who_(std::move(who)) {}

  /// Calls ask(). What it throws ends the run in a line that names who did.
  template <typename Ask>
  auto ask(Ask&& ask) const {
    try {
      return ask();
    } catch (const InvalidInput&) {
      throw;  // a refusal, in words of its own
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw NoProgress(fmt::format("{} failed: {}", who_, error.what()));
    } catch (...) {
      throw NoProgress(
          fmt::format("{} failed: it threw what is no std::exception; throw a std::runtime_error "
                      "that says what is wrong",
                      who_));
    }
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw NoProgress(fmt::format("{} {}", who_, what));
  }
  void check_number(std::uint64_t number, std::uint64_t count, const char* did,
                    const char* what) const {
    if (number < count) return;
    refuse(fmt::format("{} {} {}, which is not there; give one from 0 to {}", did, what, number,
                       count - 1));
  }

 private:
  std::string who_;
};

class CheckedStrategy final : public Forwarding, public EvictionChoice {
 public:
  CheckedStrategy(const StrategyContext& context, const Answerer& answerer,
                  std::unique_ptr<Strategy> strategy, const EvictionChoice* choice)
      : Forwarding(std::move(strategy)),
        answerer_(answerer),
        choice_(choice),
        data_(context.workload.data()),
        processors_(context.platform.processors()),
        waits_(context.workload.has_dependencies()),
        states_(context.workload.tasks(), waits_ ? State::waits : State::open),
        sent_(processors_, 0) {}

  void request(ProcessorId processor, Grant& grant) override {
    answerer_.ask([&] { Forwarding::request(processor, grant); });
    check_data(grant.loads, "loads");
    grant.tasks.for_each([&](TaskId task) { take(raw(task)); });
    std::uint64_t& sent = sent_[raw(processor)];
    sent = grant.tasks.empty() ? sent + grant.loads.size() : 0;
    if (sent > 2 * data_ + 1) answerer_.refuse("sends data without end and no task");
    if (!grant.tasks.empty()) wakeups_ = 0;
  }
  std::optional<ProcessorId> on_ready(TaskId task) override {
    states_[raw(task)] = State::open;
    const auto only = answerer_.ask([&] { return Forwarding::on_ready(task); });
    if (only) answerer_.check_number(raw(*only), processors_, "gives a task to", "processor");
    return only;
  }
  void prefetch_hints(ProcessorId processor, std::vector<DataId>& loads) override {
    answerer_.ask([&] { Forwarding::prefetch_hints(processor, loads); });
    check_data(loads, "asks ahead for");
  }
  [[nodiscard]] bool consume_wakeup() override {
    const bool wakes = answerer_.ask([&] { return Forwarding::consume_wakeup(); });
    // Each processor may be woken in vain once after the last grant.
    if (wakes && ++wakeups_ > 1000 + processors_) {
      answerer_.refuse("wakes processors without end, and grants them nothing (consume_wakeup)");
    }
    return wakes;
  }
  [[nodiscard]] std::span<const ProcessorId> helpers(ProcessorId processor,
                                                     TaskId task) const override {
    const auto all = answerer_.ask([&] { return Forwarding::helpers(processor, task); });
    for (const ProcessorId helper : all) {
      answerer_.check_number(raw(helper), processors_, "names as helper", "processor");
    }
    return all;
  }
  [[nodiscard]] std::optional<DataId> farthest_use(
      ProcessorId processor, const std::function<bool(DataId)>& may_go) override {
    const auto data = answerer_.ask([&] { return Forwarding::farthest_use(processor, may_go); });
    if (!data) return data;
    answerer_.check_number(raw(*data), data_, "answers farthest_use() with", "data item");
    if (!may_go(*data)) {
      answerer_.refuse(
          fmt::format("answers farthest_use() with data item {}, which may not go", raw(*data)));
    }
    return data;
  }
  void on_loaded(ProcessorId processor, DataId data) override {
    answerer_.ask([&] { Forwarding::on_loaded(processor, data); });
  }
  void on_arrived(ProcessorId processor, DataId data) override {
    wakeups_ = 0;
    answerer_.ask([&] { Forwarding::on_arrived(processor, data); });
  }
  void on_evicted(ProcessorId processor, DataId data) override {
    answerer_.ask([&] { Forwarding::on_evicted(processor, data); });
  }
  void on_started(ProcessorId processor, TaskId task) override {
    answerer_.ask([&] { Forwarding::on_started(processor, task); });
  }
  void on_finished(ProcessorId processor, TaskId task) override {
    wakeups_ = 0;
    answerer_.ask([&] { Forwarding::on_finished(processor, task); });
  }
  [[nodiscard]] bool exhausted() const override {
    return answerer_.ask([&] { return Forwarding::exhausted(); });
  }
  [[nodiscard]] bool may_grant(ProcessorId processor) const override {
    return answerer_.ask([&] { return Forwarding::may_grant(processor); });
  }
  [[nodiscard]] bool waits_for_inputs() const override {
    return answerer_.ask([&] { return Forwarding::waits_for_inputs(); });
  }
  [[nodiscard]] std::optional<double> planned_makespan_s() const override {
    return answerer_.ask([&] { return Forwarding::planned_makespan_s(); });
  }
  [[nodiscard]] std::uint64_t inspected_items() const override {
    return answerer_.ask([&] { return Forwarding::inspected_items(); });
  }
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return answerer_.ask([&] { return Forwarding::reserved_uses(processor, data); });
  }
  [[nodiscard]] bool knows_all_uses() const override {
    return answerer_.ask([&] { return Forwarding::knows_all_uses(); });
  }
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    return answerer_.ask([&] { return Forwarding::next_use(processor, data); });
  }
  [[nodiscard]] std::string eviction() const override {
    if (choice_ == nullptr) return "lru";
    return answerer_.ask([&] { return choice_->eviction(); });
  }

 private:
  enum class State : std::uint8_t { waits, open, granted };

  void take(std::uint64_t task) {
    answerer_.check_number(task, states_.size(), "grants", "task");
    if (states_[task] == State::granted) {
      answerer_.refuse(fmt::format("grants task {}, which it granted before", task));
    }
    if (states_[task] == State::waits) {
      answerer_.refuse(fmt::format(
          "grants task {}, which waits for another; grant what on_ready() told of", task));
    }
    states_[task] = State::granted;
  }
  void check_data(const std::vector<DataId>& items, const char* did) const {
    for (const DataId data : items) answerer_.check_number(raw(data), data_, did, "data item");
  }

  Answerer answerer_;
  const EvictionChoice* choice_;  // what the strategy is too, or null
  std::uint64_t data_;
  std::uint64_t processors_;
  bool waits_;
  std::vector<State> states_;        // by task
  std::vector<std::uint64_t> sent_;  // by processor: data since its last task
  std::uint64_t wakeups_ = 0;
};

class CheckedEviction final : public Eviction {
 public:
  CheckedEviction(const EvictionContext& context, const Answerer& answerer,
                  std::unique_ptr<Eviction> eviction)
      : answerer_(answerer), data_(context.data), eviction_(std::move(eviction)) {}

  void on_loaded(ProcessorId processor, DataId data) override {
    answerer_.ask([&] { eviction_->on_loaded(processor, data); });
  }
  void on_used(ProcessorId processor, DataId data) override {
    answerer_.ask([&] { eviction_->on_used(processor, data); });
  }
  void on_evicted(ProcessorId processor, DataId data) override {
    answerer_.ask([&] { eviction_->on_evicted(processor, data); });
  }
  std::optional<DataId> victim(ProcessorId processor,
                               const EvictionCandidates& candidates) override {
    const auto data = answerer_.ask([&] { return eviction_->victim(processor, candidates); });
    if (!data) return data;
    answerer_.check_number(raw(*data), data_, "evicts", "data item");
    if (!candidates.evictable(*data)) {
      answerer_.refuse(fmt::format(
          "evicts data item {}, which may not go now; ask candidates.evictable()", raw(*data)));
    }
    return data;
  }

 private:
  Answerer answerer_;
  std::uint64_t data_;
  std::unique_ptr<Eviction> eviction_;
};

}  // namespace

StrategyEntry with_checked_answers(StrategyEntry entry) {
  entry.make = [make = std::move(entry.make),
                answerer = Answerer(fmt::format("strategy '{}'", entry.name))](
                   const StrategyContext& context) -> std::unique_ptr<Strategy> {
    auto strategy = answerer.ask([&] { return make(context); });
    if (strategy == nullptr) answerer.refuse("makes nothing; its entry's `make` must make one");
    const auto* const choice = dynamic_cast<const EvictionChoice*>(strategy.get());
    return std::make_unique<CheckedStrategy>(context, answerer, std::move(strategy), choice);
  };
  return entry;
}

EvictionEntry with_checked_answers(EvictionEntry entry) {
  entry.make = [make = std::move(entry.make),
                answerer = Answerer(fmt::format("eviction policy '{}'", entry.name))](
                   const EvictionContext& context) -> std::unique_ptr<Eviction> {
    auto eviction = answerer.ask([&] { return make(context); });
    if (eviction == nullptr) answerer.refuse("makes nothing; its entry's `make` must make one");
    return std::make_unique<CheckedEviction>(context, answerer, std::move(eviction));
  };
  return entry;
}

}  // namespace damocles
