#include "ode/hybrid_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "models/rng.hpp"
#include "models/static_start.hpp"
#include "ode/predictor.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t draws_of_estimates = 40;  // of estimates, where they are drawn

/// What flows from one zone.
struct FluidZone {
  double kept;
  double open;
  double own = 0;             // computed by its processor
  std::vector<double> taken;  // by each helper
  std::size_t computed_by = 1;
};

class Fluid {
 public:
  Fluid(std::span<const double> speeds, const std::vector<TaskLines>& zones,
        const std::vector<std::uint64_t>& kept)
      : speeds_(speeds), at_(speeds.size()) {
    std::iota(at_.begin(), at_.end(), std::size_t{0});
    for (std::size_t k = 0; k < zones.size(); ++k) {
      const auto mine = static_cast<double>(kept[k]);
      zones_.push_back({mine, static_cast<double>(zones[k].tasks()) - mine, 0,
                        std::vector<double>(zones.size(), 0)});
      tasks_ += static_cast<double>(zones[k].tasks());
    }
    for (std::size_t k = 0; k < zones.size(); ++k) {
      if (zones_[k].kept == 0) move_on(k);
    }
    while (step()) {
    }
  }

  [[nodiscard]] double end_s() const { return now_; }
  [[nodiscard]] const std::vector<FluidZone>& zones() const { return zones_; }

 private:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool on_kept(std::size_t processor) const {
    return at_[processor] == processor && zones_[processor].kept > 0;
  }

  /// To the zone with the most open tasks for each that computes them, where its own has none.
  void move_on(std::size_t processor) {
    std::size_t& at = at_[processor];
    if (zones_[at].open > 0) return;
    --zones_[at].computed_by;
    at = nowhere;
    double most = 0;
    for (std::size_t k = 0; k < zones_.size(); ++k) {
      const double a_head = zones_[k].open / (1.0 + static_cast<double>(zones_[k].computed_by));
      if (a_head <= most) continue;
      most = a_head;
      at = k;
    }
    if (at != nowhere) ++zones_[at].computed_by;
  }

  /// Until the next zone, or what is kept of one, is used up. @return whether somebody computed
  bool step() {
    std::vector<double> rate(zones_.size(), 0);  // of what is open
    double until = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < at_.size(); ++k) {
      if (on_kept(k)) {
        until = std::min(until, zones_[k].kept / speeds_[k]);
      } else if (at_[k] != nowhere) {
        rate[at_[k]] += speeds_[k];
      }
    }
    for (std::size_t k = 0; k < zones_.size(); ++k) {
      if (rate[k] > 0) until = std::min(until, zones_[k].open / rate[k]);
    }
    if (!std::isfinite(until)) return false;
    now_ += until;
    advance(until, rate);
    for (std::size_t k = 0; k < at_.size(); ++k) {
      if (!on_kept(k) && at_[k] != nowhere) move_on(k);
    }
    return true;
  }

  void advance(double seconds, const std::vector<double>& rate) {
    const double nothing = 1e-9 * tasks_;  // of a rounded difference
    for (std::size_t k = 0; k < at_.size(); ++k) {
      if (at_[k] == nowhere) continue;
      FluidZone& zone = zones_[at_[k]];
      const double done = speeds_[k] * seconds;
      (at_[k] == k ? zone.own : zone.taken[k]) += done;
      if (!on_kept(k)) continue;
      zone.kept -= done;
      if (zone.kept < nothing) zone.kept = 0;
    }
    for (std::size_t k = 0; k < zones_.size(); ++k) {
      zones_[k].open -= rate[k] * seconds;
      if (zones_[k].open < nothing) zones_[k].open = 0;
    }
  }

  std::span<const double> speeds_;
  std::vector<std::size_t> at_;  // by processor: the zone that it computes
  std::vector<FluidZone> zones_;
  double tasks_ = 0;
  double now_ = 0;
};

/// The data of some neighbours in the order of a zone, seen as a box (i, j, l): `planes` of lines,
/// a line of `tasks` tasks; of an outer product (i, 0, j).
struct Stretch {
  double lines;
  double planes;
  double of_line;  // tasks

