#include "experiments/measured/peer_programs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "experiments/measured/comparison.hpp"
#include "experiments/measured/measured_table.hpp"
#include "experiments/measured/views.hpp"

namespace damocles {

extern const char* const measured_peer_programs;  ///< peer_programs.csv, embedded by CMake

namespace {

constexpr std::string_view columns_of_programs =
    "program,hints,n,gpus,cpus,memory_MiB,policy,gflops,loads";

/// The kinds of tasks of a program, and what one takes on a GPU and on a core [us]: V100-like times
/// scaled from a K40m, tiles of 960 in single precision.
struct KindTimes {
  std::string kind;
  std::string gpu;
  std::string core;
};
const std::map<std::string, std::vector<KindTimes>>& times_of_programs() {
  static const std::map<std::string, std::vector<KindTimes>> all{
      {"starpu-cholesky",
       {{"POTRF", "1644.893", "1435.340"},
        {"TRSM", "390.0279", "3454.164"},
        {"SYRK", "72.30669", "3398.223"},
        {"GEMM", "144.6134", "6796.447"}}},
      {"starpu-lu",
       {{"GETRF", "9040.773", "20027.85"},
        {"TRSM_LL", "420.9934", "3358.875"},
        {"TRSM_RU", "305.5258", "3079.779"},
        {"GEMM", "152.7297", "6841.893"}}},
      {"starpu-sgemm", {{"SGEMM", "534.06", "33303"}}}};
  return all;
}

/// Policies that plan hand their tasks to the driver through a queue of two more.
std::uint64_t depth_of(const std::string& policy) {
  return policy.starts_with("modular-") || policy == "darts" ? 4 : 2;
}

/// Our name of a policy: its `random` draws a processor, its `eager` is as patient as its driver.
/// With hints copies that host memory holds leave first; darts has its own rule.
std::string ours_of(const std::string& policy, bool hints) {
  std::string text = policy == "random" ? "random-by-speed" : policy;
  if (policy == "eager") text += ":patient=true";
  if (!hints || policy == "darts") return text;
  return text + (policy == "eager" ? "," : ":") + "eviction=lru-clean";
}

PeerPoint point_of(MeasuredRow& row) {
  PeerPoint point;
  const std::string program = row.word({"cholesky", "lu", "sgemm"});
  const bool hints = row.word({"yes", "no"}) == "yes";
  point.workload = "starpu-" + program;
  point.group = program == "sgemm" ? "written C" : hints ? "as shipped" : "without hints";
  point.n = row.whole();
  point.gpus = row.whole();
  point.cpus = row.whole();
  point.enough_memory = row.word({"500", "enough"}) == "enough";
  point.policy = row.word();
  point.strategy = ours_of(point.policy, point.group == "as shipped");
  point.depth = depth_of(point.policy);
  point.link_gb_per_s = 12;
  point.gflops = row.positive();
  point.loads = row.positive();
  return point;
}

std::string gpus_and_cores(const PeerPoint& point) {
  return point.cpus > 0 ? fmt::format("{} + {} cores", point.gpus, point.cpus)
                        : std::to_string(point.gpus);
}

std::string memory_words(const PeerPoint& point) {
  return point.enough_memory ? "enough" : "500 MiB";
}

/// The deviations of all rows of which `names` gives the same words, in the order of these.
std::vector<std::vector<std::string>> deviations_by(
    const std::vector<PeerCompared>& compared, std::vector<std::string> head,
    std::vector<std::string> (*names)(const PeerPoint&)) {
  struct Deviations {
    std::vector<double> gflops;
    std::vector<double> loads;
  };
  std::map<std::vector<std::string>, Deviations> all;
  for (const auto& row : compared) {
    const PeerPoint& peer = *row.peer;
    if (peer.group.empty()) continue;
    auto& of_row = all[names(peer)];
    of_row.gflops.push_back(deviation_from_peer(row.gflops, peer.gflops).value());
    const bool as_many = std::abs(row.loads - peer.loads) <= peer_loads;
    of_row.loads.push_back(as_many ? 0 : deviation_from_peer(row.loads, peer.loads).value());
  }
  head.insert(head.end(), {"runs", "GFlop/s: median, p90, worst", "loads: median, p90, worst"});
  std::vector<std::vector<std::string>> table{std::move(head)};
  for (const auto& [words, of] : all) {
    table.push_back(words);
    table.back().insert(table.back().end(),
                        {std::to_string(of.gflops.size()), spread_cell(spread(of.gflops)),
                         spread_cell(spread(of.loads))});
  }
  return table;
}

}  // namespace

std::vector<PeerPoint> read_peer_programs(std::istream& in, const std::string& where) {
  std::vector<PeerPoint> points;
  for_each_measured_row(in, where, columns_of_programs,
                        [&](MeasuredRow& row) { points.push_back(point_of(row)); });
  return points;
}

const std::vector<PeerPoint>& peer_programs() {
  static const std::vector<PeerPoint> all = [] {
    std::istringstream in(measured_peer_programs);
    return read_peer_programs(in, "experiments/measured/peer_programs.csv");
  }();
  return all;
}

std::string platform_of_program(const PeerPoint& point) {
  std::vector<std::string> gpu;
  std::vector<std::string> core;
  for (const KindTimes& times : times_of_programs().at(point.workload)) {
    gpu.push_back(fmt::format("{}:{}us", times.kind, times.gpu));
    core.push_back(fmt::format("{}:{}us", times.kind, times.core));
  }
  std::string text = fmt::format(
      "gpus:k={},memory={},bandwidth={:g}GB/s,depth={},request=28us,routes=bus:once,times={}",
      point.gpus, point.enough_memory ? "11500MB" : "500MiB", point.link_gb_per_s, point.depth,
      fmt::join(gpu, "+"));
  if (point.group == "as shipped") {
    text += fmt::format(",synchronous={}", times_of_programs().at(point.workload).front().kind);
  }
  if (point.cpus > 0) {
    text += fmt::format(",cpus={},cpu_times={}", point.cpus, fmt::join(core, "+"));
  }
  return text;
}

std::vector<std::vector<std::vector<std::string>>> program_tables(
    const std::vector<PeerCompared>& compared) {
  const auto by_machine = deviations_by(
      compared, {"program", "runs of it", "GPUs", "memory"}, [](const PeerPoint& peer) {
        return std::vector{peer.workload, peer.group, gpus_and_cores(peer), memory_words(peer)};
      });
  const auto by_policy =
      deviations_by(compared, {"policy", "runs of it", "memory"}, [](const PeerPoint& peer) {
        return std::vector{peer.policy, peer.group, memory_words(peer)};
      });
  if (by_machine.size() == 1) return {};
  return {by_machine, by_policy};
}

}  // namespace damocles
