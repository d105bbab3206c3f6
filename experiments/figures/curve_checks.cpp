#include "experiments/figures/curve_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/results/tables.hpp"
#include "models/quantity.hpp"
#include "orders/partitioners.hpp"

namespace damocles {
namespace {

constexpr const char* cause_open =
    "the cause is open: the authors' machine shows it, our simulation of it does not";

/// Mean over the points where `where` holds and a value exists, its extremes, and who fails.
struct OverPoints {
  double mean = 0;
  std::size_t points = 0;
  Extremes extremes{};
  std::vector<std::string> failing{};

  [[nodiscard]] std::string range() const {
    return fmt::format("{} ({}) to {} ({})", signed_percent(extremes.min), extremes.at_min,
                       signed_percent(extremes.max), extremes.at_max);
  }
};

template <typename Has, typename Value, typename Good>
OverPoints over(const Curves& curves, const Where& where, Has&& has, Value&& value, Good&& good) {
  OverPoints seen;
  for (std::size_t i = 0; i < curves.points(); ++i) {
    if (!where.holds(curves, i) || !has(i)) continue;
    const double here = value(i);
    seen.mean += here;
    ++seen.points;
    seen.extremes.see(here, curves.point(i).name);
    if (!good(here)) seen.failing.push_back(curves.point(i).name);
  }
  if (seen.points > 0) seen.mean /= static_cast<double>(seen.points);
  return seen;
}

bool any(double) { return true; }

constexpr const char* stand_in = " (Zoltan for hMETIS)";

std::string called(const std::string& strategy) {
  return strategy == hypergraph || strategy == hypergraph_shuffled ? strategy + stand_in : strategy;
}

/// The authors ran hMETIS itself.
std::string without_stand_in(std::string text) {
  for (auto at = text.find(stand_in); at != std::string::npos; at = text.find(stand_in))
    text.erase(at, std::string(stand_in).size());
  return text;
}

/// The first and the last of them, and how many, where they are many.
std::string few(const std::vector<std::string>& names, std::size_t of) {
  if (names.size() <= 3) return list(names);
  return fmt::format("{} to {}, {} of {} points", names.front(), names.back(), names.size(), of);
}

std::string share(double value) {
  return value < 1 ? percent(value) : fmt::format("{:.3g} times", value);
}

Answer absent(std::string asked) {
  return {Verdict::untestable, "no such points", std::move(asked), "", "no such points"};
}

/// How far predictions are from simulations.
std::string off_by(const OverPoints& relative) {
  constexpr double seen = 0.0005;
  if (relative.extremes.min > -seen && relative.extremes.max < seen) return "as simulated";
  return fmt::format("{} in the mean, {}", signed_percent(relative.mean), relative.range());
}

OverPoints gains(const Curves& curves, const std::string& a, const std::string& b,
                 const Where& where) {
  return over(
      curves, where, [&](std::size_t i) { return curves.has(a, i) && curves.has(b, i); },
      [&](std::size_t i) { return curves.gflops(a, i) / curves.gflops(b, i) - 1; }, any);
}

OverPoints more_bytes(const Curves& curves, const std::string& a, const std::string& b,
                      const Where& where) {
  return over(
      curves, where,
      [&](std::size_t i) { return curves.has_bytes(a, i) && curves.has_bytes(b, i); },
      [&](std::size_t i) { return curves.bytes(a, i) / curves.bytes(b, i) - 1; }, any);
}

/// Holds at every point, at all but a corner, or not.
Answer by_point(const OverPoints& seen, const std::string& asked, const std::string& who) {
  if (seen.points == 0) return absent(asked);
  return holds_but(
      seen.failing.size(), seen.points,
      fmt::format("{} at {}", called(who), few(seen.failing, seen.points)), asked,
      fmt::format("{} {}, least {} ({}), {}", called(who), share(seen.mean),
                  share(seen.extremes.min), seen.extremes.at_min, counted(seen.points, "point")));
}

/// A mean share that should be low.
Answer is_low(const OverPoints& seen, const std::string& asked, const std::string& who) {
  if (seen.points == 0) return absent(asked);
  Answer answer =
      holds_or_not(seen.mean <= collapsed, asked,
                   fmt::format("{} {}, {} ({}) to {} ({})", called(who), percent(seen.mean),
                               percent(seen.extremes.min), seen.extremes.at_min,
                               percent(seen.extremes.max), seen.extremes.at_max));
  if (answer.verdict == Verdict::confirmed) return answer;
  answer.reason = fmt::format("{} falls to {} only", called(who), percent(seen.mean));
  if (seen.mean < near_peak) answer.verdict = Verdict::in_direction;
  return answer;
}

/// Says so where sentences ask about hypergraph and if_built() left its curve out; or "".
std::string note_on_hypergraph(const std::vector<Answer>& answers) {
  const auto& zoltan = Table<PartitionerEntry>::named("zoltan");
  const bool asked = std::any_of(answers.begin(), answers.end(), [](const Answer& answer) {
    return answer.asked.find("hypergraph") != std::string::npos;
  });
  if (zoltan.built() || !asked) return "";
  return fmt::format("hypergraph was not run: it takes Zoltan here; build where {} are installed",
                     zoltan.packages);
}

}  // namespace

double gain(const Curves& curves, const std::string& a, const std::string& b, const Where& where) {
  double of_a = 0;
  double of_b = 0;
  for (std::size_t i = 0; i < curves.points(); ++i) {
    if (!where.holds(curves, i) || !curves.has(a, i) || !curves.has(b, i)) continue;
    of_a += curves.gflops(a, i);
    of_b += curves.gflops(b, i);
  }
  return of_a / of_b - 1;
}

std::string gain_text(const Curves& curves, const std::string& a, const std::string& b,
                      const Where& where) {
  const OverPoints seen = gains(curves, a, b, where);
  if (seen.points == 0) return fmt::format("{} over {}: no such points", a, b);
  return fmt::format("{} (mean of ratios {}; {}, {})", signed_percent(gain(curves, a, b, where)),
                     signed_percent(seen.mean), seen.range(), counted(seen.points, "point"));
}

Answer gain_verdict(double printed, double ours) {
  Answer answer;
  const double factor = ours / printed;
  if (std::abs(ours - printed) <= run_to_run ||
      (factor <= gain_factor && factor >= 1 / gain_factor)) {
    return answer;
  }
  // A sign is one only beyond what two runs differ by.
  const bool same_sign = factor > 0 && std::abs(ours) > run_to_run;
  answer.verdict = same_sign ? Verdict::in_direction : Verdict::refuted;
  answer.reason = fmt::format("{} for {}", signed_percent(ours), signed_percent(printed));
  if (same_sign) answer.reason += fmt::format(", a factor {:.2g}", factor);
  return answer;
}

CurveCheck gain_is(const std::string& a, const std::string& b, double printed) {
  return [=](const Curves& curves) {
    const std::string asked = fmt::format("{} over {} {}, within 2 points or a factor {}", a, b,
                                          signed_percent(printed), gain_factor);
    if (gains(curves, a, b, everywhere()).points == 0) return absent(asked);
    Answer answer = gain_verdict(printed, gain(curves, a, b));
    answer.asked = asked;
    answer.ours = gain_text(curves, a, b);
    return answer;
  };
}

CurveCheck is_faster(const std::string& a, const std::string& b, const Where& where) {
  return [=](const Curves& curves) {
    const std::string asked =
        fmt::format("{} over {} more than {} {}", a, b, signed_percent(run_to_run), where.text);
    if (gains(curves, a, b, where).points == 0) return absent(asked);
    Answer answer = holds_or_not(gain(curves, a, b, where) > run_to_run, asked,
                                 fmt::format("over {} {}", b, gain_text(curves, a, b, where)));
    if (answer.verdict != Verdict::confirmed)
      answer.reason = fmt::format("{} over {}", signed_percent(gain(curves, a, b, where)), b);
    return answer;
  };
}

CurveCheck is_at_least(double factor, const std::string& a, const std::vector<std::string>& others,
                       const Where& where) {
  return [=](const Curves& curves) {
    const auto has = [&](std::size_t i) {
      return curves.has(a, i) && std::any_of(others.begin(), others.end(), [&](const auto& other) {
               return curves.has(other, i);
             });
    };
    const auto over_the_best = [&](std::size_t i) {
      double best = 0;
      for (const auto& other : others) {
        if (curves.has(other, i)) best = std::max(best, curves.gflops(other, i));
      }
      return curves.gflops(a, i) / best;
    };
    return by_point(
        over(curves, where, has, over_the_best, [&](double here) { return here >= factor; }),
        fmt::format("{} at least {} the best of {} {}", a,
                    factor < 1 ? percent(factor) + " of" : share(factor), list(others), where.text),
        a);
  };
}

CurveCheck is_never_slower(const std::string& a, const std::vector<std::string>& others,
                           const Where& where) {
  return is_at_least(1 - run_to_run, a, others, where);
}

CurveCheck keeps_share_of_peak(const std::string& strategy, double asked, const Where& where) {
  return [=](const Curves& curves) {
    return by_point(
        over(
            curves, where, [&](std::size_t i) { return curves.has(strategy, i); },
            [&](std::size_t i) { return curves.gflops(strategy, i) / curves.peak(i); },
            [&](double here) { return here >= asked; }),
        fmt::format("{} at least {} of the drawn peak {}", strategy, percent(asked), where.text),
        strategy);
  };
}

CurveCheck keeps_share_of_best(const std::string& strategy, double asked, const Where& where) {
  return [=](const Curves& curves) {
    const double best = curves.best_gflops(strategy);
    return by_point(
        over(
            curves, where, [&](std::size_t i) { return curves.has(strategy, i); },
            [&](std::size_t i) { return curves.gflops(strategy, i) / best; },
            [&](double here) { return here > asked; }),
        fmt::format("{} more than {} of its own best {}", strategy, percent(asked), where.text),
        strategy);
  };
}

CurveCheck falls(const std::string& strategy, const Where& where) {
  return [=](const Curves& curves) {
    const double best = curves.best_gflops(strategy);
    return is_low(over(
                      curves, where, [&](std::size_t i) { return curves.has(strategy, i); },
                      [&](std::size_t i) { return curves.gflops(strategy, i) / best; }, any),
                  fmt::format("{} at most {} of its own best {}, mean", strategy,
                              percent(collapsed), where.text),
                  strategy);
  };
}

CurveCheck suffers(const std::string& strategy, const Where& where) {
  return [=](const Curves& curves) {
    return is_low(
        over(
            curves, where, [&](std::size_t i) { return curves.has(strategy, i); },
            [&](std::size_t i) { return curves.gflops(strategy, i) / curves.peak(i); }, any),
        fmt::format("{} at most {} of the drawn peak {}, mean", strategy, percent(collapsed),
                    where.text),
        strategy);
  };
}

CurveCheck collapses_without_b(const std::string& strategy) {
  return [=](const Curves& curves) {
    const std::string asked = fmt::format(
        "{} at most {} of its best once B does not fit, more before", strategy, percent(collapsed));
    double before = 0;
    double best = 0;
    std::string last_before;
    Extremes after;
    for (std::size_t i = 0; i < curves.points(); ++i) {
      if (!curves.has(strategy, i)) continue;
      const double here = curves.gflops(strategy, i);
      if (!curves.b_fits(i)) {
        after.see(here, curves.point(i).name);
        continue;
      }
      best = std::max(best, here);
      if (!curves.b_fits_beside_a(i)) continue;
      before = here;
      last_before = curves.point(i).name;
    }
    if (best == 0 || after.at_min.empty()) return absent(asked);
    Answer answer =
        holds_or_not(after.max <= collapsed * best && before > collapsed * best, asked,
                     fmt::format("{} {} ({}) before, {} ({}) to {} ({}) after", strategy,
                                 percent(before / best), last_before, percent(after.min / best),
                                 after.at_min, percent(after.max / best), after.at_max));
    if (answer.verdict != Verdict::confirmed) {
      answer.reason =
          fmt::format("{} keeps up to {} of its best", strategy, percent(after.max / best));
    }
    return answer;
  };
}

CurveCheck moves_less(const std::string& a, const std::string& b, double by, const Where& where) {
  return [=](const Curves& curves) {
    const std::string asked = fmt::format("{} moves at least {} fewer bytes than {} {}, mean", a,
                                          percent(by), b, where.text);
    const OverPoints seen = more_bytes(curves, a, b, where);
    if (seen.points == 0) return absent(asked);
    Answer answer =
        holds_or_not(seen.mean <= -by, asked,
                     fmt::format("{} against {}, {}", signed_percent(seen.mean), b, seen.range()));
    if (answer.verdict != Verdict::confirmed)
      answer.reason = fmt::format("{} bytes against {}", signed_percent(seen.mean), b);
    return answer;
  };
}

CurveCheck moves_more(const std::string& a, const std::string& b, const Where& where) {
  return [=](const Curves& curves) {
    const std::string asked = fmt::format("{} moves more bytes than {} {}, mean", a, b, where.text);
    const OverPoints seen = more_bytes(curves, a, b, where);
    if (seen.points == 0) return absent(asked);
    Answer answer =
        holds_or_not(seen.mean > 0, asked,
                     fmt::format("{} against {}, {}", signed_percent(seen.mean), b, seen.range()));
    if (answer.verdict != Verdict::confirmed)
      answer.reason = fmt::format("{} bytes against {}", signed_percent(seen.mean), b);
    return answer;
  };
}

CurveCheck rises_at_the_end(const std::string& strategy, std::size_t count) {
  return [=](const Curves& curves) {
    const std::string asked = fmt::format(
        "bytes of {} over the working set at the last {} points at least twice those of any "
        "before, and its throughput below the best before",
        strategy, count);
    Extremes before;
    Extremes last;
    Extremes fast_before;
    Extremes fast_last;
    for (std::size_t i = 0; i < curves.points(); ++i) {
      if (!curves.has_bytes(strategy, i)) continue;
      const double loads = curves.bytes(strategy, i) / (curves.working_set_mib(i) * mebibyte);
      const bool late = i + count >= curves.points();
      (late ? last : before).see(loads, curves.point(i).name);
      (late ? fast_last : fast_before).see(curves.gflops(strategy, i), curves.point(i).name);
    }
    if (last.at_min.empty() || before.at_min.empty()) return absent(asked);
    return holds_or_not(
        last.min >= 2 * before.max && fast_last.max < fast_before.max, asked,
        fmt::format(
            "{:.2f} ({}) times the working set, at most {:.2f} ({}) before; {} of the best throughput",
            last.min, last.at_min, before.max, before.at_max,
            percent(fast_last.max / fast_before.max)));
  };
}

CurveCheck all_of(const std::string& asked, const std::vector<CurveCheck>& checks) {
  return [=](const Curves& curves) {
    Answer whole;
    std::vector<std::string> numbers;
    std::vector<std::string> reasons;
    for (const auto& check : checks) {
      const Answer part = check(curves);
      if (part.verdict == Verdict::untestable) continue;
      numbers.push_back(part.ours);
      if (!part.reason.empty()) reasons.push_back(part.reason);
      whole.verdict = std::max(whole.verdict, part.verdict);
    }
    if (numbers.empty()) return absent(asked);
    whole.reason = fmt::format("{}", fmt::join(reasons, "; "));
    whole.asked = asked;
    whole.ours = fmt::format("{}", fmt::join(numbers, "; "));
    return whole;
  };
}

CurveCheck each(const std::vector<std::string>& strategies,
                const std::function<CurveCheck(const std::string&)>& check) {
  return [=](const Curves& curves) {
    std::vector<CurveCheck> checks;
    checks.reserve(strategies.size());
    for (const auto& strategy : strategies) checks.push_back(check(strategy));
    // What is asked begins with the strategy's name.
    const std::string asked = checks.front()(curves).asked.substr(strategies.front().size());
    return all_of("each of " + list(strategies) + asked, checks)(curves);
  };
}

Answer answer_to(const CurveTest& test, const Curves& measured, const Curves& ours) {
  if (!test.check) return {Verdict::untestable, test.mechanism, "", "", ""};
  Answer answer = test.check(ours);
  const Answer theirs = test.check(measured);
  if (theirs.verdict != Verdict::untestable) {
    answer.measured = without_stand_in(theirs.ours);
    if (theirs.verdict != Verdict::confirmed)
      answer.measured += " (" + to_string(theirs.verdict) + ")";
  }
  if (!test.mechanism.empty()) {
    answer.verdict = Verdict::untestable;
    answer.reason = test.mechanism;
  }
  if (answer.verdict == Verdict::refuted) {
    answer.verdict = Verdict::not_reproduced;
    answer.reason += (answer.reason.empty() ? "" : ": ");
    answer.reason += test.cause.empty() ? cause_open : test.cause;
  }
  return answer;
}

std::vector<std::string> prediction_texts(const CurveFigure& figure, const Curves& predicted,
                                          const Curves& simulated) {
  std::vector<std::string> texts;
  for (const auto& strategy : figure.strategies) {
    const auto has = [&](std::size_t i) {
      return predicted.has(strategy, i) && simulated.has(strategy, i);
    };
    const OverPoints rate = over(
        predicted, everywhere(), has,
        [&](std::size_t i) {
          return predicted.gflops(strategy, i) / simulated.gflops(strategy, i) - 1;
        },
        any);
    if (rate.points == 0) continue;
    const OverPoints bytes = over(
        predicted, everywhere(), has,
        [&](std::size_t i) {
          return predicted.bytes(strategy, i) / simulated.bytes(strategy, i) - 1;
        },
        any);
    texts.push_back(fmt::format("{} predicted without simulation, {}: GFlop/s {}; bytes {}",
                                strategy, counted(rate.points, "point"), off_by(rate),
                                off_by(bytes)));
  }
  return texts;
}

Claim curve_claim(const CurveClaim& claim) {
  std::vector<Sentence> sentences;
  for (const auto& test : claim.tests) sentences.push_back(test.sentence);
  return {claim.id,
          claim.statement,
          claim.setting,
          sentences,
          [=](std::uint64_t seed) { return curve_experiments(claim.figure(), seed); },
          [=](const std::vector<Record>& records, std::uint64_t) {
            const CurveFigure figure = claim.figure();
            const Curves measured = Curves::measured(figure);
            const Curves ours = Curves::simulated(figure, records);
            Answers answers;
            for (const auto& test : claim.tests)
              answers.sentences.push_back(answer_to(test, measured, ours));
            if (claim.also != nullptr) answers.also = claim.also(ours);
            const Curves predicted = Curves::predicted(figure, records);
            for (auto& text : prediction_texts(figure, predicted, ours)) {
              answers.also.push_back(std::move(text));
            }
            if (auto note = note_on_hypergraph(answers.sentences); !note.empty()) {
              answers.also.push_back(std::move(note));
            }
            return answers;
          }};
}

}  // namespace damocles
