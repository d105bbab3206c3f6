#include "experiments/python/run_view.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <utility>

#include "models/error.hpp"

namespace damocles {
namespace {

std::uint64_t existing(const char* what, std::uint64_t index, std::uint64_t count) {
  if (index < count) return index;
  throw pybind11::index_error(
      fmt::format("there is no {} {}; the run has {}, counted from 0", what, index, count));
}

}  // namespace

const StrategyContext& RunView::context() const {
  if (!context_) throw NoProgress("the run has ended; ask while it goes on");
  return *context_;
}

TaskId RunView::checked_task(std::uint64_t task) const {
  return TaskId{existing("task", task, tasks())};
}
DataId RunView::checked_data(std::uint64_t data) const {
  return DataId{existing("data item", data, this->data())};
}
ProcessorId RunView::checked_worker(std::uint64_t worker) const {
  return ProcessorId{static_cast<std::uint32_t>(existing("worker", worker, workers()))};
}

std::map<std::string, std::string> RunView::options() const {
  std::map<std::string, std::string> result;
  for (const auto& key : context().spec.keys()) result[key] = *context().spec.word(key);
  return result;
}

std::vector<std::uint64_t> RunView::inputs(std::uint64_t task) const {
  std::vector<std::uint64_t> result;
  context().workload.for_each_input(checked_task(task),
                                    [&](DataId data) { result.push_back(raw(data)); });
  return result;
}

std::vector<std::uint64_t> RunView::missing(std::uint64_t worker, std::uint64_t task) const {
  const ProcessorId there = checked_worker(worker);
  std::vector<std::uint64_t> result;
  context().workload.for_each_input(checked_task(task), [&](DataId data) {
    if (!context().memory.resident(there, data)) result.push_back(raw(data));
  });
  return result;
}

bool RunView::holds(std::uint64_t worker, std::uint64_t data) const {
  return context().memory.resident(checked_worker(worker), checked_data(data));
}

std::uint64_t RunView::bytes(std::uint64_t data) const {
  const auto index = static_cast<TaskGraph::Index>(raw(checked_data(data)));
  return context().workload.graph().bytes(index);
}

std::string RunView::task_name(std::uint64_t task) const {
  return context().workload.task_name(checked_task(task));
}

double RunView::seconds(std::uint64_t worker, std::uint64_t task) {
  const auto index = static_cast<TaskGraph::Index>(raw(checked_task(task)));
  const std::size_t there = raw(checked_worker(worker));
  if (!durations_) durations_.emplace(context().workload, context().platform);
  return durations_->s(there, index);
}

std::uint64_t RunView::random_below(std::uint64_t bound) {
  (void)context();
  if (bound == 0) throw pybind11::value_error("random_below(0): give a bound of at least 1");
  return context_->rng.below(bound);
}

double RunView::random() {
  (void)context();
  return context_->rng.uniform();
}

void bind_run_view(pybind11::module_& module) {
  namespace py = pybind11;
  py::class_<RunView, std::shared_ptr<RunView>>(
      module, "Run", "What a strategy sees of its run; tasks, data items and workers are numbers.")
      .def_property_readonly("tasks", &RunView::tasks, "number of tasks")
      .def_property_readonly("data", &RunView::data, "number of data items")
      .def_property_readonly("workers", &RunView::workers, "number of workers")
      .def_property_readonly("options", &RunView::options, "options of the strategy, as texts")
      .def("inputs", &RunView::inputs, py::arg("task"), "data items that the task reads")
      .def("missing", &RunView::missing, py::arg("worker"), py::arg("task"),
           "those of them that are neither on the worker nor on their way to it")
      .def("holds", &RunView::holds, py::arg("worker"), py::arg("data"),
           "whether the data item is on the worker or on its way to it")
      .def("bytes", &RunView::bytes, py::arg("data"), "size of the data item in bytes")
      .def("task_name", &RunView::task_name, py::arg("task"), "its name, as GEMM(5,2,1)")
      .def("seconds", &RunView::seconds, py::arg("worker"), py::arg("task"),
           "expected duration in seconds; inf where the worker cannot run the task")
      .def("random_below", &RunView::random_below, py::arg("bound"),
           "a whole number in [0, bound) that the seed repeats")
      .def("random", &RunView::random, "a number in [0, 1) that the seed repeats")
      .def("wake", &RunView::wake, "ask those workers again that were granted nothing");
}

}  // namespace damocles
