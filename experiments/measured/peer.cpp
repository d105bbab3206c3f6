#include "experiments/measured/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/measured/fields.hpp"
#include "experiments/measured/views.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/study.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"

namespace damocles {
namespace {

const std::string lists = "which tasks follow when the list has run dry";
const std::string window =
    "Ready of the present StarPU looks at 2 tasks at a time; ours, as that of the paper, at all";
const std::string phase = "who asks first, which decides everything, is chance";
// Its own Ready, over the whole package; the queue before the GPU takes what that chose.
const std::string hfp_as_peer = "hfp:ready=true,patient=false,eviction=lru";
const std::string ahead = "how far ahead: `depth=8` agrees";

// TUNED runs there (a window of 30 planned tasks, a pipeline of 5) are left out, as is darts on
// several GPUs as it comes: it takes a GPU's number for a memory node's, which is one more. Its
// points here are those of the peer with that put right.
const std::vector<PeerPoint>& points() {
  static const std::vector<PeerPoint> all{
      {"eager", "eager", 2, 1, 20, 12, 11604, 40, ""},
      {"eager", "eager", 2, 1, 40, 12, 5452, 1640, ""},
      {"eager", "eager", 2, 1, 100, 12, 5533, 10100, ""},
      {"eager", "eager", 2, 2, 40, 12, 20669, 122, ""},
      {"lws", "eager", 2, 2, 40, 12, 20763, 120, ""},
      {"eager", "eager", 2, 4, 80, 12, 6638, 5442, phase},
      {"mst", "mst", 4, 1, 20, 12, 12297, 40, ""},
      {"mst", "mst", 4, 1, 40, 12, 5573, 1640, ""},
      {"mst", "mst", 4, 1, 100, 12, 5657, 10100, ""},
      {"rcm", "rcm", 4, 1, 20, 12, 11612, 60, ""},
      {"rcm", "rcm", 4, 1, 40, 12, 5569, 1641, ""},
      {"dmdar", "dmdar", 2, 1, 20, 12, 12298, 40, ""},
      {"dmdar", "dmdar", 2, 1, 40, 12, 9352, 977, window},
      {"dmdar", "dmdar", 2, 1, 100, 12, 6788, 8417, window},
      {"dmdar", "dmdar", 2, 1, 40, 3, 0, 626, window},
      {"dmdar", "dmdar", 2, 1, 40, 6, 0, 743, window},
      {"dmdar", "dmdar", 2, 1, 40, 24, 0, 1445, window},
      {"dmdar", "dmdar", 2, 2, 40, 12, 24050, 120, ""},
      {"darts, LUF", "darts:choice=starpu", 4, 1, 20, 12, 12994, 44, ""},
      {"darts, LUF", "darts:choice=starpu", 4, 1, 40, 12, 13187, 128, ""},
      {"darts, LUF", "darts:choice=starpu", 4, 1, 100, 12, 13242, 620, ""},
      {"darts, LUF", "darts:choice=starpu", 4, 2, 40, 12, 22931, 134, ""},
      {"darts, LUF", "darts:choice=starpu", 4, 2, 80, 12, 23740, 428, ""},
      {"darts, LUF", "darts:choice=starpu", 4, 4, 40, 12, 37150, 172, ahead},
      {"darts, LUF", "darts:choice=starpu", 4, 4, 80, 12, 45100, 453, ""},
      {"darts, LRU", "darts:choice=starpu,eviction=lru", 4, 1, 20, 12, 12994, 44, lists},
      {"darts, LRU", "darts:choice=starpu,eviction=lru", 4, 1, 40, 12, 9054, 623, lists},
      {"darts, LRU", "darts:choice=starpu,eviction=lru", 4, 1, 100, 12, 6839, 7240, lists},
      {"hfp", hfp_as_peer, 4, 1, 20, 12, 12785, 40, ""},
      {"hfp", hfp_as_peer, 4, 1, 40, 12, 13012, 118, ""},
      {"hfp", hfp_as_peer, 4, 1, 100, 12, 13066, 651, ""},
      {"hfp", hfp_as_peer, 4, 2, 40, 12, 22593, 154, ""},
  };
  return all;
}

std::string platform_of_peer(const PeerPoint& point) {
  // A driver that takes a task when it is about to need one requests its inputs then. SimGrid knows
  // no chance: two GPUs stay in phase; of four the 1 to 10 us between their starts grow.
  return fmt::format("gpus:k={},memory=500MiB,gflops=13253,bandwidth={:g}GB/s,depth={}{}{}",
                     point.gpus, point.link_gb_per_s, point.depth,
                     point.strategy == "eager" ? ",request=28us" : "",
                     point.gpus == 2 ? ",jitter=off" : "");
}

std::optional<double> deviation_from_peer(double ours, double peer) {
  if (peer == 0) return std::nullopt;
  return ours / peer - 1;
}

Fields fields_of_peer(const PeerCompared& row) {
  const auto& peer = *row.peer;
  return {{"policy", peer.policy},
          {"strategy", peer.strategy},
          {"gpus", peer.gpus},
          {"n", peer.n},
          {"platform", platform_of_peer(peer)},
          {"gflops", row.gflops},
          {"peer_gflops", peer.gflops > 0 ? nlohmann::ordered_json(peer.gflops) : nullptr},
          {"loads", row.loads},
          {"peer_loads", peer.loads},
          {"within_goal", row.within_goal()},
          {"cause", peer.cause}};
}

std::vector<std::vector<std::string>> cells(const std::vector<PeerCompared>& compared) {
  std::vector<std::vector<std::string>> rows{{"peer", "GPUs", "N", "GB/s", "GFlop/s: ours / peer",
                                              "loads: ours / peer", "cause of more than 5 %"}};
  for (const auto& row : compared) {
    const auto& peer = *row.peer;
    const auto rate =
        peer.gflops > 0 ? fmt::format("{:.0f} / {:.0f} ({})", row.gflops, peer.gflops,
                                      signed_percent(deviation_from_peer(row.gflops, peer.gflops)))
                        : fmt::format("{:.0f} / –", row.gflops);
    rows.push_back({peer.policy, std::to_string(peer.gpus), std::to_string(peer.n),
                    fmt::format("{:g}", peer.link_gb_per_s), rate,
                    fmt::format("{:.0f} / {:.0f} ({})", row.loads, peer.loads,
                                signed_percent(deviation_from_peer(row.loads, peer.loads))),
                    peer.cause.empty() ? "–" : peer.cause});
  }
  return rows;
}

}  // namespace

const std::vector<PeerPoint>& peer_points() { return points(); }

bool PeerCompared::within_goal() const {
  const bool rate = peer->gflops == 0 || std::abs(gflops / peer->gflops - 1) <= peer_goal;
  return rate && std::abs(loads - peer->loads) <= std::max(peer_loads, peer_goal * peer->loads);
}

std::vector<PeerCompared> compare_with_peer(std::uint64_t runs, std::uint64_t seed, int threads) {
  std::vector<Job> all;
  for (const auto& point : peer_points()) {
    const Question question{.workload = Workload::parse(fmt::format("gemm2d:n={}", point.n)),
                            .scenario = Scenario::parse(platform_of_peer(point)),
                            .strategies = {point.strategy},
                            .replicates = runs,
                            .seed = seed};
    for (auto& job : jobs(question)) all.push_back(std::move(job));
  }
  const auto records = run_jobs(all, threads);
  std::vector<PeerCompared> compared;
  for (const auto& point : peer_points()) {
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
  if (format == Format::table) return aligned(cells(compared), style);
  std::vector<Fields> rows;
  for (const auto& row : compared) rows.push_back(fields_of_peer(row));
  return machine_view(rows, format, "points");
}

std::string peer_markdown(const std::vector<PeerCompared>& compared) {
  return markdown_table(cells(compared));
}

}  // namespace damocles
