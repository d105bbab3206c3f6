#include "experiments/measured/counterpart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/prediction/limited_predictions.hpp"
#include "models/spec.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Sizes of a platform whose memory has no limit: the 32 GiB that such a V100 has.
constexpr std::uint64_t v100_memory_mib = 32768;
/// From here on the authors' threshold is in force: tasks of a 2D product.
constexpr std::uint64_t threshold_tasks = 14400;
/// The same of a 3D product with 3inputs.
constexpr std::uint64_t threshold_tasks_3inputs = 1599;

constexpr const char* sent_home = "writeback=traffic,";
constexpr const char* kept = "";

struct Application {
  std::string name;
  std::string workload;  ///< {n}: blocks per side, {draw}: 1, 2, ... of what is drawn anew
  /// Of a GPU [GFlop/s]: what the authors' kernel takes, by number of GPUs 1, and above
  std::array<double, 2> gflops;
  /// What becomes of outputs. Where tasks accumulate in a tile, ours would send it home after each.
  std::string outputs;
  bool has_rate;
  std::string leaves_out;
};

// 2D: the peak that the authors print; the mean of their performance model, 545.7 us = 12970
// GFlop/s, is slower than what they measured (DARTS+LUF 13157). 3D: that model, 142.9 us on GPU 0
// and 165.5 us on GPU 1, 12380 GFlop/s, and 11535 as the mean of both.
const std::vector<Application>& counterparts_of_applications() {
  static const std::vector<Application> all{
      {"2D",
       "gemm2d:n={n}",
       {13253, 13253},
       sent_home,
       true,
       "output tiles lie in free memory only"},
      {"2D-random-order",
       "gemm2d:n={n},order=random,seed={draw}",
       {13253, 13253},
       sent_home,
       true,
       "other shuffles than theirs; output tiles lie in free memory only"},
      {"2D-random-tasks",
       "",
       {13253, 13253},
       sent_home,
       true,
       "no workload draws a row and a column for each task"},
      {"3D",
       "gemm3d:m={n},n={n},k=4,c=made,updates=reduce",
       {12380, 11535},
       kept,
       true,
       "GPUs make partial sums of a tile of C, as their tasks reduce into it; ours go home when "
       "their room is needed, and a load then waits for that"},
      {"cholesky-no-deps",
       "cholesky:n={n},deps=false",
       {12380, 11535},
       kept,
       false,
       "GFlop/s: one rate for all kinds of task here, while their POTRF takes 20.7 ms, TRSM 0.63 "
       "ms and GEMM 0.14 ms"},
      {"sparse",
       "sparse2d:n={n},density=0.02,seed={draw}",
       {13253, 13253},
       sent_home,
       true,
       "other draws than theirs; their GFlop/s count 2 % of all tasks, ours those drawn"},
      {"sparse-unlimited",
       "sparse2d:n={n},density=0.02,seed={draw}",
       {13253, 13253},
       sent_home,
       true,
       "as sparse"}};
  return all;
}

struct TheirStrategy {
  std::string name;
  std::string ours;
  std::string leaves_out;
  std::string application{};  ///< the one it is simulated so for; empty: those without such a row
};

const std::string own_clock = "their clock counts the partition or the packing, ours only the run";
const std::string ready_of_lists = "that Ready was on: their loads at n = 35 and 40 say so";
const std::string threshold_left_out =
    "2D: above 14400 tasks from the start; that of 2021-10 once 14400 tasks were handed out";

