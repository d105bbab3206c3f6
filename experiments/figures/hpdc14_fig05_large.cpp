#include <fmt/format.h>

#include "experiments/figures/volume_vs_processors.hpp"

namespace damocles {
namespace {

const VolumeFigure figure{
    .id = "hpdc14.fig5",
    .statement = "as figure 4, and the gap to random and sorted is much larger than for n=100",
    .workload = "outer:n=1000",
    .models = {"paper", "refined"},
};
/// What the gap is compared with: figure 4's runs, made again for the judging.
const VolumeFigure smaller{
    .id = "", .statement = "", .workload = "outer:n=100", .models = {}, .analysed_from = 1};
/// "Much larger": by this factor at the largest p.
constexpr double much = 2;

double gap(const Volumes& volumes, std::size_t p) {
  const auto mean = [&](const char* name) {
    return sample(volumes.simulated(name, figure_platform(p))).mean;
  };
  return std::min(mean("random"), mean("sorted")) / mean("dynamic-2phases");
}

Check gap_is_much_larger(const Volumes& volumes, std::uint64_t seed) {
  std::vector<Job> small;
  for (auto question : volume_questions(smaller, seed)) {
    question.models.clear();
    for (auto& job : jobs(question)) small.push_back(std::move(job));
  }
  const Volumes compared(run_jobs(small, 0));
  std::string not_larger;
  for (const auto p : figure_processors) {
    if (gap(volumes, p) > gap(compared, p)) continue;
    not_larger += fmt::format(", at p={} {:.2f} and {:.2f}", p, gap(volumes, p), gap(compared, p));
  }
  const auto last = figure_processors.back();
  const double here = gap(volumes, last);
  const double there = gap(compared, last);
  return {not_larger.empty() && here >= much * there,
          fmt::format("random and sorted load {:.2f} times what dynamic-2phases does at p={}, "
                      "{:.2f} times for n=100; {}{}",
                      here, last, there,
                      not_larger.empty() ? "more at every p" : "not more everywhere", not_larger)};
}

Finding judge(const std::vector<Record>& records, std::uint64_t seed) {
  const Volumes volumes(records);
  auto checks = volume_checks(figure, volumes);
  checks.push_back(gap_is_much_larger(volumes, seed));
  return judged(checks);
}

const RegisterClaims entries{
    {{figure.id, figure.statement, volume_setting(figure),
      [](std::uint64_t seed) { return volume_questions(figure, seed); }, judge}}};

}  // namespace
}  // namespace damocles
