#include "experiments/python/python_engine.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/message.hpp"
#include "experiments/python/interruptible.hpp"
#include "experiments/python/only_command.hpp"
#include "experiments/python/python_class.hpp"
#include "experiments/python/run_view.hpp"
#include "experiments/python/simulated_run.hpp"
#include "experiments/studies/rows.hpp"
#include "models/error.hpp"
#include "sim/stepped_run.hpp"

namespace damocles {
namespace {

namespace py = pybind11;

/// What an engine and its clones share.
struct EngineSetup {
  CommonOptions options;
  StepOptions steps;
  Experiment experiment;
  Platform platform;
  std::vector<std::string> notes;
};

std::shared_ptr<const EngineSetup> engine_setup(CommonOptions options,
                                                const std::string& eviction) {
  const OnlyCommand only;
  (void)taken_notes();           // of a command that failed
  options.strategies = "eager";  // any that runs everywhere: the caller takes its place
  Experiment experiment = options.experiment_to_simulate();
  experiment.strategies = {"engine"};
  experiment.models.clear();
  Platform platform = experiment.scenario.draw(experiment.seed, 0);
  if (!platform.machine) {
    throw InvalidInput(fmt::format(
        "platform '{}': an engine steps through runs with limited memory; give one such as gpus:k=2,memory=500MB",
        experiment.scenario.text()));
  }
  StepOptions steps{.eviction = eviction, .seed = experiment.seed};
  return std::make_shared<const EngineSetup>(EngineSetup{std::move(options), std::move(steps),
                                                         std::move(experiment), std::move(platform),
                                                         taken_notes()});
}

/// The run, its events and its view.
class Engine {
 public:
  Engine(const CommonOptions& options, const std::string& eviction)
      : setup_(engine_setup(options, eviction)),
        run_(std::make_unique<SteppedRun>(setup_->experiment.workload, setup_->platform,
                                          setup_->steps, watcher())),
        view_(std::make_shared<RunView>(run_->context())) {}
  Engine(const Engine& other) : setup_(other.setup_) {
    const Busy busy(other);
    if (other.view_->consume_wakeup()) other.run_->wake();
    run_ = other.run_->clone(watcher());
    if (run_->done()) {
      view_ = other.view_;  // which answers nothing any more
    } else {
      view_ = std::make_shared<RunView>(run_->context());
      view_->draw_as(*other.view_);
    }
  }
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) = delete;
  Engine& operator=(Engine&&) = delete;
  ~Engine() { view_->end(); }

  [[nodiscard]] const SteppedRun& run() const {
    refuse_busy();
    return *run_;
  }
  [[nodiscard]] ProcessorId worker(std::uint64_t worker) const {
    if (worker < setup_->platform.processors())
      return ProcessorId{static_cast<std::uint32_t>(worker)};
    throw py::index_error(fmt::format("there is no worker {}; the run has {}, counted from 0",
                                      worker, setup_->platform.processors()));
  }
  [[nodiscard]] std::shared_ptr<RunView> view() const {
    (void)run().worker();  // refuses where the run is over
    return view_;
  }

  void grant(const py::object& tasks, const py::object& loads) {
    std::vector<TaskId> given;
    for (const std::uint64_t task : numbers("task", tasks)) given.push_back(TaskId{task});
    std::vector<DataId> hints;
    for (const std::uint64_t data : numbers("data item", loads)) hints.push_back(DataId{data});
    const Busy busy(*this);
    if (view_->consume_wakeup()) run_->wake();
    try {
      run_->grant(given, hints);
    } catch (...) {
      if (run_->over()) view_->end();
      throw;
    }
    if (run_->over()) view_->end();
  }

  /// What damocles.Trace is made of. @throws NoProgress while the run goes on
  [[nodiscard]] py::tuple trace() const {
    if (!run().done()) throw NoProgress("the run is not done; grant tasks until engine.done");
    const ResolvedStrategy resolved{"engine", run_->choice(), {}};
    const Experiment& experiment = setup_->experiment;
    Record record = simulated_record(experiment, resolved, setup_->platform, 0, run_->trace());
    return traced({setup_->options, CommandRows{experiment, {std::move(record)}}, events_},
                  setup_->notes);
  }

 private:
  /// While one lives, the simulation runs, and nobody else may look at it.
  class Busy {
   public:
    explicit Busy(const Engine& engine) : engine_(engine) {
      engine.refuse_busy();
      engine_.busy_ = true;
    }
    ~Busy() { engine_.busy_ = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    Busy(Busy&&) = delete;
    Busy& operator=(Busy&&) = delete;

   private:
    const Engine& engine_;
  };

  void refuse_busy() const {
    if (busy_) throw std::runtime_error("the engine is at work; ask it when grant() has returned");
  }

  /// A number, several, or none.
  [[nodiscard]] static std::vector<std::uint64_t> numbers(const char* what, const py::object& of) {
    const auto one = [&](py::handle number) {
      if (const auto value = number_below(~std::uint64_t{0}, number)) return *value;
      throw InvalidInput(fmt::format("there is no {} {}", what, std::string(py::repr(number))));
    };
    if (of.is_none()) return {};
    if (PyIndex_Check(of.ptr()) != 0) return {one(of)};
    std::vector<std::uint64_t> result;
    for (const py::handle number : of) result.push_back(one(number));
    return result;
  }

  Watcher watcher() {
    return [this, check = signal_check()](const RunEvent& event) {
      events_.push_back(event);
      check();
    };
  }

  std::shared_ptr<const EngineSetup> setup_;
  std::vector<RunEvent> events_;
  std::unique_ptr<SteppedRun> run_;
  std::shared_ptr<RunView> view_;
  mutable bool busy_ = false;
};

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

void bind_python_engine(py::module_& module) {
  py::class_<Engine>(module, "Engine", "A run whose decisions come from outside, one by one.")
      .def(py::init<const CommonOptions&, const std::string&>())
      .def(py::init<const Engine&>())
      .def_property_readonly("done", [](const Engine& e) { return e.run().done(); })
      .def_property_readonly("worker", [](const Engine& e) { return raw(e.run().worker()); })
      .def_property_readonly("open", [](const Engine& e) { return e.run().open(); })
      .def_property_readonly("time_s", [](const Engine& e) { return e.run().time_s(); })
      .def_property_readonly("loads", [](const Engine& e) { return e.run().trace().total_loads(); })
      .def_property_readonly("bytes_loaded",
                             [](const Engine& e) { return sum(e.run().trace().bytes_loaded); })
      .def_property_readonly("evictions",
                             [](const Engine& e) { return sum(e.run().trace().evictions); })
      .def_property_readonly("run", &Engine::view)
      .def("grant", &Engine::grant, py::arg("tasks") = py::none(), py::kw_only(),
           py::arg("loads") = py::none())
      .def("resident",
           [](const Engine& e, std::uint64_t w) { return e.run().resident(e.worker(w)); })
      .def("loading", [](const Engine& e, std::uint64_t w) { return e.run().loading(e.worker(w)); })
      .def("assigned",
           [](const Engine& e, std::uint64_t w) { return e.run().assigned(e.worker(w)); })
      .def("_trace", &Engine::trace);
}

}  // namespace damocles
