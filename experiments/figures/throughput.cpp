#include "experiments/figures/throughput.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sim/simulate.hpp"
#include "strategies/partition.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr std::uint64_t runs_where_drawn = 10;
constexpr std::uint64_t partitioned_runs = 3;  // a second each, one after the other

std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

/// Mean over the points where `where` holds of value(i), and its extremes.
struct Mean {
  double mean = 0;
  std::size_t points = 0;
  Extremes extremes{};

  template <typename Value>
  Mean(const Curves& curves, const PointFilter& where, Value&& value) {
    for (std::size_t i = 0; i < curves.points(); ++i) {
      if (!where(curves, i)) continue;
      const double here = value(i);
      mean += here;
      ++points;
      extremes.see(here, curves.point(i).name);
    }
    mean /= static_cast<double>(points);
  }

  [[nodiscard]] std::string range() const {
    return fmt::format("{} ({}) to {} ({})", signed_percent(extremes.min), extremes.at_min,
                       signed_percent(extremes.max), extremes.at_max);
  }
};

Mean gain(const Curves& curves, const std::string& a, const std::string& b,
          const PointFilter& where) {
  return {curves, where,
          [&](std::size_t i) { return curves.gflops(a, i) / curves.gflops(b, i) - 1; }};
}

Limits limits_of(const std::string& platform) {
  const Scenario scenario = Scenario::parse(platform);
  return scenario.limits() ? *scenario.limits() : Limits{};
}

/// Of all processors together [B].
double memory_bytes(const Limits& limits) {
  double all = 0;
  for (const auto& gpu : limits.gpus) all += static_cast<double>(gpu.memory_bytes);
  return all;
}

}  // namespace

bool agrees(double printed, double ours) {
  if (std::abs(ours - printed) <= run_to_run) return true;
  return printed * ours > 0 && std::abs(ours) <= gain_factor * std::abs(printed) &&
         std::abs(printed) <= gain_factor * std::abs(ours);
}

std::uint64_t runs_of(const std::string& strategy) {
  if (strategy.starts_with("darts")) return runs_where_drawn;
  return strategy.starts_with("hypergraph") ? partitioned_runs : 1;
}

std::vector<std::string> hypergraph_if_built() {
  const auto& all = strategies();
  const bool known = std::any_of(all.begin(), all.end(),
                                 [](const auto& entry) { return entry.name == "hypergraph"; });
  if (known && partition_built()) return {"hypergraph"};
  return {};
}

std::vector<Question> curve_questions(const CurveFigure& figure, std::uint64_t seed) {
  std::vector<Question> questions;
  for (const auto& point : figure.points) {
    for (const auto& workload : point.workloads) {
      for (const auto& strategy : figure.strategies) {
        // Drawn workloads share out the runs among them.
        const std::uint64_t runs =
            std::max<std::uint64_t>(1, runs_of(strategy) / point.workloads.size());
        questions.push_back({Workload::parse(workload),
                             Scenario::parse(point.platform),
                             {strategy},
                             {},
                             true,
                             runs,
                             seed});
      }
    }
  }
  return questions;
}

Curves::Curves(const CurveFigure& figure, const std::vector<Record>& records)
    : figure_(figure), sums_(figure.points.size()), place_(figure.points.size()) {
  std::map<std::array<std::string, 2>, std::size_t> point_of;
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    for (const auto& workload : figure.points[i].workloads) {
      point_of[{workload, figure.points[i].platform}] = i;
    }
  }
  for (const auto& record : records) {
    const auto found = point_of.find({record.workload, record.platform});
    if (found == point_of.end() || !record.gflops) continue;
    const std::size_t i = found->second;
    Sum& sum = sums_[i][record.strategy];
    sum.gflops += *record.gflops;
    sum.bytes += *record.bytes_loaded;
    sum.makespan_s += *record.makespan_s;
    sum.n += 1;
    const double size = *record.bytes_loaded / *record.loads;
    const Limits limits = limits_of(record.platform);
    const double memory = memory_bytes(limits);
    const double peak = *record.gflops / *record.busy_fraction;
    const double bus_s = *record.lower_bound * size / limits.bus_bytes_per_s;
    const double beside_b = static_cast<double>(limits.gpus.size());  // one data of A each
    place_[i] = {.peak = peak,
                 .working_set_mib = static_cast<double>(*record.data) * size / mib,
                 .bus_allows = std::min(1.0, *record.flops / (peak * 1e9) / bus_s),
                 .b_fits = figure.points[i].b_data * size <= memory,
                 .b_fits_beside_a = (figure.points[i].b_data + beside_b) * size <= memory,
                 .ab_fits = figure.points[i].ab_data * size <= memory};
  }
}

const Curves::Sum& Curves::at(const std::string& strategy, std::size_t i) const {
  return sums_.at(i).at(strategy);
}
double Curves::gflops(const std::string& strategy, std::size_t i) const {
  return at(strategy, i).gflops / at(strategy, i).n;
}
double Curves::bytes(const std::string& strategy, std::size_t i) const {
  return at(strategy, i).bytes / at(strategy, i).n;
}
double Curves::makespan_s(const std::string& strategy, std::size_t i) const {
  return at(strategy, i).makespan_s / at(strategy, i).n;
}

bool every_point(const Curves&, std::size_t) { return true; }
bool memory_is_short(const Curves& curves, std::size_t i) { return !curves.ab_fits(i); }
bool b_does_not_fit(const Curves& curves, std::size_t i) { return !curves.b_fits(i); }

double mean_gain(const Curves& curves, const std::string& a, const std::string& b,
                 const PointFilter& where) {
  return gain(curves, a, b, where).mean;
}

