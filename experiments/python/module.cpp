// The module `_damocles`: what the Python package `damocles` is made of.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "damocles_version.hpp"
#include "experiments/commands/command_rows.hpp"
#include "experiments/message.hpp"
#include "experiments/python/interruptible.hpp"
#include "experiments/python/python_strategy.hpp"
#include "experiments/python/run_view.hpp"
#include "experiments/results/value_table.hpp"
#include "experiments/studies/summary.hpp"
#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

namespace py = pybind11;

/// While one lives, no other command runs and no strategy is registered: the tables of the library
/// are read without locks.
class OnlyCommand {
 public:
  OnlyCommand() {
    if (running().exchange(true)) {
      throw std::runtime_error(
          "a command of damocles is running in this process; wait for its end, or start another process");
    }
  }
  ~OnlyCommand() { running().store(false); }
  OnlyCommand(const OnlyCommand&) = delete;
  OnlyCommand& operator=(const OnlyCommand&) = delete;
  OnlyCommand(OnlyCommand&&) = delete;
  OnlyCommand& operator=(OnlyCommand&&) = delete;

 private:
  static std::atomic<bool>& running() {
    static std::atomic<bool> value{false};
    return value;
  }
};

/// Whether a run of these strategies calls Python.
bool calls_python(const std::string& strategies) {
  if (strategies == "all") return any_python_strategy();
  for (const auto& text : split_specs(strategies)) {
    if (is_python_strategy(text.substr(0, text.find(':')))) return true;
  }
  return false;
}

/// Python runs one thread at a time, and its objects belong to the one that asked.
void refuse_threads(const CommonOptions& options) {
  if (options.jobs == "0" || options.jobs == "1") return;
  throw InvalidInput(fmt::format(
      "--jobs {}: a strategy written in Python runs on one thread; leave out jobs", options.jobs));
}

/// Does what a command does before it prints, with what it notes.
template <typename Make>
auto answered(const CommonOptions& options, bool with_python, Make make) {
  const OnlyCommand only;
  (void)taken_notes();  // of one that failed
  if (with_python) refuse_threads(options);
  auto answer = with_python ? on_this_thread(make) : interruptible(make);
  return std::pair(std::move(answer), taken_notes());
}

using AnsweredRows = std::pair<ValueTable, std::vector<std::string>>;
using AnsweredWords = std::pair<std::pair<std::string, std::string>, std::vector<std::string>>;

/// An event of a run as a row of a NumPy array.
struct TracedEvent {
  double time_s;
  std::uint64_t id;  // of the task or data item
  std::uint32_t worker;
  std::uint32_t kind;  // RunEvent::Kind
};

using RowsOf = CommandRows (*)(const CommonOptions&, const Onlookers&);

AnsweredRows rows_of_command(RowsOf rows_of, const CommonOptions& options) {
  return answered(options, calls_python(options.strategies), [&](const StopCheck& check) {
    const CommandRows rows = rows_of(options, {.check = check});
    const std::string left_out = options.note_on_left_out(rows.experiment);
    if (!left_out.empty()) note(left_out);
    return value_table(options.summary ? summarise(rows.records) : rows.records);
  });
}

/// The same of simulate, with the events of replicate 0 in order of time.
std::pair<AnsweredRows, std::vector<TracedEvent>> traced_rows(const CommonOptions& options) {
  std::vector<TracedEvent> events;
  const auto watcher = [&](const RunEvent& event) {
    events.push_back(
        {event.time_s, event.id, raw(event.processor), static_cast<std::uint32_t>(event.kind)});
  };
  auto rows = answered(options, calls_python(options.strategies), [&](const StopCheck& check) {
    return value_table(simulate_rows(options, {.check = check, .watcher = watcher}).records);
  });
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
  return {std::move(rows), std::move(events)};
}

/// Text and JSON.
template <typename Options>
AnsweredWords words_of_command(CommandAnswer (*answer_of)(const Options&), const Options& options) {
  // Where no strategy is named, `recommend` means all.
  const std::string& named = options.common.strategies;
  const bool with_python = calls_python(named.empty() ? "all" : named);
  return answered(options.common, with_python, [&](const StopCheck&) {
    const CommandAnswer answer = answer_of(options);
    return std::pair(answer.text({}), answer.json());
  });
}

