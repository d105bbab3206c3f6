// Strategies and eviction policies that answer nonsense, for tests/cli/plugin_test.py: each has to
// end a run in one line.
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "experiments/commands/command.hpp"
#include "strategies/eviction/recency.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

enum class Mistake {
  unknown_task,
  same_task,
  late_throw,
  late_number,
  only_loads,
  unknown_data,
  nothing,
  one_too_many,
  throws,
  throws_number,
  escapes,
  no_memory,
  end_throws,
  wakes,
  unknown_processor,
  too_early,
  none_made
};

template <Mistake kind>
class Mistaken final : public Strategy {
 public:
  explicit Mistaken(const StrategyContext& context) : end_(context.workload.tasks()) {
    if (kind == Mistake::throws) throw std::runtime_error("boom");
    if (kind == Mistake::throws_number) throw 5;
  }
  void request(ProcessorId, Grant& grant) override {
    if (kind == Mistake::unknown_task) return grant.tasks.add(TaskId{end_ + 5});
    if (kind == Mistake::same_task) return grant.tasks.add(TaskId{0});
    if (kind == Mistake::late_throw) throw std::runtime_error("boom");
    if (kind == Mistake::late_number) throw 5;
    if (kind == Mistake::only_loads) return grant.loads.push_back(DataId{0});
    if (kind == Mistake::unknown_data) grant.loads.push_back(DataId{100000});
    if (kind == Mistake::nothing) return;
    if (kind == Mistake::escapes) throw std::runtime_error("bad \x1b[2J \xff\xfe\n two lines");
    if (kind == Mistake::no_memory) throw std::bad_alloc();
    if (kind == Mistake::too_early) return grant.tasks.add(TaskId{end_ - 1});
    if (next_ < end_) grant.tasks.add(TaskId{next_++});
    if (kind == Mistake::one_too_many && next_ == end_) grant.tasks.add(TaskId{next_++});
  }
  std::optional<ProcessorId> on_ready(TaskId) override {
    if (kind == Mistake::unknown_processor) return ProcessorId{77};
    return std::nullopt;
  }
  void on_finished(ProcessorId, TaskId) override {
    if (kind == Mistake::end_throws) throw std::runtime_error("boom");
  }
  bool consume_wakeup() override { return kind == Mistake::wakes; }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t end_;
};

template <Mistake kind>
StrategyEntry mistaken(const char* name) {
  StrategyEntry entry{.name = name, .source = "a test", .summary = "Answer nonsense"};
  entry.make = make<Mistaken<kind>>;
  if (kind == Mistake::none_made) {
    entry.make = [](const StrategyContext&) { return std::unique_ptr<Strategy>(); };
  }
  entry.supports_dependencies = kind == Mistake::unknown_processor || kind == Mistake::too_early;
  entry.loads_implicit = true;
  return entry;
}

const Register strategies_of_mistakes{mistaken<Mistake::unknown_task>("unknown-task"),
                                      mistaken<Mistake::same_task>("same-task"),
                                      mistaken<Mistake::late_throw>("late-throw"),
                                      mistaken<Mistake::late_number>("late-number"),
                                      mistaken<Mistake::only_loads>("only-loads"),
                                      mistaken<Mistake::unknown_data>("unknown-data"),
                                      mistaken<Mistake::nothing>("nothing"),
                                      mistaken<Mistake::one_too_many>("one-too-many"),
                                      mistaken<Mistake::throws>("throws"),
                                      mistaken<Mistake::throws_number>("throws-number"),
                                      mistaken<Mistake::escapes>("escapes"),
                                      mistaken<Mistake::no_memory>("no-memory"),
                                      mistaken<Mistake::end_throws>("end-throws"),
                                      mistaken<Mistake::wakes>("wakes"),
                                      mistaken<Mistake::unknown_processor>("unknown-processor"),
                                      mistaken<Mistake::too_early>("too-early"),
                                      mistaken<Mistake::none_made>("none-made")};

enum class Choice { nobody, unknown, pinned, throws };

template <Choice choice>
class Misleading final : public Recency {
 public:
  explicit Misleading(const EvictionContext& context) : Recency(context) {}
  std::optional<DataId> victim(ProcessorId, const EvictionCandidates&) override {
    if (choice == Choice::nobody) return std::nullopt;
    if (choice == Choice::unknown) return DataId{100000};
    if (choice == Choice::pinned) return DataId{0};
    throw std::runtime_error("boom");
  }
};

template <Choice choice>
EvictionEntry misleading(const char* name) {
  return {.name = name,
          .source = "a test",
          .summary = "Answer nonsense",
          .make = make_eviction<Misleading<choice>>};
}

const Register evictions_of_mistakes{
    misleading<Choice::nobody>("evict-nobody"), misleading<Choice::unknown>("evict-unknown"),
    misleading<Choice::pinned>("evict-first"), misleading<Choice::throws>("evict-throws")};

const Register command_of_mistakes{
    CommandEntry{.name = "throw-a-number",
                 .place = 201,
                 .description = "Throw what is no exception of the language's library",
                 .set_up = [](Command command) { command.runs([] { throw 5; }); }}};

}  // namespace
}  // namespace damocles
