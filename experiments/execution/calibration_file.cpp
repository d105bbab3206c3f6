#include "experiments/execution/calibration_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <thread>

#include "experiments/execution/execution.hpp"

namespace damocles {
namespace {

using Lines = fmt::memory_buffer;

template <typename... Values>
void line(Lines& to, fmt::format_string<Values...> text, Values&&... values) {
  fmt::format_to(std::back_inserter(to), text, std::forward<Values>(values)...);
  to.push_back('\n');
}

double as_percent(double part) { return 100 * part; }

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

double root_mean_square(const FittedCalibration& fitted, bool held_out,
                        double (JudgedRuns::*of)() const) {
  std::vector<double> values;
  for (const JudgedRuns& row : fitted.runs) {
    if (row.held_out == held_out) values.push_back((row.*of)());
  }
  return root_mean_square(values);
}

double typical_error(const FittedCalibration& fitted, bool held_out) {
  return root_mean_square(fitted, held_out, &JudgedRuns::error);
}

/// The same of how well the executed medians are known.
double typical_noise(const FittedCalibration& fitted) {
  return root_mean_square(fitted, true, &JudgedRuns::median_sd);
}

void write_fit(Lines& to, const FittedCalibration& fitted) {
  line(to,
       "#\n# Fitted to the makespans of runs of this machine. sd says how well they fix a figure.");
  line(to, "# {:<20} {:>11} {:>11} {:>9}", "figure", "measured", "fitted", "sd");
  for (const FittedFigure& one : fitted.fit.figures) {
    line(to, "# {:<20} {:>11.5g} {:>11.5g} {:>9.2g}", one.name, one.before, one.after, one.sd);
  }
  line(to, "# With these, the decisions of {} runs replayed end {:.1f} % (rms) off.",
       fitted.fit.errors.size(), as_percent(root_mean_square(fitted.fit.errors)));
  line(
      to,
      "#\n# Makespans, executed (medians, sd of these) and simulated; it has not seen those held out.");
  std::size_t widest = 0;
  for (const JudgedRuns& row : fitted.runs) widest = std::max(widest, row.workload.size());
  line(to, "# {:<{}}  {:<16} {:>10} {:>8} {:>10} {:>8}", "workload", widest, "strategy",
       "executed_s", "sd", "simulated", "error");
  for (const JudgedRuns& row : fitted.runs) {
    line(to, "# {:<{}}  {:<16} {:>10.4g} {:>6.1f} % {:>10.4g} {:>+6.1f} %{}", row.workload, widest,
         row.strategy, row.median_executed_s(), as_percent(row.median_sd()), row.simulated_s,
         as_percent(row.error()), row.held_out ? "  held out" : "");
  }
  const double unexplained = as_percent(typical_error(fitted, false));
  if (!fitted.has_held_out()) {
    line(to, "# Not explained: {:.1f} % (rms) of these makespans; nothing was held out.",
         unexplained);
    return;
  }
  line(to,
       "# Not explained: {:.1f} % (rms) of the fitted makespans, {:.1f} % of those held out, at "
       "most {:.1f} %;\n# those are themselves known to {:.1f} %, by {} runs each.",
       unexplained, as_percent(typical_error(fitted, true)), as_percent(fitted.worst_held_out()),
       as_percent(typical_noise(fitted)), fitted.runs.front().executed_s.size());
}

void write_head(Lines& to, const CalibrationFile& what) {
  line(to, "# damocles calibrate {}\n# {} ({}), {}; measured {}", what.workload, what.device.name,
       what.device.backend, what.device.driver, today());
  std::string speeds;
  for (const double time : what.measured.task_s) {
    speeds += fmt::format("{}{:.6g}", speeds.empty() ? "" : ",", 1 / time);
  }
  line(to, "# unlimited memory, in tasks a second: speeds:{}", speeds);
  if (what.fitted) {
    write_fit(to, *what.fitted);
  } else {
    line(to, "# Each figure as measured apart, not fitted to runs{}{}.",
         what.why_not_fitted.empty() ? "" : ": ", what.why_not_fitted);
  }
}

void write_bus(Lines& to, const MachineModel& machine, bool fitted) {
  line(to, "\n[bus]\nbandwidth = \"{:.6g}GB/s\"  # {}\nlatency = \"{:.6g}us\"",
       machine.bus_bytes_per_s / 1e9,
       machine.output_places > 0 ? "both directions at once" : "all processors at once",
       machine.latency_s * 1e6);
  if (machine.processors.size() > 1) {
    line(to, "{}",
         machine.sharing == BusSharing::fifo
             ? "sharing = \"fifo\"  # a copy waits for another processor's"
             : "sharing = \"fair\"  # copies of several processors go side by side");
  }
  if (machine.loads_ahead > 0) {
    line(to, "loads_ahead = {}  # copies that this backend queues beyond the one on its way",
         machine.loads_ahead);
  }
  if (machine.output_places > 0) {
    line(to,
         "writeback = \"{}outputs\"  # results on their way to host memory, beside the data items",
         machine.output_places);
  }
  if (!fitted) return;
  line(to,
       "overhead = \"{:.6g}us\"  # of each task, beside its flops\n"
       "interference = {:.4g}  # of a copy's own time, taken from the task beside it\n"
       "jitter = \"off\"  # as while it was fitted",
       machine.overhead_s * 1e6, machine.interference);
}

}  // namespace

MachineModel measured_machine(const Calibration& measured, MachineModel others) {
  others.bus_bytes_per_s =  // one for all, in both directions where results take time
      measured.output_places > 0 ? measured.both_ways_bytes_per_s : measured.bus_bytes_per_s;
  others.output_places = measured.output_places;
  others.bus_rates.clear();
  others.latency_s = measured.latency_s;
  others.sharing = measured.sharing;
  others.loads_ahead = measured.loads_ahead;
  others.preset_rates = false;
  others.preset_precision.reset();
  for (std::size_t p = 0; p < others.processors.size(); ++p) {
    others.processors[p].flops_per_s = measured.task_flops / measured.task_s[p];
    others.processors[p].bus = 0;
    others.processors[p].link_bytes_per_s = measured.link_bytes_per_s[p];
  }
  return others;
}

std::string calibration_file(const CalibrationFile& what) {
  const MachineModel machine =
      what.fitted ? what.fitted->fit.machine
                  : measured_machine(
                        what.measured,
                        {.processors = std::vector<ProcessorModel>(what.measured.task_s.size())});
  Lines text;
  write_head(text, what);
  write_bus(text, machine, what.fitted.has_value());
  for (std::size_t p = 0; p < machine.processors.size(); ++p) {
    const ProcessorModel& gpu = machine.processors[p];
    line(text,
         "\n[[gpus]]  # processor {}, {}; alone {:.6g} GFlop/s\n"
         "gflops = {:.6g}\nmemory = \"{}\"\nlink = \"{:.6g}GB/s\"",
         p, what.device.parts.at(p), what.measured.task_flops / what.measured.task_alone_s[p] / 1e9,
         gpu.flops_per_s / 1e9, what.memory, gpu.link_bytes_per_s / 1e9);
  }
  return to_string(text);
}

MachineLoad MachineLoad::now() {
  double running = 0;
  if (getloadavg(&running, 1) != 1) running = 0;
  return {running, std::thread::hardware_concurrency()};
}

std::string calibration_warning(const FittedCalibration& fitted, const MachineLoad& before) {
  constexpr double poor = 0.2;  // as a run agrees in time (Agreement::time_tolerance)
  const double off = fitted.has_held_out() ? fitted.worst_held_out() : typical_error(fitted, false);
  if (off <= poor) return "";
  const std::string busy = before.is_busy()
                               ? fmt::format("the machine was busy (load {:.1f} on {} cores); ",
                                             before.running, before.cores)
                               : "";
  return fmt::format(
      "warning: the file is poor: simulated makespans are off by {:.0f} %; {}calibrate again while nothing else runs{}",
      as_percent(off), busy, before.is_busy() ? "" : ", or with more --repeats");
}

std::string calibration_summary(const FittedCalibration& fitted) {
  if (!fitted.has_held_out()) {
    return fmt::format("makespans of the runs it was fitted to are off by {:.1f} % (rms)",
                       as_percent(typical_error(fitted, false)));
  }
  return fmt::format(
      "makespans that it was not fitted to are simulated within {:.1f} % ({:.1f} % rms), where they are themselves known to {:.1f} % (sd of {} runs)",
      as_percent(fitted.worst_held_out()), as_percent(typical_error(fitted, true)),
      as_percent(typical_noise(fitted)), fitted.runs.front().executed_s.size());
}

}  // namespace damocles
