#include "experiments/explain/traced_request.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/results/stated_digest.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"

namespace damocles {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_trace_bytes = 2'000'000'000;

/// The file without its events, and without what nests deeper than a trace does; nothing where it
/// has no events.
std::optional<Json> head_of_trace(const std::string& text) {
  constexpr int deepest = 5;  // {otherData: {runs: [{processor_names: [word
  bool has_events = false;
  const auto without_events = [&](int depth, Json::parse_event_t event, const Json& value) {
    const bool events = depth == 1 && event == Json::parse_event_t::key && value == "traceEvents";
    has_events = has_events || events;
    return !events && depth <= deepest;
  };
  Json head = Json::parse(text, without_events, false);
  if (!has_events || head.is_discarded()) return std::nullopt;
  return head;
}

}  // namespace

std::optional<TracedRequest> traced_request(const std::string& file) {
  const std::string text = read_file(
      file,
      {.what = "trace", .right = "write one with --trace x.json", .most_bytes = most_trace_bytes});
  // Before parsing: a recording has no such word, and may be as large.
  if (text.find("\"traceEvents\"") == std::string::npos) return std::nullopt;
  const auto head = head_of_trace(text);
  if (!head) return std::nullopt;
  check_digest(fmt::format("trace '{}'", file), text);
  const auto refuse = [&](const std::string& why) {
    throw InvalidInput(fmt::format("trace '{}' {}", file, why));
  };
  TracedRequest request;
  try {
    for (const Json& run : head->at("otherData").at("runs")) {
      const auto workload = run.at("workload").get<std::string>();
      const auto platform = run.at("platform").get<std::string>();
      const auto seed = run.at("seed").get<std::uint64_t>();
      if (run.at("source") != "simulated" || run.at("replicate") != 0) {
        refuse(
            "is of a run that cannot be simulated again; record the run and explain that: "
            "--record run.json, then `damocles explain run.json`");
      }
      const bool first = request.runs.empty();
      if (first) {
        request.workload = workload;
        request.platform = platform;
        request.seed = seed;
      }
      if (workload != request.workload || platform != request.platform || seed != request.seed) {
        refuse("has runs of several workloads, platforms or seeds; explain a trace of one");
      }
      request.runs.push_back({run.at("strategy").get<std::string>(), run.at("loads").get<double>(),
                              run.at("makespan_s").get<double>()});
    }
  } catch (const Json::exception&) {
    refuse("does not say what its runs were; give one that Damocles wrote (--trace x.json)");
  }
  if (request.runs.empty()) refuse("has no run");
  return request;
}

void check_traced_answer(const std::string& file, const TracedAnswer& traced, double loads,
                         double makespan_s) {
  constexpr double rounding = 1e-9;
  const bool same = loads == traced.loads &&
                    std::abs(makespan_s - traced.makespan_s) <= rounding * traced.makespan_s;
  if (same) return;
  throw InvalidInput(fmt::format(
      "trace '{}' cannot be explained: simulated again, {} makes {:.6g} loads in {:.6g} s, and the trace has {:.6g} in {:.6g} s; write the trace again with this version and the same files",
      file, traced.strategy, loads, makespan_s, traced.loads, traced.makespan_s));
}

}  // namespace damocles
