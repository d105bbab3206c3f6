#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/study.hpp"

namespace damocles {

inline constexpr double mebibyte = 1024.0 * 1024.0;  ///< [B]

/// One point of a curve: what runs there, and how large its matrices are.
struct CurvePoint {
  std::string name;                    ///< as n=45
  std::uint64_t n;                     ///< blocks per side
  std::vector<std::string> workloads;  ///< several where the workload is drawn: their mean counts
  std::string platform;
  double data_mib;      ///< of one data item; all have the same
  double b_data = 0;    ///< data of matrix B alone, 0 where there is none
  double ab_data = 0;   ///< data of A and B together
  double all_data = 0;  ///< the working set
  /// Of one GPU, where kinds of task take times of their own; 0: what its figure says.
  double peak_gflops = 0;
};

/// A figure of throughput and transfers over the working set, one curve a strategy.
struct CurveFigure {
  std::vector<CurvePoint> points;
  std::vector<std::string> strategies;
  double peak_gflops;         ///< of one GPU, as the paper's figures draw it
  std::string measured = {};  ///< the claim whose published raw data belong to it, if any
};

/// The rows of a figure, runs_of(strategy) at each point, at least one for each of its workloads;
/// and what models of limited memory predict on a simpler machine (modelled_platform()).
[[nodiscard]] std::vector<Experiment> curve_experiments(const CurveFigure& figure,
                                                        std::uint64_t seed);
/// Ten runs of DARTS, which draws; three of the partitioner, and of all others where several GPUs
/// are alike, as their jitter is drawn; one else.
[[nodiscard]] std::uint64_t runs_of(const std::string& strategy, std::size_t processors);
/// IPDPS'22's hMETIS+R as it runs here: Ready looks 10 tasks ahead, as the authors set it, and cuts
/// are counted as hMETIS counts them.
inline constexpr const char* hypergraph = "hypergraph:ready=10,cost=data";
/// The same where tasks come in random order: the authors' parts were read from a file by the
/// number of the task, so those made for row order fell on other tasks.
inline constexpr const char* hypergraph_shuffled = "hypergraph:ready=10,parts=random";
/// IPDPS'22's mHFP, with its eviction and its Ready.
inline constexpr const char* mhfp = "hfp:ready=10,eviction=lru";
/// Those of these names that this build can run: none without a partitioner.
[[nodiscard]] std::vector<std::string> if_built(const char* partitioned);
[[nodiscard]] inline std::vector<std::string> hypergraph_if_built() { return if_built(hypergraph); }
/// What the authors' table calls our strategy, "" where they have none.
[[nodiscard]] std::string measured_name(const std::string& strategy);

/// Throughput and transfers by strategy and point: of our runs, as models predict them, or as the
/// authors measured them.
class Curves {
 public:
  /// Means over the runs. @throws nothing; rows of no point are left out
  static Curves simulated(const CurveFigure& figure, const std::vector<Record>& records);
  /// What models predict within their validated domain.
  static Curves predicted(const CurveFigure& figure, const std::vector<Record>& records);
  /// The published points of the authors' table at the sizes of the figure.
  static Curves measured(const CurveFigure& figure);

  [[nodiscard]] std::size_t points() const { return figure_.points.size(); }
  [[nodiscard]] const CurvePoint& point(std::size_t i) const { return figure_.points[i]; }
  /// Whether there is any point of the strategy, or this one.
  [[nodiscard]] bool has(const std::string& strategy) const;
  [[nodiscard]] bool has(const std::string& strategy, std::size_t i) const;
  /// Whether its transfers are known there too.
  [[nodiscard]] bool has_bytes(const std::string& strategy, std::size_t i) const;
  [[nodiscard]] double gflops(const std::string& strategy, std::size_t i) const;
  [[nodiscard]] double bytes(const std::string& strategy, std::size_t i) const;
  /// The largest throughput over the points.
  [[nodiscard]] double best_gflops(const std::string& strategy) const;

  /// All processors, as the paper draws it [GFlop/s].
  [[nodiscard]] double peak(std::size_t i) const { return places_[i].peak; }
  [[nodiscard]] double working_set_mib(std::size_t i) const;
  /// Whether the memories together hold all of B (the papers' red line), of A and B (orange).
  [[nodiscard]] bool b_fits(std::size_t i) const;
  /// Whether each holds besides its share of B the one data item of A that a task reads. Without
  /// room for it LRU evicts each part of B just before it is read again.
  [[nodiscard]] bool b_fits_beside_a(std::size_t i) const;
  [[nodiscard]] bool ab_fits(std::size_t i) const;

 private:
  struct Value {
    double gflops = 0;
    std::optional<double> bytes;
  };
  struct Place {
    double peak;
    double memory_mib;  ///< of all processors together
    double processors;
  };
  explicit Curves(const CurveFigure& figure);
  /// Takes the means of the records that count, on platforms that stand for those of the points.
  template <typename Counts, typename PlatformOf>
  void take(const std::vector<Record>& records, const Counts& counts,
            const PlatformOf& platform_of);
  [[nodiscard]] const Value& at(const std::string& strategy, std::size_t i) const;

  const CurveFigure& figure_;
  std::vector<std::map<std::string, Value>> values_;  // by point
  std::vector<Place> places_;
};

/// Which points a sentence is about, and in which words.
struct Where {
  std::string text;
  std::function<bool(const Curves&, std::size_t)> holds;
};
[[nodiscard]] Where everywhere();
/// A and B do not fit together: past the orange line.
[[nodiscard]] Where memory_is_short();
/// B does not fit: past the red line.
[[nodiscard]] Where b_does_not_fit();
/// Between the two lines.
[[nodiscard]] Where only_b_fits();
/// Blocks per side from `first` to `last`.
[[nodiscard]] Where sizes(std::uint64_t first, std::uint64_t last);
/// The working set lies between them [MiB].
[[nodiscard]] Where working_sets(double above_mib, double up_to_mib);
[[nodiscard]] Where last_points(std::size_t count);

}  // namespace damocles
