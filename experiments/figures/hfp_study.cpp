#include "experiments/figures/hfp_study.hpp"

#include <fmt/format.h>

#include <map>

#include "experiments/measured/measured.hpp"

namespace damocles {
namespace {

constexpr const char* study = "2022-01 HFP study";
constexpr const char* hfp = "HFP(Ready+flip+Belady) (no sched. time)";
constexpr std::uint64_t memory_mib = 500;

/// GFlop/s by n.
std::map<std::uint64_t, double> curve(const std::string& application, const std::string& strategy,
                                      std::uint64_t last) {
  std::map<std::uint64_t, double> points;
  for (const auto& row : measurements()) {
    if (row.run == study && row.application == application && row.strategy == strategy &&
        row.memory_mib == memory_mib && row.n <= last) {
      points[row.n] = row.gflops;
    }
  }
  return points;
}

}  // namespace

std::vector<std::string> hfp_study_gains(const std::string& application, std::uint64_t last) {
  const auto ours = curve(application, hfp, last);
  std::vector<std::string> lines;
  for (const char* other :
       {"EAGER", "MST", "RCM", "DMDAR", "HFP(flip)", "HFP(Ready)", "HFP(Belady)"}) {
    double of_hfp = 0;
    double of_other = 0;
    for (const auto& [n, gflops] : curve(application, other, last)) {
      if (!ours.contains(n)) continue;
      of_hfp += ours.at(n);
      of_other += gflops;
    }
    if (of_other == 0) continue;
    lines.push_back(fmt::format("{} {:+.1f} %", other, 100 * (of_hfp / of_other - 1)));
  }
  return {fmt::format(
      "measured by the authors in January 2022 on one V100 with the whole bus, n <= {}: HFP (Ready, flip, Belady) over {}",
      last, fmt::join(lines, ", "))};
}

std::vector<std::string> hfp_study_in_memory(std::uint64_t n) {
  std::map<std::uint64_t, std::map<std::string, double>> gflops;  // by memory [MiB]
  for (const auto& row : measurements()) {
    if (row.run == study && row.application == "2D" && row.n == n && row.memory_mib) {
      gflops[*row.memory_mib][row.strategy] = row.gflops;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [memory, of] : gflops) {
    if (memory > 200) continue;  // above, all are alike
    lines.push_back(fmt::format("{} MiB: {:.0f}, {:.0f}, {:.0f}", memory, of.at("HFP(Ready)"),
                                of.at("HFP(flip)"), of.at("HFP(Belady)")));
  }
  return {
      fmt::format("measured by the authors in January 2022 on one V100 with the whole bus, "
                  "GFlop/s of HFP with Ready, flip, Belady alone: {}",
                  fmt::join(lines, "; "))};
}

}  // namespace damocles
