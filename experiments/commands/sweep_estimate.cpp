#include "experiments/commands/sweep_estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <set>
#include <string_view>

#include "experiments/progress.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"
#include "sim/run_share.hpp"

namespace damocles {
namespace {

using EstimateClock = std::chrono::steady_clock;

double seconds_since(EstimateClock::time_point start) {
  return std::chrono::duration<double>(EstimateClock::now() - start).count();
}

/// Ends a row that is only tried.
struct TrialEnds : std::exception {};

/// Makes the row for at most so long.
void try_row(const Job& job, double at_most_s, RowTimes& times) {
  const auto start = EstimateClock::now();
  double share = 0;
  const StopCheck check = [&] {
    if (const RunShare* const run = RunShare::of_this_thread()) share = run->value();
    if (seconds_since(start) > at_most_s) throw TrialEnds();
  };
  try {
    (void)run_jobs({job}, 1, {}, {}, check);
    share = 1;
  } catch (const TrialEnds&) {
    constexpr double least = 1e-3;  // of the tasks, so that nothing is divided by zero
    share = std::max(share, least);
  } catch (const InvalidInput&) {
    return;  // the sweep says so
  }
  times.made(job.method, job.tasks * share, seconds_since(start));
}

/// A line of /proc/self/status, in bytes.
std::optional<std::uint64_t> process_bytes(std::string_view name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return 1024 * std::stoull(line.substr(name.size()));
  }
  return std::nullopt;
}

/// The greatest memory of this process from now on; false where the system does not tell.
bool forget_peak_memory() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

/// The jobs that work, by their tasks.
std::vector<const Job*> jobs_by_tasks(const std::vector<Job>& jobs) {
  std::vector<const Job*> result;
  for (const Job& job : jobs) {
    if (job.tasks > 0) result.push_back(&job);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Job* a, const Job* b) { return a->tasks < b->tasks; });
  return result;
}

}  // namespace

double expected_duration_s(const std::vector<Job>& jobs, const RowTimes& times,
                           std::uint64_t threads) {
  double sum = 0;
  double longest = 0;
  for (const Job& job : jobs) {
    const double seconds = job.tasks > 0 ? job.tasks * times.a_task_s(job.method) : 0;
    sum += seconds;
    longest = std::max(longest, seconds);
  }
  return std::max(longest, sum / static_cast<double>(std::max<std::uint64_t>(threads, 1)));
}

RowTrial try_rows(const std::vector<Job>& jobs, RowTimes& times) {
  constexpr double largest_row_s = 2;
  constexpr double other_row_s = 0.5;
  constexpr double other_rows_s = 3;
  RowTrial trial;
  const auto sorted = jobs_by_tasks(jobs);
  if (sorted.empty()) return trial;
  const bool told = forget_peak_memory();
  const auto before = process_bytes("VmRSS:");
  try_row(*sorted.back(), largest_row_s, times);
  trial.rows = 1;
  if (const auto peak = process_bytes("VmHWM:"); told && before && peak) {
    trial.row_bytes = *peak - std::min(*peak, *before);
  }
  const auto start = EstimateClock::now();
  for (const Job* const job : sorted) {
    if (times.knows(job->method)) continue;
    if (seconds_since(start) > other_rows_s) break;
    try_row(*job, other_row_s, times);
    ++trial.rows;
  }
  return trial;
}

std::string estimate_of(const std::vector<Job>& jobs, RowTimes known, const std::string& store,
                        std::uint64_t threads) {
  constexpr std::uint64_t bytes_of_record = 1000;
  std::vector<std::string> sources;
  const bool any_known = std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) {
    return job.tasks > 0 && known.knows(job.method);
  });
  if (any_known) sources.push_back(fmt::format("times in '{}'", store));
  const RowTrial trial = try_rows(jobs, known);
  sources.push_back(fmt::format("{} that {} tried", counted(trial.rows, "row"),
                                trial.rows == 1 ? "was" : "were"));
  std::string memory;
  if (const auto now = process_bytes("VmRSS:"); trial.row_bytes && now) {
    memory = fmt::format(" and {} of memory", size_text(*now + threads * *trial.row_bytes +
                                                        jobs.size() * bytes_of_record));
  }
  return fmt::format("{} to run {} about {} on {}{}, estimated from {}",
                     counted(jobs.size(), "row"), jobs.size() == 1 ? "takes" : "take",
                     duration_text(expected_duration_s(jobs, known, threads)),
                     counted(threads, "thread"), memory, fmt::join(sources, " and "));
}

}  // namespace damocles
