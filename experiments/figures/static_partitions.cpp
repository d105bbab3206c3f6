#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/figures/judging.hpp"

namespace damocles::static_partitions {
namespace {

// Speeds that differ little, much, and as those of CPUs and GPUs do; one or two strategies of the
// papers on each.
const std::vector<std::string> alike{"speeds:1.5,1", "speeds:2,1", "speeds:2.5,1"};
const std::vector<std::string> apart{"speeds:3.5,1", "speeds:5,1", "speeds:10,1", "speeds:100,1"};
const std::vector<std::string> few{"speeds:100,10,1", "speeds:30,1,1,1", "speeds:20,20,1,1"};
const std::vector<std::string> nodes{"speeds:40,1,1,1,1,1,1,1,1,1,1",
                                     "speeds:40,40,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
                                     "speeds:30,30,30,30,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"};
const std::vector<std::string> many{"homogeneous:p=7", "homogeneous:p=37",
                                    "uniform:p=5,lo=1,hi=1000", "uniform:p=20,lo=10,hi=100"};

const std::string columns = "static-columns";
const std::string nrrp = "static-nrrp";

std::vector<std::string> everywhere() {
  std::vector<std::string> all;
  for (const auto* const some : {&alike, &apart, &few, &nodes, &many}) {
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

std::vector<Experiment> both_partitions(std::uint64_t seed) {
  std::vector<Experiment> experiments;
  for (const auto& platform : everywhere()) {
    experiments.push_back({.workload = Workload::outer(1000, 1000),
                           .scenario = Scenario::parse(platform),
                           .strategies = {columns, nrrp},
                           .replicates = 5,
                           .seed = seed});
  }
  return experiments;
}

double mean(const Volumes& volumes, const std::string& strategy, const std::string& platform) {
  return sample(volumes.simulated(strategy, platform)).mean;
}

/// Loads over the bound at most `most`, run by run.
Answer stays_below(const Volumes& volumes, const std::string& strategy,
                   const std::vector<std::string>& platforms, double most) {
  Extremes seen;
  for (const auto& platform : platforms) {
    for (const double ratio : volumes.simulated(strategy, platform)) seen.see(ratio, platform);
  }
  return holds_or_not(
      seen.max <= most,
      fmt::format("{} loads at most {:.4f} times the bound on {} platforms", strategy, most,
                  platforms.size()),
      fmt::format("{:.4f} to {:.4f}, the most on {}", seen.min, seen.max, seen.at_max));
}

Answer judge_columns(const Volumes& volumes) {
  return stays_below(volumes, columns, everywhere(), 1.75);
}

/// By half of a hundredth at least; a corner of whole blocks is that exact on a grid of 1000.
Answer fewer_where_apart(const Volumes& volumes) {
  std::vector<std::string> failing;
  auto platforms = apart;
  platforms.insert(platforms.end(), few.begin(), few.begin() + 2);
  Extremes gain;
  for (const auto& platform : platforms) {
    const double less = 1 - mean(volumes, nrrp, platform) / mean(volumes, columns, platform);
    gain.see(less, platform);
    if (less < 0.005) failing.push_back(platform);
  }
  return holds_but(failing.size(), platforms.size(), list(failing),
                   "static-nrrp loads at least 0.5 % less than static-columns on 2 to 4 processors "
                   "of which one is at least 3.5 times as fast as the others",
                   fmt::format("{} ({}) to {} ({}) less", percent(gain.min), gain.at_min,
                               percent(gain.max), gain.at_max));
}

/// A straight cut and the corner cost the same at 3 : 1.
Answer corner_from_three_on(const Volumes& volumes) {
  std::vector<std::string> failing;
  for (const auto& platform : alike) {
    if (std::abs(mean(volumes, nrrp, platform) / mean(volumes, columns, platform) - 1) > 0.001) {
      failing.push_back(platform);
    }
  }
  for (const auto& platform : apart) {
    if (mean(volumes, nrrp, platform) >= mean(volumes, columns, platform)) {
      failing.push_back(platform);
    }
  }
  return holds_but(
      failing.size(), alike.size() + apart.size(), list(failing),
      "of two processors, up to 2.5 : 1 the recursive partition is the straight cut; from 3.5 : 1 on it loads less",
      fmt::format("at 10 : 1 {:.4f} and {:.4f} times the bound", mean(volumes, nrrp, "speeds:10,1"),
                  mean(volumes, columns, "speeds:10,1")));
}

Answer judge_nrrp(const Volumes& volumes) {
  return stays_below(volumes, nrrp, everywhere(), 2 / std::sqrt(3.0));
}

Answer efficient_on_nodes(const Volumes& volumes) {
  return stays_below(volumes, nrrp, nodes, 1 + accurate);
}

const std::string setting =
    "outer product of 1000 x 1000 blocks; 2 to 37 processors, alike, far apart, and as CPUs and GPUs are";

using PartitionTest = Test<Volumes>;

Claim claim(const std::string& name, const std::string& statement,
            const std::vector<PartitionTest>& tests) {
  return {.name = name,
          .statement = statement,
          .setting = setting,
          .sentences = sentences_of(tests),
          .experiments = both_partitions,
          .judge = [tests](const std::vector<Record>& records, std::uint64_t) -> Answers {
            return {answers_to(tests, Volumes(records))};
          }};
}

const Register entries{
    claim(
        "partitions.columns",
        "Beaumont, Boudet, Rastello, Robert, Algorithmica 34 (2002): a square into rectangles of given areas",
        {{{"a 7/4-approximation algorithm for the sum of the perimeters", "abstract"},
          judge_columns}}),
    claim(
        "partitions.nrrp",
        "Beaumont, Eyraud-Dubois, Lambert, IPDPS 2016: a square into zones of given areas, not all rectangles",
        {{{"a non-rectangular recursive partitioning whose approximation ratio is 2/sqrt(3)",
           "abstract"},
          judge_nrrp},
         {{"a special partitioning in the case of 2 or 3 strongly heterogeneous processors, "
           "relaxing the constraint of rectangles",
           "abstract"},
          fewer_where_apart},
         {{"the square corner is for two of which one is more than 3 times as fast",
           "Becker, Lastovetsky 2006"},
          corner_from_three_on},
         {{"very efficient partitionings on platforms built from CPUs and GPUs", "abstract",
           Weight::remark},
          efficient_on_nodes}})};

}  // namespace
}  // namespace damocles::static_partitions
