#include "experiments/measured/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "experiments/measured/fields.hpp"
#include "experiments/measured/measured_table.hpp"
#include "experiments/measured/peer_programs.hpp"
#include "experiments/measured/views.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/study.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"

namespace damocles {

extern const char* const measured_peer_points;  ///< peer_points.csv, embedded by CMake

namespace {

constexpr std::string_view columns_of_points =
    "version,policy,strategy,depth,gpus,cpus,workload,n,link_GB_per_s,gflops,loads,cause";

PeerPoint point_of_peer(MeasuredRow& row) {
  PeerPoint point;
  point.version = row.word({"master", "1.3.10"});
  point.policy = row.word();
  point.strategy = row.word();
  point.depth = row.positive_whole();
  point.gpus = row.positive_whole();
  point.cpus = row.whole();
  point.workload = row.word({"gemm2d", "cholesky"});
  point.n = row.positive_whole();
  point.link_gb_per_s = row.positive();
  point.gflops = row.number_or_none().value_or(0);
  point.loads = row.positive();
  point.cause = row.text();
  return point;
}

std::string platform_of_peer(const PeerPoint& point) {
  if (!point.group.empty()) return platform_of_program(point);
  // A driver that takes a task when it is about to need one requests its inputs then. SimGrid knows
  // no chance: two GPUs stay in phase; of four the 1 to 10 us between their starts grow.
  const bool on_demand =
      point.strategy == "eager" || point.strategy == "heteroprio" || point.version != "master";
  return fmt::format("gpus:k={},memory=500MiB,gflops=13253,bandwidth={:g}GB/s,depth={}{}{}{}",
                     point.gpus, point.link_gb_per_s, point.depth, on_demand ? ",request=28us" : "",
                     point.cpus > 0 ? fmt::format(",cpus={},cpu_gflops=500", point.cpus) : "",
                     point.gpus == 2 ? ",jitter=off" : "");
}

std::string workload_of_peer(const PeerPoint& point) {
  if (!point.group.empty()) {
    return fmt::format("{}:n={}{}", point.workload, point.n,
                       point.group == "without hints" ? ",home=end" : "");
  }
  return point.workload == "cholesky" ? fmt::format("cholesky:n={},tile=1920,deps=true", point.n)
                                      : fmt::format("gemm2d:n={}", point.n);
}

Fields fields_of_peer(const PeerCompared& row) {
  const auto& peer = *row.peer;
  return {{"policy", peer.policy},
          {"version", peer.version},
          {"strategy", peer.strategy},
          {"gpus", peer.gpus},
          {"cpus", peer.cpus},
          {"workload", workload_of_peer(peer)},
          {"n", peer.n},
          {"platform", platform_of_peer(peer)},
          {"gflops", row.gflops},
          {"peer_gflops", peer.gflops > 0 ? nlohmann::ordered_json(peer.gflops) : nullptr},
          {"loads", row.loads},
          {"peer_loads", peer.loads},
          {"within_goal", row.within_goal()},
          {"cause", peer.cause},
          {"group", peer.group}};
}

std::vector<std::vector<std::string>> cells(const std::vector<PeerCompared>& compared) {
  std::vector<std::vector<std::string>> rows{{"peer", "GPUs", "N", "GB/s", "GFlop/s: ours / peer",
                                              "loads: ours / peer", "cause of more than 5 %"}};
  for (const auto& row : compared) {
    const auto& peer = *row.peer;
    if (!peer.group.empty()) continue;
    const auto rate =
        peer.gflops > 0 ? fmt::format("{:.0f} / {:.0f} ({})", row.gflops, peer.gflops,
                                      signed_percent(deviation_from_peer(row.gflops, peer.gflops)))
                        : fmt::format("{:.0f} / –", row.gflops);
    rows.push_back(
        {peer.version == "master" ? peer.policy : peer.policy + ", " + peer.version,
         std::to_string(peer.gpus) + (peer.cpus > 0 ? fmt::format(" + {} cores", peer.cpus) : ""),
         std::to_string(peer.n) + (peer.workload == "cholesky" ? ", Cholesky" : ""),
         fmt::format("{:g}", peer.link_gb_per_s), rate,
         fmt::format("{:.0f} / {:.0f} ({})", row.loads, peer.loads,
                     signed_percent(deviation_from_peer(row.loads, peer.loads))),
         peer.cause.empty() ? "–" : peer.cause});
  }
  return rows;
}

}  // namespace

const std::vector<PeerPoint>& peer_points() {
  static const std::vector<PeerPoint> all = [] {
    std::vector<PeerPoint> points;
    std::istringstream in(measured_peer_points);
    for_each_measured_row(in, "experiments/measured/peer_points.csv", columns_of_points,
                          [&](MeasuredRow& row) { points.push_back(point_of_peer(row)); });
    return points;
  }();
  return all;
}

std::optional<double> deviation_from_peer(double ours, double peer) {
  if (peer == 0) return std::nullopt;
  return ours / peer - 1;
}

bool PeerCompared::within_goal() const {
  const bool rate = peer->gflops == 0 || std::abs(gflops / peer->gflops - 1) <= peer_goal;
  return rate && std::abs(loads - peer->loads) <= std::max(peer_loads, peer_goal * peer->loads);
}

std::vector<PeerCompared> compare_with_peer(const std::vector<PeerPoint>& points,
                                            std::uint64_t runs, std::uint64_t seed, int threads) {
  std::vector<Job> all;
  std::map<std::string, Workload> workloads;  // each is written out once
  for (const auto& point : points) {
    const std::string text = workload_of_peer(point);
    const auto at = workloads.find(text);
    const Experiment experiment{
        .workload = at != workloads.end()
                        ? at->second
                        : workloads.emplace(text, Workload::parse(text)).first->second,
        .scenario = Scenario::parse(platform_of_peer(point)),
        .strategies = {point.strategy},
        .replicates = runs,
        .seed = seed};
    for (auto& job : jobs(experiment)) all.push_back(std::move(job));
  }
  const auto records = run_jobs(all, threads);
  std::vector<PeerCompared> compared;
  for (const auto& point : points) {
    auto& row = compared.emplace_back(PeerCompared{&point});
    for (std::uint64_t run = 0; run < runs; ++run) {
      const auto& record = records[(compared.size() - 1) * runs + run];
      row.gflops += record.gflops.value() / static_cast<double>(runs);
      row.loads += record.loads.value() / static_cast<double>(runs);
    }
  }
  return compared;
}

std::string peer_view(const std::vector<PeerCompared>& compared, Format format,
                      const TableStyle& style) {
  if (format == Format::table) {
    std::string text = aligned(cells(compared), style);
    for (const auto& table : program_tables(compared)) text += "\n" + aligned(table, style);
    return text;
  }
  std::vector<Fields> rows;
  for (const auto& row : compared) rows.push_back(fields_of_peer(row));
  return machine_view(rows, format, "points");
}

std::string peer_markdown(const std::vector<PeerCompared>& compared) {
  std::string text = markdown_table(cells(compared));
  for (const auto& table : program_tables(compared)) text += "\n" + markdown_table(table);
  return text;
}

}  // namespace damocles
