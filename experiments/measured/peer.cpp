#include "experiments/measured/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/measured/fields.hpp"
#include "experiments/measured/peer_programs.hpp"
#include "experiments/measured/views.hpp"
#include "experiments/results/tables.hpp"
#include "experiments/studies/study.hpp"
#include "models/platforms/scenario.hpp"
#include "models/workload.hpp"

namespace damocles {
namespace {

const std::string lists = "which tasks follow when the list has run dry";
const std::string more_loads =
    "open: StarPU's Ready compares the whole list too, by its source, but loads more";
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
      {"heteroprio", "heteroprio", 2, 1, 20, 12, 11547, 41, ""},
      {"heteroprio", "heteroprio", 2, 1, 40, 12, 5446, 1642, ""},
      {"heteroprio", "heteroprio", 2, 1, 100, 12, 5532, 10102, ""},
      {"eager", "eager", 2, 4, 80, 12, 6638, 5442, phase},
      {"mst", "mst", 4, 1, 20, 12, 12297, 40, ""},
      {"mst", "mst", 4, 1, 40, 12, 5573, 1640, ""},
      {"mst", "mst", 4, 1, 100, 12, 5657, 10100, ""},
      {"rcm", "rcm", 4, 1, 20, 12, 11612, 60, ""},
      {"rcm", "rcm", 4, 1, 40, 12, 5569, 1641, ""},
      {"dmdar", "dmdar", 2, 1, 20, 12, 12298, 40, ""},
      {"dmdar", "dmdar", 2, 1, 40, 12, 9352, 977, more_loads},
      {"dmdar", "dmdar", 2, 1, 100, 12, 6788, 8417, more_loads},
      {"dmdar", "dmdar", 2, 1, 40, 3, 0, 626, more_loads},
      {"dmdar", "dmdar", 2, 1, 40, 6, 0, 743, more_loads},
      {"dmdar", "dmdar", 2, 1, 40, 24, 0, 1445, more_loads},
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

const std::string first_deal =
    "the first task goes to the second processor there, to the first here";
const std::string drift = "GPUs drift further apart there: with `jitter=0.05` ours is within 1 %";
const std::string partly_evicted =
    "open in part: with StarPU's eviction loads agree to 1.6 %, GFlop/s to 7.6 %";
const std::string idle_cores =
    "open: idle cores take released tasks before the GPU that released them; without that rule GFlop/s agreed to 5.3 %";
const std::string placed = "several: what a placement counts, and which copies are evicted first";
const std::string victim =
    "a thief there takes from the next processor that has tasks, here from the longest queue";
const std::string clean_first =
    "StarPU evicts unmodified copies first and writes modified ones home early; ours evicts what was used longest ago";
const std::string chance =
    "chance, in part: of 200 runs of ours the slowest makes 3882 GFlop/s and 538 loads";
const std::string between_tasks =
    "between two tasks the driver there takes time even where nothing is requested: with `overhead=28us` ours is within 5 %";
const std::string ties =
    "Ready of 1.3.10 takes the first of equals, by its source; with that ours is within 3.2 %";
const std::string ties_and_more =
    "open: ours loads 203 if Ready takes the first of equals, as 1.3.10's does, and agrees if data on their way count as there";

PeerPoint released(const char* policy, const char* strategy, std::uint64_t gpus, std::uint64_t cpus,
                   const char* workload, std::uint64_t n, double gflops, double loads,
                   const std::string& cause) {
  return {policy, strategy, 2, gpus, n, 12, gflops, loads, cause, workload, cpus, "1.3.10"};
}

/// Of Debian's source, on SimGrid 3.32, GPU memory allocated in no time
/// (STARPU_SIMGRID_CUDA_MALLOC_COST=0), kernels that have CPU implementations too, so that nothing
/// is fetched before it is decided where it goes.
std::vector<PeerPoint> points_of_release() {
  return {
      released("eager", "eager:patient=true", 1, 0, "gemm2d", 40, 5456, 1640, ""),
      released("eager", "eager:patient=true", 2, 0, "gemm2d", 40, 20772, 120, ""),
      released("eager", "eager:patient=true", 2, 4, "gemm2d", 40, 22218, 120, ""),
      released("eager", "eager:patient=true", 4, 0, "gemm2d", 40, 13045, 665, ""),
      released("eager", "eager:patient=true", 1, 0, "cholesky", 12, 5453, 300, clean_first),
      released("eager", "eager:patient=true", 2, 0, "cholesky", 12, 5218, 350, ""),
      released("eager", "eager:patient=true", 2, 4, "cholesky", 12, 5838, 278, clean_first),
      released("eager", "eager:patient=true", 4, 0, "cholesky", 12, 4043, 511, ""),
      released("prio", "prio", 1, 0, "gemm2d", 40, 5456, 1640, ""),
      released("prio", "prio", 2, 0, "gemm2d", 40, 20772, 120, ""),
      released("prio", "prio", 2, 4, "gemm2d", 40, 22218, 120, ""),
      released("prio", "prio", 4, 0, "gemm2d", 40, 13045, 665, ""),
      released("prio", "prio", 1, 0, "cholesky", 12, 5470, 326, clean_first),
      released("prio", "prio", 2, 0, "cholesky", 12, 4975, 396, ""),
      released("prio", "prio", 2, 4, "cholesky", 12, 5627, 309, idle_cores),
      released("prio", "prio", 4, 0, "cholesky", 12, 3875, 540, chance),
      released("lws", "lws", 1, 0, "gemm2d", 40, 5456, 1640, ""),
      released("lws", "lws", 2, 0, "gemm2d", 40, 20772, 120, ""),
      released("lws", "lws", 2, 4, "gemm2d", 40, 13790, 539, first_deal),
      released("lws", "lws", 4, 0, "gemm2d", 40, 29220, 204, drift),
      released("lws", "lws", 1, 0, "cholesky", 12, 5470, 326, clean_first),
      released("lws", "lws", 2, 0, "cholesky", 12, 8054, 245, partly_evicted),
      released("lws", "lws", 2, 4, "cholesky", 12, 6291, 235, idle_cores),
      released("lws", "lws", 4, 0, "cholesky", 12, 4862, 426, ""),
      released("ws", "ws", 1, 0, "gemm2d", 40, 5456, 1640, ""),
      released("ws", "ws", 2, 0, "gemm2d", 40, 20772, 120, ""),
      released("ws", "ws", 2, 4, "gemm2d", 40, 13790, 539, victim),
      released("ws", "ws", 4, 0, "gemm2d", 40, 29220, 204, drift),
      released("ws", "ws", 1, 0, "cholesky", 12, 5470, 326, clean_first),
      released("ws", "ws", 2, 0, "cholesky", 12, 8054, 245, partly_evicted),
      released("ws", "ws", 2, 4, "cholesky", 12, 6291, 235, idle_cores),
      released("ws", "ws", 4, 0, "cholesky", 12, 4862, 426, ""),
      released("dmda", "dmda", 1, 0, "gemm2d", 40, 5462, 1640, ""),
      released("dmda", "dmda", 2, 0, "gemm2d", 40, 23159, 120, ""),
      released("dmda", "dmda", 2, 4, "gemm2d", 40, 24391, 123, between_tasks),
      released("dmda", "dmda", 4, 0, "gemm2d", 40, 33713, 185, ""),
      released("dmda", "dmda", 1, 0, "cholesky", 12, 5376, 300, clean_first),
      released("dmda", "dmda", 2, 0, "cholesky", 12, 8694, 198, placed),
      released("dmda", "dmda", 2, 4, "cholesky", 12, 9266, 212, placed),
      released("dmda", "dmda", 4, 0, "cholesky", 12, 8884, 223, placed),
      released("dmdar", "dmdar", 1, 0, "gemm2d", 40, 10190, 353, ties_and_more),
      released("dmdar", "dmdar", 2, 0, "gemm2d", 40, 23159, 120, ""),
      released("dmdar", "dmdar", 2, 4, "gemm2d", 40, 23817, 123, between_tasks),
      released("dmdar", "dmdar", 4, 0, "gemm2d", 40, 33713, 185, ""),
      released("dmdar", "dmdar", 1, 0, "cholesky", 12, 8498, 204, ties),
      released("dmdar", "dmdar", 2, 0, "cholesky", 12, 10924, 167, placed),
      released("dmdar", "dmdar", 2, 4, "cholesky", 12, 11557, 173, placed),
      released("dmdar", "dmdar", 4, 0, "cholesky", 12, 8760, 218, placed),
      released("dmdas", "dmdas", 1, 0, "gemm2d", 40, 10190, 353, ""),
      released("dmdas", "dmdas", 2, 0, "gemm2d", 40, 23159, 120, ""),
      released("dmdas", "dmdas", 2, 4, "gemm2d", 40, 23817, 123, between_tasks),
      released("dmdas", "dmdas", 4, 0, "gemm2d", 40, 33713, 185, ""),
      released("dmdas", "dmdas", 1, 0, "cholesky", 12, 6042, 291, ""),
      released("dmdas", "dmdas", 2, 0, "cholesky", 12, 8176, 228, placed),
      released("dmdas", "dmdas", 2, 4, "cholesky", 12, 10097, 197, placed),
      released("dmdas", "dmdas", 4, 0, "cholesky", 12, 8925, 227, placed),
  };
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
  if (!point.group.empty()) return fmt::format("{}:n={}", point.workload, point.n);
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
    std::vector<PeerPoint> both = points();
    const auto released = points_of_release();
    both.insert(both.end(), released.begin(), released.end());
    return both;
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