const std::vector<TheirStrategy>& strategies_of_theirs() {
  static const std::vector<TheirStrategy> all{
      {"EAGER", "eager", ""},
      {"DMDAR", "dmdar", ""},
      {"DARTS+LUF", "darts", ""},
      {"DARTS(LRU)", "darts:eviction=lru", ""},
      {"DARTS+LUF+threshold", "darts:threshold=110", threshold_left_out},
      {"DARTS(LRU)+threshold", "darts:threshold=110,eviction=lru", threshold_left_out},
      {"DARTS+LUF-3inputs", "darts:inputs=3", ""},
      {"DARTS+LUF+threshold-3inputs", "darts:inputs=3,threshold=200", "in force above 1599 tasks"},
      {"DARTS+LUF+OPTI", "darts:opti=true", ""},
      {"DARTS+LUF+OPTI-3inputs", "darts:inputs=3,opti=true", ""},
      {"MHFP (no sched. time)", "hfp:ready=10,eviction=lru", ""},
      {"HMETIS+R (no part. time)", "hypergraph:ready=10,cost=data",
       "clean splits and Zoltan's parts in place of hMETIS's"},
      {"HMETIS+R (no part. time)", "hypergraph:ready=10,parts=random",
       "2D-random-order: parts were read from a file, by the number of the task, so those made for row order fell on other tasks; drawn here",
       "2D-random-order"},
      {"HFP(flip)", "hfp:ready=false,eviction=lru,sorted=false", ""},
      {"HFP(Ready)", "hfp:flip=false,ready=10,eviction=lru,sorted=false", ""},
      {"HFP(Belady)", "hfp:flip=false,ready=false,sorted=false", ""},
      {"HFP(Ready+flip+Belady) (no sched. time)", "hfp:ready=10,sorted=false", ""},
      {"MST", "mst:buffer=ready", ready_of_lists},
      {"RCM", "rcm:buffer=ready", ready_of_lists},
      {"MHFP", "", own_clock},
      {"HMETIS+R", "", own_clock},
      {"HFP(Ready+flip+Belady)", "", own_clock},
      {"HFP(Ready+flip+Belady) (fast first iteration)", "", own_clock},
      {"DARTS+LUF+Ready", "darts:buffer=ready", ""},
      {"DARTS(LRU)+Ready", "darts:eviction=lru,buffer=ready", ""}};
  return all;
}

/// V100s on the bus that StarPU calibrated there: 10.8 GB/s to each GPU, one host link of 12.36
/// GB/s in front of two. Four load up to 22.5 GB/s together (EAGER, n = 300: 91200 loads in 60.7
/// s), so they sit behind two of them, in pairs. Their application says that it will not use
/// outputs again, which sends them home in the background; the sum of loads and outputs is what one
/// GPU's copies take where the bus is the limit. Home they travel faster than one shared 12.36 GB/s
/// would allow (13.6 GB/s at DARTS+LUF, n = 100). Between GPUs data travel over NVLink, one of 24.1
/// GB/s or two, as their calibration has it (docs/examples/v100_node.toml). 28 us a request on
/// demand is StarPU's (docs/explanation/peers.md), 45 ns a task looked at fits the measured time in
/// the scheduler, 30 us for its lock to be handed over DARTS+LUF's GFlop/s on four.
std::string platform(const Measurement& point, const Application& of) {
  const auto memory = point.memory_mib.value_or(v100_memory_mib);
  const std::string software = of.outputs + "streams=1,request=28us,decision=45ns,handover=30us";
  if (point.gpus == 1) {
    return fmt::format("gpus:k=1,memory={}MiB,bandwidth=10.8GB/s,gflops={:g},{}", memory,
                       of.gflops[0], software);
  }
  const std::string peers = point.gpus == 2   ? "24.1GB/s"
                            : point.gpus == 3 ? "24.1GB/s+1-2:47.8GB/s"
                                              : "24.1GB/s+0-3:47.8GB/s+1-2:47.8GB/s+2-3:47.8GB/s";
  return fmt::format(
      "gpus:k={},memory={}MiB,bandwidth=12.36GB/s,{}link=10.8GB/s,gflops={:g},{},duplex=true,peers={}",
      point.gpus, memory, point.gpus > 2 ? "buses=2," : "", of.gflops[1], software, peers);
}

