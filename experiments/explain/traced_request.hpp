// What a trace says it is of, so that its runs can be simulated again and explained.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace damocles {

/// One run of a trace.
struct TracedAnswer {
  std::string strategy;
  double loads = 0;
  double makespan_s = 0;
};

/// The request that a simulated trace answers: one workload, platform and seed.
struct TracedRequest {
  std::string workload;
  std::string platform;
  std::uint64_t seed = 1;
  std::vector<TracedAnswer> runs;
};

/// What the trace (`--trace x.json`) was asked for; nothing where the file is no such trace. Its
/// events are skipped: they leave out when a transfer was requested, which an explanation needs.
/// @throws InvalidInput where it cannot be read, its runs were executed, or they differ in more
/// than the strategy
[[nodiscard]] std::optional<TracedRequest> traced_request(const std::string& file);

/// @throws InvalidInput where the run, simulated again, has other loads or another makespan
void check_traced_answer(const std::string& file, const TracedAnswer& traced, double loads,
                         double makespan_s);

}  // namespace damocles
