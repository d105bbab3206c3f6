#include "experiments/execution/run_summary.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "experiments/message.hpp"
#include "experiments/results/formats.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/traces/timeline.hpp"

namespace damocles {
namespace {

double total(const std::vector<std::uint64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
}

/// The numbers of one run that its record has no column for.
struct Details {
  std::optional<double> peak_share;
  double written_bytes = 0;
  double summed_bytes = 0;
  std::optional<double> overlap;
  double scheduling_share = 0;
  double home_s = 0;            ///< from the last task to the last result
  std::optional<double> error;  ///< largest, over its tolerance
};

Details details(const Executed& run, double peak_flops_per_s) {
  const Execution& execution = run.execution;
  const double makespan = execution.trace.makespan_s;
  Details result;
  if (run.record.gflops && peak_flops_per_s > 0) {
    result.peak_share = *run.record.gflops * 1e9 / peak_flops_per_s;
  }
  result.written_bytes = total(execution.trace.bytes_written);
  result.summed_bytes = static_cast<double>(execution.bytes_summed);
  if (!execution.events.empty()) {
    result.overlap =
        summarise_run(timeline(execution.events, execution.trace.loads.size(), makespan)).overlap;
  }
  result.scheduling_share = makespan > 0 ? execution.trace.scheduling_s / makespan : 0;
  result.home_s = std::max(0.0, execution.total_s - makespan);
  const Verification& verified = run.verification;
  if (verified.check != Check::none && std::isfinite(verified.worst)) result.error = verified.worst;
  return result;
}

using NumberOf = std::function<std::optional<double>(const Executed&, const Details&)>;

/// The mean over the runs of a strategy, or nothing where one has no value.
std::optional<double> mean_of_runs(const std::vector<const Executed*>& runs,
                                   const std::vector<Details>& all, const NumberOf& value) {
  double sum = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto one = value(*runs[i], all[i]);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / static_cast<double>(runs.size());
}

std::optional<double> in_percent(const std::optional<double>& share) {
  return share ? std::optional(100 * *share) : std::nullopt;
}

std::optional<double> largest_error(const std::vector<Details>& all) {
  std::optional<double> largest;
  for (const Details& one : all) largest = std::max(largest, one.error);  // nothing is the least
  return largest;
}

/// Of a strategy's runs, in the order of `columns_of_details`.
std::vector<std::string> details_row(const std::vector<const Executed*>& runs, double peak) {
  std::vector<Details> all;
  for (const Executed* run : runs) all.push_back(details(*run, peak));
  const auto of = [&](const char* format, const NumberOf& value) {
    return number_cell(mean_of_runs(runs, all, value), format);
  };
  return {of("{:.1f} %", [](const auto&, const auto& d) { return in_percent(d.peak_share); }),
          of("{:.6g}", [](const auto& run, const auto&) { return *run.record.bytes_loaded / 1e6; }),
          of("{:.6g}", [](const auto&, const auto& d) { return d.written_bytes / 1e6; }),
          of("{:.6g}", [](const auto&, const auto& d) { return d.summed_bytes / 1e6; }),
          of("{:.1f} %", [](const auto&, const auto& d) { return in_percent(d.overlap); }),
          of("{:.2f} %", [](const auto&, const auto& d) { return in_percent(d.scheduling_share); }),
          of("{:.3g}", [](const auto&, const auto& d) { return 1e3 * d.home_s; }),
          number_cell(largest_error(all), "{:.2g}")};
}

constexpr std::array<const char*, 8> columns_of_details{
    "of peak", "MB loaded", "MB written", "MB summed", "overlap", "scheduling", "home_ms", "error"};

/// The device says the one, a share of the makespan the other.
void drop_told_otherwise(std::vector<std::vector<std::string>>& cells) {
  for (const char* const name : {"model", "scheduling_s"}) {
    const auto at = std::find(cells[0].begin(), cells[0].end(), name) - cells[0].begin();
    if (at == std::ssize(cells[0])) continue;
    for (auto& row : cells) row.erase(row.begin() + at);
  }
}

/// "darts, replicate 0: 0.52 s, 12.3 MB loaded; right: ...".
std::string told(const Executed& run) {
  return fmt::format("{}, replicate {}: {:.4g} s, {:.6g} MB loaded; {}", run.record.strategy,
                     run.record.replicate.value_or(0), run.record.makespan_s.value_or(0),
                     run.record.bytes_loaded.value_or(0) / 1e6, run.verification.text);
}

}  // namespace

std::function<void(const Executed&)> runs_told(bool quiet, const std::string& output) {
  if (quiet || is_standard_output(output) || is_terminal(STDERR_FILENO)) return {};
  return [](const Executed& run) { print_diagnostic(told(run)); };
}

void add_details(ResultTable& table, const std::vector<Executed>& runs, double peak_flops_per_s) {
  drop_told_otherwise(table.cells);
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    auto& row = table.cells[r];
    if (r == 0) {
      row.insert(row.end(), columns_of_details.begin(), columns_of_details.end());
      continue;
    }
    const std::string name = row[0].substr(0, row[0].find(" (+"));  // without those folded into it
    std::vector<const Executed*> own;
    for (const Executed& run : runs) {
      if (run.record.strategy == name) own.push_back(&run);
    }
    const auto more = own.empty() ? std::vector<std::string>(columns_of_details.size())
                                  : details_row(own, peak_flops_per_s);
    row.insert(row.end(), more.begin(), more.end());
  }
  drop_blank_columns(table.cells);
}

