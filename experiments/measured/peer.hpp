#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/results/formats.hpp"
#include "experiments/results/tables.hpp"

namespace damocles {

/// A run of StarPU over SimGrid. One without a group is a row of peer_points.csv, whose head says
/// what was run and how.
struct PeerPoint {
  std::string policy;       ///< its name there
  std::string strategy;     ///< ours
  std::uint64_t depth = 0;  ///< tasks a GPU has taken there, the running one included
  std::uint64_t gpus = 0;
  std::uint64_t n = 0;
  double link_gb_per_s = 0;
  double gflops = 0;  ///< GFlop/s; 0: not known
  double loads = 0;
  /// Why ours differs by more than peer_goal; empty where it does not.
  std::string cause;
  std::string workload = "gemm2d";  ///< or "cholesky"
  std::uint64_t cpus = 0;
  std::string version = "master";
  /// Of a run of an example program (peer_programs.hpp): which runs it is summed up with; else
  /// empty.
  std::string group{};
  bool enough_memory = false;  ///< its GPUs hold all data
};

/// What a point without a cause keeps to, in GFlop/s and in loads; of loads also two more or less,
/// as they differ between two of the peer's own runs.
inline constexpr double peer_goal = 0.05;
inline constexpr double peer_loads = 2;

[[nodiscard]] const std::vector<PeerPoint>& peer_points();

/// A point beside ours: means over runs.
struct PeerCompared {
  const PeerPoint* peer = nullptr;
  double gflops = 0;
  double loads = 0;

  [[nodiscard]] bool within_goal() const;
};
/// Simulates the points, in their order.
[[nodiscard]] std::vector<PeerCompared> compare_with_peer(const std::vector<PeerPoint>& points,
                                                          std::uint64_t runs, std::uint64_t seed,
                                                          int threads);

/// ours / peer's - 1; nothing where the peer's is not known.
[[nodiscard]] std::optional<double> deviation_from_peer(double ours, double peer);

/// All of them as CSV or JSON; or points without a group as a table, and the deviations of the
/// others by machine and by policy; or the same as in docs/explanation/peers.md, in Markdown.
[[nodiscard]] std::string peer_view(const std::vector<PeerCompared>& compared, Format format,
                                    const TableStyle& style);
[[nodiscard]] std::string peer_markdown(const std::vector<PeerCompared>& compared);

}  // namespace damocles
