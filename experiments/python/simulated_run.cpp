#include "experiments/python/simulated_run.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "experiments/results/value_table.hpp"

namespace damocles {
namespace {

namespace py = pybind11;

/// An event of a run as a row of a NumPy array.
struct TracedEvent {
  double time_s;
  std::uint64_t id;  // of the task or data item
  std::uint32_t worker;
  std::uint32_t kind;  // RunEvent::Kind
};

/// As `damocles simulate --trace PATH`.
void write_run(const SimulatedRun& run, const std::string& path) {
  CommonOptions options = run.options;
  options.trace = path;
  options.check_files(run.rows->experiment);
  options.write_trace_of(run.rows->experiment, run.rows->records, run.events);
}

/// The events in order of time.
py::array_t<TracedEvent> array_of(const std::vector<RunEvent>& events) {
  std::vector<TracedEvent> rows;
  rows.reserve(events.size());
  for (const RunEvent& event : events) {
    rows.push_back(
        {event.time_s, event.id, raw(event.processor), static_cast<std::uint32_t>(event.kind)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
  return py::array_t<TracedEvent>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

}  // namespace

py::tuple traced(SimulatedRun run, const std::vector<std::string>& notes) {
  auto rows = py::make_tuple(value_table(run.rows->records), notes);
  auto events = array_of(run.events);
  return py::make_tuple(std::move(rows), std::move(events), std::move(run));
}

void bind_simulated_run(py::module_& module) {
  static_assert(static_cast<int>(RunEvent::Kind::left) == 10, "event_kinds names each");
  PYBIND11_NUMPY_DTYPE(TracedEvent, time_s, id, worker, kind);
  py::class_<SimulatedRun>(module, "SimulatedRun", "A run with its events.")
      .def("write", write_run);
  module.attr("event_kinds") = std::vector<std::string>{
      "granted", "load_started",   "load_ended",   "evicted", "task_started", "task_ended",
      "created", "return_started", "return_ended", "joined",  "left"};
}

}  // namespace damocles
