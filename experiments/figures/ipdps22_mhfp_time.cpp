#include <fmt/format.h>

#include <chrono>

#include "experiments/figures/curve_checks.hpp"
#include "experiments/figures/tiled_instances.hpp"
#include "experiments/measured/measured.hpp"
#include "models/platforms/scenario.hpp"
#include "sim/simulate.hpp"

namespace damocles::ipdps22_mhfp_time {
namespace {

/// Wall time of one simulated run [s], packing and engine.
double wall_seconds(std::size_t n, std::uint64_t seed) {
  const Workload made = Workload::parse(fmt::format("gemm2d:n={}", n));
  const auto chosen = StrategyChoice::parse(mhfp, made);
  const Platform drawn = Scenario::parse(ipdps22_gpus(1)).draw(seed, 0);
  const auto start = std::chrono::steady_clock::now();
  (void)simulate(made, drawn, chosen, seed, 0);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

/// The packing times of the authors' mHFP, which were taken for small sizes only.
std::string measured_packing() {
  std::vector<std::string> times;
  for (const Measurement* row : measured_curve("ipdps22.fig3-4", "MHFP")) {
    if (row->partition_or_packing_s)
      times.push_back(fmt::format("{} s (n={})", *row->partition_or_packing_s, row->n));
  }
  return list(times);
}

/// Throughput of mHFP, its packing timed, over DMDAR's at the largest size that was measured.
std::string measured_overhead() {
  const auto timed = measured_curve("ipdps22.fig3-4", "MHFP");
  if (timed.empty()) return "";
  const Measurement& last = *timed.back();
  for (const Measurement* dmdar : measured_curve("ipdps22.fig3-4", "DMDAR")) {
    if (dmdar->n != last.n) continue;
    return fmt::format("{:+.1f} % against DMDAR (n={})", 100 * (last.gflops / dmdar->gflops - 1),
                       last.n);
  }
  return "";
}

Answers judge(const std::vector<Record>&, std::uint64_t seed) {
  const std::string theirs = "it speaks of the authors' implementation";
  const std::string asked = "packing, timed";
  const auto ours = [&](std::size_t n) {
    return fmt::format("our packing and run take {:.3f} s (n={})", wall_seconds(n, seed), n);
  };
  return {{{Verdict::untestable, theirs, asked, measured_packing(), ours(45)},
           {Verdict::untestable, theirs, asked, measured_packing(), ours(70)},
           {Verdict::untestable, theirs, "mHFP with its packing below DMDAR", measured_overhead(),
            "our packing costs nothing that could be seen"}}};
}

const Register entries{Claim{
    "ipdps22.mhfp-time",
    "mHFP schedules 1300 MB in 1 min and 2000 MB in more than 8 min, which overcomes its benefits",
    "gemm2d:n=45 (1266 MiB) and n=70 (1969 MiB), 1 GPU; wall time of our own implementation",
    {{"mHFP's scheduling time is very long: 1 minute for a 1300 MB working set", "V-B c"},
     {"for a working set of 2000 MB it takes more than 8 minutes", "V-C b"},
     {"the overhead induced by the scheduling time overcomes its benefits", "V-B c"}},
    [](std::uint64_t) { return std::vector<Experiment>(); },
    judge}};

}  // namespace
}  // namespace damocles::ipdps22_mhfp_time
