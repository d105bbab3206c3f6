#include "experiments/figures/throughput.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "strategies/partition.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr std::uint64_t runs_where_drawn = 10;

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

/// Of all processors together [B].
double memory_bytes(const std::string& platform) {
  const Scenario scenario = Scenario::parse(platform);
  double all = 0;
  if (!scenario.limits()) return all;
  for (const auto& gpu : scenario.limits()->gpus) all += static_cast<double>(gpu.memory_bytes);
  return all;
}

}  // namespace

bool agrees(double printed, double ours) {
  if (std::abs(ours - printed) <= run_to_run) return true;
  return printed * ours > 0 && std::abs(ours) <= gain_factor * std::abs(printed) &&
         std::abs(printed) <= gain_factor * std::abs(ours);
}

bool draws(const std::string& strategy) {
  return strategy.starts_with("darts") || strategy.starts_with("hypergraph");
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
            std::max<std::uint64_t>(1, runs_where_drawn / point.workloads.size());
        questions.push_back({Workload::parse(workload),
                             Scenario::parse(point.platform),
                             {strategy},
                             {},
                             true,
                             draws(strategy) ? runs : 1,
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
    const double memory = memory_bytes(record.platform);
    place_[i] = {
        *record.gflops / *record.busy_fraction, static_cast<double>(*record.data) * size / mib,
        figure.points[i].b_data * size <= memory, figure.points[i].ab_data * size <= memory};
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
  const Mean share(curves, memory_is_short,
                   [&](std::size_t i) { return curves.gflops(strategy, i) / curves.peak(i); });
  return {share.extremes.min >= near_peak,
          fmt::format("{} reaches {} of the peak where A and B do not fit together, least {} ({}), "
                      "asked {}",
                      strategy, percent(share.mean), percent(share.extremes.min),
                      share.extremes.at_min, percent(near_peak))};
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
    before = here;
    last_before = curves.point(i).name;
  }
  return {
      after.max <= collapsed * best && before > collapsed * best,
      fmt::format("{} keeps {} of its best while B fits ({}), {} ({}) to {} ({}) after, asked {}",
                  strategy, percent(before / best), last_before, percent(after.min / best),
                  after.at_min, percent(after.max / best), after.at_max, percent(collapsed))};
}

Check also_gain(const Curves& curves, const std::string& a, const std::string& b,
                const std::string& remark) {
  return {std::nullopt,
          fmt::format("{} over {} {}{}", a, b, signed_percent(mean_gain(curves, a, b)), remark)};
}

}  // namespace damocles
