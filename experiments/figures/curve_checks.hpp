#pragma once

#include <string>
#include <vector>

#include "experiments/figures/curves.hpp"
#include "experiments/figures/judging.hpp"

namespace damocles {

// What the claims of COLOC'21 and IPDPS'22 are asked. Every check is a function of curves, so that
// it runs on the authors' raw data as on ours; tests hold that the raw data pass.

/// Two throughputs that differ by less are alike: the papers' own runs spread by up to 2 %.
inline constexpr double run_to_run = 0.02;
/// A printed gain is confirmed within this factor, either way, or within run_to_run of it.
inline constexpr double gain_factor = 1.25;
/// "Nearly peak", "close to ideal", "near perfect": this share of the peak that the paper draws.
inline constexpr double near_peak = 0.9;
/// "Collapses", "plummets", "suffers": at most this share of what it is measured against.
inline constexpr double collapsed = 2.0 / 3;
/// "Significantly" fewer transfers: by this share.
inline constexpr double markedly = 0.1;

/// Confirmed, confirmed in direction (with the factor) or refuted; both as shares (0.085: +8.5 %).
[[nodiscard]] Answer gain_verdict(double printed, double ours);

using CurveCheck = std::function<Answer(const Curves&)>;

/// How a check is put, beside the check itself. What fails is not reproduced rather than refuted,
/// also where the authors simulated: StarPU on SimGrid is their program on their machine's model,
/// which we do not run.
struct CurveTest {
  Sentence sentence;
  CurveCheck check;  ///< empty where nothing of it can be asked
  /// Why our simulation may differ from the authors' machine.
  std::string cause = {};
  /// What the sentence speaks of and is not here: the sentence is untestable, whatever the check
  /// says of our runs; the raw data are still asked.
  std::string mechanism = {};
};

/// Throughput of a over b: the ratio of their sums over the points both have, as the papers print
/// it, less 1.
[[nodiscard]] double gain(const Curves& curves, const std::string& a, const std::string& b,
                          const Where& where = everywhere());

/// The gain of a over b is the printed one.
[[nodiscard]] CurveCheck gain_is(const std::string& a, const std::string& b, double printed);
/// It is above run_to_run.
[[nodiscard]] CurveCheck is_faster(const std::string& a, const std::string& b, const Where& where);
/// Below -run_to_run at no point.
[[nodiscard]] CurveCheck is_never_slower(const std::string& a,
                                         const std::vector<std::string>& others,
                                         const Where& where);
/// At every point at least `factor` times the throughput of each of the others.
[[nodiscard]] CurveCheck is_at_least(double factor, const std::string& a,
                                     const std::vector<std::string>& others, const Where& where);
/// At every point at least `asked` of the peak.
[[nodiscard]] CurveCheck keeps_share_of_peak(const std::string& strategy, double asked,
                                             const Where& where);
/// At every point at least `asked` of its own best.
[[nodiscard]] CurveCheck keeps_share_of_best(const std::string& strategy, double asked,
                                             const Where& where);
/// On average at most `collapsed` of its own best; in direction below near_peak of it.
[[nodiscard]] CurveCheck falls(const std::string& strategy, const Where& where);
/// On average at most `collapsed` of the peak; in direction below near_peak of it.
[[nodiscard]] CurveCheck suffers(const std::string& strategy, const Where& where);
/// Once B does not fit it falls to `collapsed` of its own best or below, and not while B fits
/// beside what is needed of A; between the two it may do either.
[[nodiscard]] CurveCheck collapses_without_b(const std::string& strategy);
/// Its bytes are at most 1 - `by` times those of b, on average.
[[nodiscard]] CurveCheck moves_less(const std::string& a, const std::string& b, double by,
                                    const Where& where);
/// They are more, on average.
[[nodiscard]] CurveCheck moves_more(const std::string& a, const std::string& b, const Where& where);
/// Its bytes over the working set are at the last points at least twice what they are at any
/// before, and its throughput lies below the best before.
[[nodiscard]] CurveCheck rises_at_the_end(const std::string& strategy, std::size_t count);
/// All of them hold: the worst answer, with the numbers of all but those without points.
[[nodiscard]] CurveCheck all_of(const std::string& asked, const std::vector<CurveCheck>& checks);
/// The same check of several strategies.
[[nodiscard]] CurveCheck each(const std::vector<std::string>& strategies,
                              const std::function<CurveCheck(const std::string&)>& check);

/// A figure with its id, its words, and what is asked of its curves. The figure is made when it is
/// needed: only then are all strategies registered.
struct CurveClaim {
  std::string id;
  std::string statement;
  std::string setting;
  CurveFigure (*figure)();
  std::vector<CurveTest> tests;
  /// Numbers that decide nothing.
  std::vector<std::string> (*also)(const Curves& ours) = nullptr;
};
[[nodiscard]] Claim curve_claim(const CurveClaim& claim);

/// What becomes of one sentence: the check of the raw data beside that of our runs.
[[nodiscard]] Answer answer_to(const CurveTest& test, const Curves& measured, const Curves& ours);

/// A number that decides nothing: the gain.
[[nodiscard]] std::string gain_text(const Curves& curves, const std::string& a,
                                    const std::string& b, const Where& where = everywhere());
/// For each strategy that models predict at some of the points: predicted over simulated throughput
/// and bytes.
[[nodiscard]] std::vector<std::string> prediction_texts(const CurveFigure& figure,
                                                        const Curves& predicted,
                                                        const Curves& simulated);

}  // namespace damocles