/// The strategy without its threshold where the authors' was not yet in force.
std::string in_force(const Measurement& point, const TheirStrategy& strategy) {
  if (strategy.ours.find("threshold=") == std::string::npos) return strategy.ours;
  const std::uint64_t tasks = point.n * point.n * (point.application == "3D" ? 4 : 1);
  const bool three = strategy.ours.find("inputs=3") != std::string::npos;
  if (tasks > (three ? threshold_tasks_3inputs : threshold_tasks)) return strategy.ours;
  const std::string always = three                                 ? "DARTS+LUF-3inputs"
                             : strategy.name.starts_with("DARTS(") ? "DARTS(LRU)"
                                                                   : "DARTS+LUF";
  return std::find_if(strategies_of_theirs().begin(), strategies_of_theirs().end(),
                      [&](const TheirStrategy& row) { return row.name == always; })
      ->ours;
}

std::string filled(std::string form, const std::string& hole, std::uint64_t number) {
  for (auto at = form.find(hole); at != std::string::npos; at = form.find(hole)) {
    form.replace(at, hole.size(), std::to_string(number));
  }
  return form;
}

template <typename Row>
const Row* named(const std::vector<Row>& rows, const std::string& name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

/// The row of the point's strategy: that of its application, if there is one.
const TheirStrategy* strategy_at(const Measurement& point) {
  const TheirStrategy* usual = nullptr;
  for (const auto& row : strategies_of_theirs()) {
    if (row.name != point.strategy) continue;
    if (row.application == point.application) return &row;
    if (row.application.empty()) usual = &row;
  }
  return usual;
}

template <typename Row, typename Ours>
std::vector<MappingRow> mapping(const std::vector<Row>& rows, Ours ours) {
  std::vector<MappingRow> result;
  for (const auto& row : rows) result.push_back({row.name, ours(row), row.leaves_out});
  return result;
}

/// Why this build lacks what the strategy needs, as a library that partitions; or "".
std::string why_not_built_here(const std::string& strategy) {
  return why_not_built(strategy_called(Spec::parse(strategy, StrategyEntry::what).name()));
}

}  // namespace

Counterpart counterpart(const Measurement& point, std::uint64_t runs) {
  Counterpart result;
  const auto* const application = named(counterparts_of_applications(), point.application);
  const auto* const strategy = strategy_at(point);
  if (application == nullptr || strategy == nullptr) {
    result.absent = "not in the mapping";
  } else if (strategy->ours.empty()) {
    result.absent = strategy->leaves_out;
  } else if (application->workload.empty()) {
    result.absent = application->leaves_out;
  } else if (!application->has_rate && !point.loads()) {
    result.absent =
        "loads were not measured, and of GFlop/s is left out " + application->leaves_out;
  }
  if (result.absent.empty()) result.absent = why_not_built_here(in_force(point, *strategy));
  if (!result.absent.empty()) return result;
  const auto form = filled(application->workload, "{n}", point.n);
  const bool drawn = form.find("{draw}") != std::string::npos;
  for (std::uint64_t draw = 1; draw <= (drawn ? runs : 1); ++draw) {
    result.workloads.push_back(filled(form, "{draw}", draw));
  }
  result.platform = platform(point, *application);
  result.model_platform = modelled_platform(result.platform);
  result.strategy = in_force(point, *strategy);
  result.curve = strategy->ours;
  result.has_rate = application->has_rate;
  return result;
}

std::vector<MappingRow> mapped_applications() {
  return mapping(counterparts_of_applications(),
                 [](const Application& row) { return row.workload; });
}

std::vector<MappingRow> mapped_machines() {
  Measurement point;
  point.memory_mib = 500;
  std::vector<MappingRow> result;
  for (const std::uint64_t gpus : {1U, 2U, 3U, 4U}) {
    point.gpus = gpus;
    result.push_back({fmt::format("{} V100{}", gpus, gpus > 1 ? "s" : ""),
                      platform(point, counterparts_of_applications().front()),
                      gpus == 1 ? "the time StarPU takes to hand out a task"
                                : "that kernels do not take the same time on every GPU"});
  }
  return result;
}

std::vector<MappingRow> mapped_strategies() {
  return mapping(strategies_of_theirs(), [](const TheirStrategy& row) { return row.ours; });
}

}  // namespace damocles
