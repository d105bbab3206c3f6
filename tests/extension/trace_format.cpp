#include <fmt/format.h>

#include "experiments/traces/trace_files.hpp"

namespace damocles {
namespace {

/// A line an event of the first run: its time [s], the processor, the task or data.
std::string event_lines(const std::vector<TracedRun>& runs) {
  std::string text;
  for (const RunEvent& event : runs.front().events) {
    text += fmt::format("{:.9f} {} {}\n", event.time_s, raw(event.processor), event.id);
  }
  return text;
}

const Register events_format{
    TraceFormat{.name = ".events", .place = 100, .title = "lines", .text = event_lines}};

}  // namespace
}  // namespace damocles
