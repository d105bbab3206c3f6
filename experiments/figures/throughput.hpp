#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/figures/judging.hpp"

namespace damocles {

// The rule by which the claims of COLOC'21 and IPDPS'22 are judged, set before anything was run.

/// Two throughputs that differ by less are alike: the papers' own runs spread by up to 2 %.
inline constexpr double run_to_run = 0.02;
/// A printed mean gain is confirmed within this factor, either way, or within run_to_run of it.
inline constexpr double gain_factor = 2;
/// "Nearly peak", "close to ideal": at least this share of the peak wherever memory is short.
inline constexpr double near_peak = 0.9;
/// "Collapses", "plummets", "suffers": at most this share of what it is measured against.
inline constexpr double collapsed = 2.0 / 3;
/// "Markedly", "significantly" fewer transfers: by this share.
inline constexpr double markedly = 0.1;

/// Whether our mean gain says what the printed one says; both as shares (0.085 for +8.5 %).
[[nodiscard]] bool agrees(double printed, double ours);

/// One point of a curve: what runs there, and how large its matrices are.
struct CurvePoint {
  std::string name;                    ///< as n=45
  std::vector<std::string> workloads;  ///< several where the workload is drawn: their mean counts
  std::string platform;
  double b_data = 0;   ///< data of matrix B alone, 0 where there is none
  double ab_data = 0;  ///< data of A and B together
};

/// A figure of throughput and transfers over the working set, one curve a strategy.
struct CurveFigure {
  std::vector<CurvePoint> points;
  std::vector<std::string> strategies;
};

/// The rows of a figure, runs_of(strategy) at each point, at least one for each of its workloads.
[[nodiscard]] std::vector<Question> curve_questions(const CurveFigure& figure, std::uint64_t seed);
/// Ten runs of DARTS, which draws; three of the partitioner; one of all others.
[[nodiscard]] std::uint64_t runs_of(const std::string& strategy);
/// The name under which IPDPS'22's hMETIS+R runs here, or nothing where it cannot.
[[nodiscard]] std::vector<std::string> hypergraph_if_built();

/// Mean throughput and transfers by strategy and point.
class Curves {
 public:
  Curves(const CurveFigure& figure, const std::vector<Record>& records);

  [[nodiscard]] std::size_t points() const { return figure_.points.size(); }
  [[nodiscard]] const CurvePoint& point(std::size_t i) const { return figure_.points[i]; }
  [[nodiscard]] double gflops(const std::string& strategy, std::size_t i) const;
  [[nodiscard]] double bytes(const std::string& strategy, std::size_t i) const;
  [[nodiscard]] double makespan_s(const std::string& strategy, std::size_t i) const;
  /// All processors without transfers [GFlop/s].
  [[nodiscard]] double peak(std::size_t i) const { return place_[i].peak; }
  /// The share of the peak that the bus allows to whoever loads the lower bound.
  [[nodiscard]] double bus_allows(std::size_t i) const { return place_[i].bus_allows; }
  [[nodiscard]] double working_set_mib(std::size_t i) const { return place_[i].working_set_mib; }
  /// Whether the memories together hold all of B (the papers' red line), of A and B (orange).
  [[nodiscard]] bool b_fits(std::size_t i) const { return place_[i].b_fits; }
  /// Whether each holds besides its share of B the one data of A that a task reads. Without room
  /// for it LRU evicts each part of B just before it is read again.
  [[nodiscard]] bool b_fits_beside_a(std::size_t i) const { return place_[i].b_fits_beside_a; }
  [[nodiscard]] bool ab_fits(std::size_t i) const { return place_[i].ab_fits; }

 private:
  struct Sum {
    double gflops = 0;
    double bytes = 0;
    double makespan_s = 0;
    double n = 0;
  };
  struct Place {
    double peak = 0;
    double working_set_mib = 0;
    double bus_allows = 1;
    bool b_fits = true;
    bool b_fits_beside_a = true;
    bool ab_fits = true;
  };
  [[nodiscard]] const Sum& at(const std::string& strategy, std::size_t i) const;