std::string details_table(const std::vector<Executed>& runs, double peak_flops_per_s,
                          const TableStyle& style) {
  ResultTable table;
  table.cells.push_back({"strategy", "makespan_s", "GFlop/s"});
  for (const Executed& run : runs) {
    const auto known = [&](const auto& row) { return row[0] == run.record.strategy; };
    if (std::any_of(table.cells.begin(), table.cells.end(), known)) continue;
    std::vector<const Executed*> same;
    for (const Executed& other : runs) {
      if (other.record.strategy == run.record.strategy) same.push_back(&other);
    }
    const std::vector<Details> none(same.size());
    const auto mean = [&](std::optional<double> Record::*column) {
      return number_cell(
          mean_of_runs(same, none, [&](const auto& of, const auto&) { return of.record.*column; }),
          "{:.4g}");
    };
    table.cells.push_back({run.record.strategy, mean(&Record::makespan_s), mean(&Record::gflops)});
  }
  add_details(table, runs, peak_flops_per_s);
  return aligned(table.cells, style);
}

std::string run_summary(const std::vector<Executed>& runs, const DeviceDescription& device,
                        double peak_flops_per_s) {
  double latest_s = 0;
  for (const Executed& run : runs) latest_s = std::max(latest_s, run.execution.latest_s);
  std::string text;
  text += fmt::format("device: {} ({}), {}\n", device.name, device.backend, device.driver);
  if (peak_flops_per_s > 0) {
    text += fmt::format("peak: {:.4g} GFlop/s, this kernel on all processors at once, measured\n",
                        peak_flops_per_s / 1e9);
  }
  if (latest_s > 0)
    text += fmt::format("paced: threads woke up at most {:.3g} ms late\n", 1e3 * latest_s);
  const auto last = std::find_if(runs.rbegin(), runs.rend(), [](const Executed& run) {
    return !run.verification.text.empty();
  });
  if (last != runs.rend()) text += fmt::format("result: {}\n", last->verification.text);
  return text;
}

nlohmann::ordered_json run_details(const std::vector<Executed>& runs,
                                   const DeviceDescription& device, double peak_flops_per_s) {
  using Json = nlohmann::ordered_json;
  Json all{{"device",
            {{"backend", device.backend},
             {"name", device.name},
             {"driver", device.driver},
             {"processors", device.parts},
             {"date", today()}}},
           {"peak_gflops", peak_flops_per_s > 0 ? Json(peak_flops_per_s / 1e9) : Json(nullptr)},
           {"runs", Json::array()}};
  for (const Executed& run : runs) {
    const Details of = details(run, peak_flops_per_s);
    all["runs"].push_back({{"strategy", run.record.strategy},
                           {"replicate", *run.record.replicate},
                           {"status", status_text(run.record.status)},
                           {"failure", run.execution.failure},
                           {"verification", run.verification.text},
                           {"worst_error_over_tolerance", json_number(of.error)},
                           {"total_s", run.execution.total_s},
                           {"peak_share", json_number(of.peak_share)},
                           {"bytes_written", of.written_bytes},
                           {"bytes_summed", of.summed_bytes},
                           {"memory_peak_bytes", run.execution.peak_bytes},
                           {"overlap", json_number(of.overlap)},
                           {"scheduling_share", of.scheduling_share},
                           {"latest_s", run.execution.latest_s}});
  }
  return all;
}

}  // namespace damocles
