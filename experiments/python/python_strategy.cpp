#include "experiments/python/python_strategy.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/python/python_class.hpp"
#include "experiments/python/run_view.hpp"
#include "models/error.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

namespace py = pybind11;

constexpr const char* table_name = "_strategies";

const ClassKind& strategy_kind() {
  static const ClassKind kind{
      .what = "strategy",
      .method = "request",
      .call = "request(self, worker); write one that returns a task",
      .events = {"on_ready", "on_loaded", "on_arrived", "on_evicted", "on_started", "on_finished"}};
  return kind;
}

/// The classes by name. They live in the module, so that Python drops them when it ends.
py::dict strategy_classes() { return py::module_::import(module_name).attr(table_name); }

/// What a run shows Python, until the strategy is gone, or could not be made.
class OpenView {
 public:
  explicit OpenView(const StrategyContext& context) : view_(std::make_shared<RunView>(context)) {}
  ~OpenView() { view_->end(); }
  OpenView(const OpenView&) = delete;
  OpenView& operator=(const OpenView&) = delete;
  OpenView(OpenView&&) = delete;
  OpenView& operator=(OpenView&&) = delete;

  [[nodiscard]] const std::shared_ptr<RunView>& shared() const { return view_; }

 private:
  std::shared_ptr<RunView> view_;
};

/// Drives the object of Python, and checks each grant: a wrong one would break the simulator.
class PythonStrategy final : public Strategy {
 public:
  PythonStrategy(const StrategyContext& context, const py::object& type)
      : name_(context.spec.name()),
        view_(context),
        workers_(context.platform.processors()),
        left_(context.workload.tasks()),
        open_(left_, !context.workload.has_dependencies()),
        self_(type(view_.shared())),
        request_(strategy_kind(), name_, self_, "request"),
        ready_(strategy_kind(), name_, self_, "on_ready"),
        loaded_(strategy_kind(), name_, self_, "on_loaded"),
        arrived_(strategy_kind(), name_, self_, "on_arrived"),
        evicted_(strategy_kind(), name_, self_, "on_evicted"),
        started_(strategy_kind(), name_, self_, "on_started"),
        finished_(strategy_kind(), name_, self_, "on_finished") {
    // Else the runtime does, at the start too.
    if (!ready_ || context.workload.has_dependencies()) return;
    for (std::uint64_t task = 0; task < left_; ++task) (void)ready_(task);
  }

  void request(ProcessorId processor, Grant& grant) override {
    if (left_ == 0) return;
    const py::object answer = request_(raw(processor));
    if (answer.is_none()) return;
    if (PyIndex_Check(answer.ptr()) != 0) return add(answer, grant);
    if (!py::isinstance<py::iterable>(answer)) refuse(answer, "return a task, tasks, or None");
    for (const py::handle task : answer) add(task, grant);
  }
  std::optional<ProcessorId> on_ready(TaskId task) override {
    open_[raw(task)] = true;
    if (!ready_) return std::nullopt;
    const py::object worker = ready_(raw(task));
    if (worker.is_none()) return std::nullopt;
    return ProcessorId{static_cast<std::uint32_t>(number(worker, "worker", workers_))};
  }
  void on_loaded(ProcessorId p, DataId data) override { loaded_.tell(raw(p), raw(data)); }
  void on_arrived(ProcessorId p, DataId data) override { arrived_.tell(raw(p), raw(data)); }
  void on_evicted(ProcessorId p, DataId data) override { evicted_.tell(raw(p), raw(data)); }
  void on_started(ProcessorId p, TaskId task) override { started_.tell(raw(p), raw(task)); }
  void on_finished(ProcessorId p, TaskId task) override { finished_.tell(raw(p), raw(task)); }
  [[nodiscard]] bool consume_wakeup() override { return view_.shared()->consume_wakeup(); }
  [[nodiscard]] bool exhausted() const override { return left_ == 0; }

 private:
  void add(py::handle answer, Grant& grant) {
    const std::uint64_t task = number(answer, "task", open_.size());
    if (!open_[task]) refuse(answer, "it was granted before, or waits for another task");
    open_[task] = false;
    --left_;
    grant.tasks.add(TaskId{task});
  }

  [[nodiscard]] std::uint64_t number(py::handle answer, const char* what,
                                     std::uint64_t count) const {
    const auto value = number_below(count, answer);
    if (value) return *value;
    refuse(answer, fmt::format("there is no such {}; give one from 0 to {}", what, count - 1));
  }

  [[noreturn]] void refuse(py::handle answer, std::string_view why) const {
    throw NoProgress(
        fmt::format("strategy '{}' answered {}: {}", name_, std::string(py::repr(answer)), why));
  }

  std::string name_;
  OpenView view_;
  std::uint64_t workers_;
  std::uint64_t left_;      // tasks that were not granted yet
  std::vector<bool> open_;  // by task: it may be granted
  py::object self_;
  Method request_;
  Method ready_;
  Method loaded_;
  Method arrived_;
  Method evicted_;
  Method started_;
  Method finished_;
};

std::unique_ptr<Strategy> make_python_strategy(const StrategyContext& context) {
  const std::string& name = context.spec.name();
  if (PyGILState_Check() == 0) {
    throw std::logic_error(fmt::format("strategy '{}' is made without Python's lock", name));
  }
  return std::make_unique<PythonStrategy>(context, strategy_classes()[name.c_str()]);
}

void refuse_own_name(const std::string& name) {
  for (const StrategyEntry& entry : strategies()) {
    if (!is_called(entry, name) || is_python_strategy(entry.name)) continue;
    throw InvalidInput(
        fmt::format("strategy '{}' is one of damocles' own; give yours another name", name));
  }
}

std::vector<StrategyOption> options_of_class(const std::string& name, const py::object& type) {
  std::vector<StrategyOption> options;
  for (const auto& [key, meaning] : attribute_of_class<std::map<std::string, std::string>>(
           strategy_kind(), name, type, "options", {},
           "names of options with their meanings, such as {\"depth\": \"tasks to look at\"}")) {
    options.push_back({key, meaning, {}});
  }
  return options;
}

}  // namespace

void register_python_strategy(const std::string& name, const py::object& type) {
  check_class(strategy_kind(), name, type);
  refuse_own_name(name);
  const auto eviction = attribute_of_class<std::string>(strategy_kind(), name, type, "eviction",
                                                        "lru", "the name of an eviction policy");
  (void)Table<EvictionEntry>::named(eviction);
  Table<StrategyEntry>::put(StrategyEntry{
      .name = name,
      .source = "Python",
      .summary = summary_of_class(strategy_kind(), type),
      .options = options_of_class(name, type),
      .make = make_python_strategy,
      .supports_dependencies = py::hasattr(type, "on_ready"),
      .heterogeneous =
          attribute_of_class(strategy_kind(), name, type, "heterogeneous", false, "True or False"),
      .loads_implicit = true,
      .eviction = eviction});
  strategy_classes()[name.c_str()] = type;
}

bool is_python_strategy(const std::string& name) {
  return strategy_classes().contains(name.c_str());
}

bool any_python_strategy() { return !strategy_classes().empty(); }

void bind_python_strategies(py::module_& module) { module.attr(table_name) = py::dict(); }

}  // namespace damocles