void define_strategy(const std::string& name, const py::object& type) {
  const OnlyCommand only;
  register_python_strategy(name, type);
}

void bind_options(py::module_& module) {
  py::class_<CommonOptions>(module, "Options", "The words of a command line.")
      .def(py::init<>())
      .def_readwrite("workload", &CommonOptions::workload)
      .def_readwrite("platform", &CommonOptions::platform)
      .def_readwrite("strategies", &CommonOptions::strategies)
      .def_readwrite("model", &CommonOptions::models)
      .def_readwrite("replicates", &CommonOptions::replicates)
      .def_readwrite("seed", &CommonOptions::seed)
      .def_readwrite("jobs", &CommonOptions::jobs)
      .def_readwrite("summary", &CommonOptions::summary)
      .def_readwrite("count_decision_time", &CommonOptions::charge_scheduling);
}

void bind_commands(py::module_& module) {
  py::class_<ValueTable>(module, "ValueTable", "Rows under named columns.")
      .def_readonly("columns", &ValueTable::columns)
      .def_readonly("rows", &ValueTable::rows);
  module.def("simulate",
             [](const CommonOptions& options) { return rows_of_command(simulate_rows, options); });
  static_assert(static_cast<int>(RunEvent::Kind::left) == 10, "event_kinds names each");
  PYBIND11_NUMPY_DTYPE(TracedEvent, time_s, id, worker, kind);
  module.def("trace", [](const CommonOptions& options) {
    auto [rows, events] = traced_rows(options);
    return std::pair(std::move(rows), py::array_t<TracedEvent>(
                                          static_cast<py::ssize_t>(events.size()), events.data()));
  });
  module.attr("event_kinds") = std::vector<std::string>{
      "granted", "load_started",   "load_ended",   "evicted", "task_started", "task_ended",
      "created", "return_started", "return_ended", "joined",  "left"};
  module.def("compare",
             [](const CommonOptions& options) { return rows_of_command(compare_rows, options); });
  module.def("predict", [](CommonOptions options) {
    options.models_only = true;
    return rows_of_command(predict_rows, options);
  });
  module.def("beta", [](CommonOptions options) -> AnsweredRows {
    options.models_only = true;
    return answered(options, false, [&](const StopCheck&) { return beta_rows(options); });
  });
  module.def("explain", [](const CommonOptions& options, bool what_if) {
    return words_of_command(explain_answer, ExplainOptions{options, !what_if});
  });
  module.def("recommend", [](const CommonOptions& options, const std::string& goal,
                             const std::string& within, const std::string& vary, bool online) {
    return words_of_command(recommend_answer,
                            RecommendOptions{options, goal, within, vary, online});
  });
}

/// Raises an exception of the module, with the message that the command line prints.
void raise_as(const char* type, const std::exception& error) {
  PyErr_SetString(py::module_::import(module_name).attr(type).ptr(),
                  printable_line(error.what()).c_str());
}

void bind_errors(py::module_& module) {
  const py::exception<InvalidInput> invalid(module, "InvalidInput", PyExc_ValueError);
  const py::exception<Infeasible> infeasible(module, "Infeasible", invalid);
  const py::exception<NoProgress> stopped(module, "NoProgress", PyExc_RuntimeError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const Infeasible& error) {
      raise_as("Infeasible", error);
    } catch (const InvalidInput& error) {
      raise_as("InvalidInput", error);
    } catch (const NoProgress& error) {
      raise_as("NoProgress", error);
    }
  });
}

}  // namespace
}  // namespace damocles

PYBIND11_MODULE(_damocles, module) {
  using namespace damocles;
  module.attr("__version__") = version;
  bind_errors(module);
  bind_options(module);
  bind_commands(module);
  bind_run_view(module);
  bind_python_strategies(module);
  module.def("define_strategy", define_strategy);
  module.def("workload_forms", &Workload::forms);
  module.def("platform_forms", &Scenario::forms);
}