  const CurveFigure& figure_;
  std::vector<std::map<std::string, Sum>> sums_;  // by point
  std::vector<Place> place_;
};

using PointFilter = std::function<bool(const Curves&, std::size_t)>;
[[nodiscard]] bool every_point(const Curves& curves, std::size_t i);
/// A and B do not fit together: past the orange line.
[[nodiscard]] bool memory_is_short(const Curves& curves, std::size_t i);
/// B does not fit: past the red line.
[[nodiscard]] bool b_does_not_fit(const Curves& curves, std::size_t i);

/// "Improvement averaged on the points": the mean of the ratios of throughput, less 1.
[[nodiscard]] double mean_gain(const Curves& curves, const std::string& a, const std::string& b,
                               const PointFilter& where = every_point);
/// The same of the bytes moved.
[[nodiscard]] double mean_more_bytes(const Curves& curves, const std::string& a,
                                     const std::string& b, const PointFilter& where = every_point);

/// The mean gain of a over b is the printed one. Positive numbers: a is faster.
[[nodiscard]] Check gain_is(const Curves& curves, const std::string& a, const std::string& b,
                            double printed);
/// It is above run_to_run where `where` holds; no number is printed.
[[nodiscard]] Check is_faster(const Curves& curves, const std::string& a, const std::string& b,
                              const PointFilter& where, const std::string& where_text);
/// At least near_peak of the peak wherever memory is short.
[[nodiscard]] Check is_near_peak(const Curves& curves, const std::string& strategy);
/// Once B does not fit it falls to `collapsed` of its own best or below, and not while B fits
/// beside what is needed of A; between the two it may do either.
[[nodiscard]] Check collapses_without_b(const Curves& curves, const std::string& strategy);
/// It moves markedly fewer bytes where `where` holds.
[[nodiscard]] Check moves_markedly_less(const Curves& curves, const std::string& a,
                                        const std::string& b, const PointFilter& where,
                                        const std::string& where_text);
/// At no point where `where` holds is it slower by more than run_to_run than any of the others.
[[nodiscard]] Check is_never_slower(const Curves& curves, const std::string& a,
                                    const std::vector<std::string>& others,
                                    const PointFilter& where, const std::string& where_text);
/// Its share of the peak: at least `asked` at every point where `where` holds.
[[nodiscard]] Check keeps_share_of_peak(const Curves& curves, const std::string& strategy,
                                        double asked, const PointFilter& where,
                                        const std::string& where_text);
/// Its mean share of the peak where `where` holds: at most `collapsed`.
[[nodiscard]] Check suffers(const Curves& curves, const std::string& strategy,
                            const PointFilter& where, const std::string& where_text);
/// A number that decides nothing: the mean gain.
[[nodiscard]] Check also_gain(const Curves& curves, const std::string& a, const std::string& b,
                              const std::string& remark);

/// Wall time of one simulated run [s], strategy, eviction and engine: what its decisions cost at
/// most. The simulation does not charge it.
[[nodiscard]] double wall_seconds(const std::string& workload, const std::string& platform,
                                  const std::string& strategy, std::uint64_t seed);
/// A claim about decision time: with the wall time of our run added, `strategy` is slower than
/// `other` at that point.
[[nodiscard]] Check decisions_cost_too_much(const Curves& curves, std::size_t i,
                                            const std::string& strategy, const std::string& other,
                                            std::uint64_t seed);

/// A figure with its id, its words, and what is asked of its curves. The figure is made when it is
/// needed: only then are all strategies registered.
struct CurveClaim {
  std::string id;
  std::string statement;
  std::string setting;
  CurveFigure (*figure)();
  std::vector<Check> (*checks)(const Curves& curves, std::uint64_t seed);
};
[[nodiscard]] Claim curve_claim(const CurveClaim& claim);

}  // namespace damocles