double mean_more_bytes(const Curves& curves, const std::string& a, const std::string& b,
                       const PointFilter& where) {
  return Mean(curves, where,
              [&](std::size_t i) { return curves.bytes(a, i) / curves.bytes(b, i) - 1; })
      .mean;
}

Check gain_is(const Curves& curves, const std::string& a, const std::string& b, double printed) {
  const Mean ours = gain(curves, a, b, every_point);
  return {agrees(printed, ours.mean),
          fmt::format("{} over {} {}, printed {}, by point {}", a, b, signed_percent(ours.mean),
                      signed_percent(printed), ours.range())};
}

Check is_faster(const Curves& curves, const std::string& a, const std::string& b,
                const PointFilter& where, const std::string& where_text) {
  const Mean ours = gain(curves, a, b, where);
  return {ours.mean > run_to_run,
          fmt::format("{} over {} {} {}, {} points {}", a, b, signed_percent(ours.mean), where_text,
                      ours.points, ours.range())};
}

Check is_near_peak(const Curves& curves, const std::string& strategy) {
  return keeps_share_of_peak(curves, strategy, near_peak, memory_is_short,
                             "where A and B do not fit together");
}

Check collapses_without_b(const Curves& curves, const std::string& strategy) {
  double best = 0;
  double before = 0;
  std::string last_before;
  Extremes after;
  for (std::size_t i = 0; i < curves.points(); ++i) {
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
  return {after.max <= collapsed * best && before > collapsed * best,
          fmt::format(
              "{} keeps {} of its best where B still fits ({}), {} ({}) to {} ({}) after, asked {}",
              strategy, percent(before / best), last_before, percent(after.min / best),
              after.at_min, percent(after.max / best), after.at_max, percent(collapsed))};
}

Check moves_markedly_less(const Curves& curves, const std::string& a, const std::string& b,
                          const PointFilter& where, const std::string& where_text) {
  const Mean more(curves, where,
                  [&](std::size_t i) { return curves.bytes(a, i) / curves.bytes(b, i) - 1; });
  return {more.mean <= -markedly,
          fmt::format("{} moves {} bytes against {} {}, by point {}, asked {}", a,
                      signed_percent(more.mean), b, where_text, more.range(),
                      signed_percent(-markedly))};
}

Check is_never_slower(const Curves& curves, const std::string& a,
                      const std::vector<std::string>& others, const PointFilter& where,
                      const std::string& where_text) {
  Extremes worst;
  for (const auto& other : others) {
    for (std::size_t i = 0; i < curves.points(); ++i) {
      if (!where(curves, i)) continue;
      worst.see(curves.gflops(a, i) / curves.gflops(other, i) - 1,
                fmt::format("{} at {}", other, curves.point(i).name));
    }
  }
  return {worst.min >= -run_to_run,
          fmt::format("{} {} against the others, worst {} ({})", a, where_text,
                      signed_percent(worst.min), worst.at_min)};
}

Check keeps_share_of_peak(const Curves& curves, const std::string& strategy, double asked,
                          const PointFilter& where, const std::string& where_text) {
  const Mean share(curves, where,
                   [&](std::size_t i) { return curves.gflops(strategy, i) / curves.peak(i); });
  return {share.extremes.min >= asked,
          fmt::format("{} reaches {} of the peak {}, least {} ({}), asked {}", strategy,
                      percent(share.mean), where_text, percent(share.extremes.min),
                      share.extremes.at_min, percent(asked))};
}

Check suffers(const Curves& curves, const std::string& strategy, const PointFilter& where,
              const std::string& where_text) {
  const Mean share(curves, where,
                   [&](std::size_t i) { return curves.gflops(strategy, i) / curves.peak(i); });
  return {share.mean <= collapsed,
          fmt::format("{} reaches {} of the peak {}, at most {} asked", strategy,
                      percent(share.mean), where_text, percent(collapsed))};
}

double wall_seconds(const std::string& workload, const std::string& platform,
                    const std::string& strategy, std::uint64_t seed) {
  const Workload made = Workload::parse(workload);
  const auto chosen = StrategyChoice::parse(strategy, made);
  const Platform drawn = Scenario::parse(platform).draw(seed, 0);
  const auto start = std::chrono::steady_clock::now();
  (void)simulate(made, drawn, chosen, seed, 0);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

Check decisions_cost_too_much(const Curves& curves, std::size_t i, const std::string& strategy,
                              const std::string& other, std::uint64_t seed) {
  const CurvePoint& point = curves.point(i);
  const double wall = wall_seconds(point.workloads.front(), point.platform, strategy, seed);
  const double ours = curves.makespan_s(strategy, i) + wall;
  const double theirs = curves.makespan_s(other, i);
  return {ours > theirs,
          fmt::format("{} at {} takes {:.3f} s of wall time to simulate, all decisions included, "
                      "for a makespan of {:.2f} s; with both {:+.1f} % against {}",
                      strategy, point.name, wall, curves.makespan_s(strategy, i),
                      100 * (ours / theirs - 1), other)};
}

Claim curve_claim(const CurveClaim& claim) {
  return {claim.id, claim.statement, claim.setting,
          [=](std::uint64_t seed) { return curve_questions(claim.figure(), seed); },
          [=](const std::vector<Record>& records, std::uint64_t seed) {
            const CurveFigure figure = claim.figure();
            return judged(claim.checks(Curves(figure, records), seed));
          }};
}

Check also_gain(const Curves& curves, const std::string& a, const std::string& b,
                const std::string& remark) {
  return {std::nullopt,
          fmt::format("{} over {} {}{}", a, b, signed_percent(mean_gain(curves, a, b)), remark)};
}

}  // namespace damocles
