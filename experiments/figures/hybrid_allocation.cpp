#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/figures/judging.hpp"

namespace damocles::hybrid_allocation {
namespace {

const std::vector<std::string> errors{"0", "0.05", "0.2", "0.5"};

std::string hybrid(const std::string& error) { return "hybrid:error=" + error; }
/// The same zones, each computed by its processor alone.
std::string fixed(const std::string& error) { return hybrid(error) + ",share=1"; }

/// Loads over the bound, and time over that of `random`, which never waits: mean, and the latest.
class Allocations {
 public:
  explicit Allocations(const std::vector<Record>& records) {
    std::map<std::uint64_t, double> ideal;
    for (const auto& row : records) {
      if (row.strategy == "random") ideal[row.replicate.value_or(0)] = row.makespan_s.value_or(0);
    }
    for (const auto& row : records) {
      loads_[row.strategy].push_back(row.volume_ratio.value_or(0));
      times_[row.strategy].push_back(row.makespan_s.value_or(0) /
                                     ideal.at(row.replicate.value_or(0)));
    }
  }

  [[nodiscard]] double loads(const std::string& strategy) const {
    return sample(loads_.at(strategy)).mean;
  }
  [[nodiscard]] Sample time(const std::string& strategy) const {
    return sample(times_.at(strategy));
  }

 private:
  std::map<std::string, std::vector<double>> loads_;
  std::map<std::string, std::vector<double>> times_;
};

using AllocationTest = Test<Allocations>;

Answer late_where_wrong(const Allocations& runs) {
  std::vector<std::string> ours;
  bool holds = true;
  for (const auto* const error : {"0.05", "0.2", "0.5"}) {
    const Sample late = runs.time(fixed(error));
    holds = holds && late.mean >= 1.05 && late.sd >= 10 * runs.time(hybrid(error)).sd;
    ours.push_back(
        fmt::format("{} (sd {}) later at {}", percent(late.mean - 1), percent(late.sd), error));
  }
  return holds_or_not(holds,
                      "static zones by speeds wrong by up to 5, 20 and 50 % end at least 5 % later "
                      "than random, which never waits, and spread ten times as far as the hybrid",
                      list(ours));
}

Answer hybrid_gains(const Allocations& runs) {
  std::vector<std::string> failing;
  std::vector<std::string> ours;
  Extremes late;
  const double dynamic = runs.loads("dynamic-2phases");
  for (const auto& error : errors) {
    const double loads = runs.loads(hybrid(error));
    const double time = runs.time(hybrid(error)).mean;
    late.see(time - 1, error);
    if (loads > 0.9 * dynamic || time > 1.01) failing.push_back(error);
    ours.push_back(fmt::format("{:.3f}", loads));
  }
  return holds_but(failing.size(), errors.size(), list(failing),
                   "with speeds wrong by up to 0, 5, 20 and 50 % the hybrid loads at least 10 % "
                   "less than dynamic-2phases and ends at most 1 % later than random",
                   fmt::format("{} times the bound, dynamic-2phases {:.3f}; at most {:.2f} % later",
                               list(ours), dynamic, 100 * late.max));
}

std::vector<AllocationTest> tests() {
  return {
      {{"static decisions lead to large and unpredictable makespans whenever the platform does not match the predictions",
        "abstract"},
       late_where_wrong},
      {{"possible benefits of introducing more static knowledge and allocation decisions",
        "abstract"},
       hybrid_gains}};
}

Claim claim(const std::string& name, const std::string& workload, const std::string& setting) {
  return {
      .name = name,
      .statement =
          "Beaumont, Eyraud-Dubois, Guermouche, Lambert, SBAC-PAD 2015: static, dynamic and hybrid strategies",
      .setting = setting + ", 20 processors of speeds in [10, 100], 20 runs",
      .sentences = sentences_of(tests()),
      .experiments = [workload](std::uint64_t seed) -> std::vector<Experiment> {
        std::vector<std::string> strategies{"random", "dynamic-2phases"};
        for (const auto& error : errors) {
          strategies.push_back(hybrid(error));
          strategies.push_back(fixed(error));
        }
        return {{.workload = Workload::parse(workload),
                 .scenario = Scenario::parse("uniform:p=20,lo=10,hi=100"),
                 .strategies = strategies,
                 .replicates = 20,
                 .seed = seed}};
      },
      .judge = [](const std::vector<Record>& records, std::uint64_t) -> Answers {
        return {answers_to(tests(), Allocations(records))};
      }};
}

const Register entries{
    claim("partitions.hybrid-outer", "outer:n=100", "outer product of 100 x 100 blocks"),
    claim("partitions.hybrid-matrix", "matrix:n=40", "matrix product of 40 x 40 x 40 blocks")};

}  // namespace
}  // namespace damocles::hybrid_allocation