  Stretch(double tasks, const Cuboid& box, bool outer) {
    const auto line = static_cast<double>(outer ? box.side(1) : box.side(2));
    const auto plane = outer ? 1.0 : static_cast<double>(box.side(1));
    lines = std::ceil(tasks / line);
    planes = std::ceil(lines / plane);
    of_line = std::min(tasks, line);
  }
};

/// The part of b's indices in one dimension that a has too.
double common(const Cuboid& a, const Cuboid& b, std::size_t dimension) {
  const auto first = std::max(a.first[dimension], b.first[dimension]);
  const auto last = std::min(a.last[dimension], b.last[dimension]);
  return first < last ? static_cast<double>(last - first) / static_cast<double>(b.side(dimension))
                      : 0;
}

/// The data read by one who computes a part q of the tasks of a stretch of `box`, each with that
/// chance, and knows those of `mine`.
double read(double tasks, double q, const Cuboid& box, const Cuboid& mine, bool outer) {
  const Stretch part(tasks, box, outer);
  const auto some = [&](double data, double readers) {
    return data * (1 - std::pow(1 - q, readers));
  };
  const double i = common(mine, box, 0);
  const double j = common(mine, box, 1);
  if (outer) {
    return some(part.lines, part.of_line) * (1 - i) + some(part.of_line, part.lines) * (1 - j);
  }
  const double l = common(mine, box, 2);
  const double abreast = std::min(part.lines, static_cast<double>(box.side(1)));
  return some(part.planes * part.of_line, part.lines / part.planes) * (1 - i * l) +
         some(abreast * part.of_line, part.lines / abreast) * (1 - l * j) +
         some(part.lines, part.of_line) * (1 - i * j);
}

double loads_of(const Fluid& fluid, const std::vector<TaskLines>& zones, bool outer) {
  double result = 0;
  for (std::size_t k = 0; k < zones.size(); ++k) {
    if (zones[k].tasks() == 0) continue;
    const FluidZone& zone = fluid.zones()[k];
    const Cuboid box = zones[k].around();
    const double helped = std::accumulate(zone.taken.begin(), zone.taken.end(), 0.0);
    const auto whole = static_cast<double>(zones[k].data());
    result += std::min(whole, read(zone.own, 1, box, {}, outer));
    if (helped == 0) continue;
    for (std::size_t other = 0; other < zones.size(); ++other) {
      if (zone.taken[other] == 0) continue;
      result += read(helped, zone.taken[other] / helped, box, zones[other].around(), outer);
    }
  }
  return result;
}

const Register hybrid_predictor{Predictor{
    .name = "hybrid",
    .rules = {
        {"refined",
         [](const Model&, const Problem& problem, std::span<const double> speeds, double,
            const Spec& spec) -> std::optional<Prediction> {
           return predict_hybrid(problem, speeds, spec);
         },
         [](const Model&, const Problem&, double) -> std::optional<std::string> { return ""; },
         []() -> std::optional<ValidatedDomain> { return std::nullopt; }}}}};

}  // namespace

Prediction predict_hybrid(const Problem& problem, std::span<const double> speeds,
                          const Spec& spec) {
  const StaticStart start(spec);
  const std::uint64_t runs = start.error() > 0 ? draws_of_estimates : 1;
  double sum = 0;
  double squares = 0;
  double seconds = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Rng rng(0, Draw::prediction, run);
    const auto estimates = start.estimated({speeds.begin(), speeds.end()}, rng);
    const auto zones = start.zones(problem.workload(), estimates);
    std::vector<std::uint64_t> kept;
    for (std::size_t k = 0; k < zones.size(); ++k) {
      kept.push_back(start.kept(zones[k], estimates[k], problem.workload()));
    }
    const Fluid fluid(speeds, zones, kept);
    const double loads = loads_of(fluid, zones, problem.dimensions() == 2);
    sum += loads;
    squares += loads * loads;
    seconds += fluid.end_s();
  }
  const auto count = static_cast<double>(runs);
  Prediction result;
  result.loads = sum / count;
  result.sd_loads =
      runs > 1 ? std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1))) : 0;
  result.makespan_s = seconds / count;
  return result;
}

}  // namespace damocles
