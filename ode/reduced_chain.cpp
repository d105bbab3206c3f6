#include "ode/reduced_chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <queue>
#include <span>
#include <utility>

#include "models/bounds/grid_bound.hpp"
#include "models/rng.hpp"
#include "models/stop.hpp"
#include "ode/correlation.hpp"
#include "ode/pair_closure.hpp"
#include "ode/step_law.hpp"

namespace damocles {
namespace {

/// How fast the density that a processor meets forgets: its correlation between tau' and tau is
/// exp(-(age(tau) - age(tau'))), section 7's kernel taken from one instant to the next.
class Memory {
 public:
  explicit Memory(const Problem& problem)
      : stride_((std::log(problem.tasks()) + 1) / nodes), ages_(problem.groups().size()) {
    const Correlation correlation(problem);
    for (auto& ages : ages_) ages.assign(nodes + 1, 0);
    std::vector<double> last(ages_.size(), 0);
    for (std::size_t node = 1; node <= nodes; ++node) {
      const double now = stride_ * static_cast<double>(node);
      const double before = std::max(now - stride_, 1e-6);
      const auto at_once = correlation.total(now, now);
      const auto apart = correlation.total(before, now);
      for (std::size_t g = 0; g < ages_.size(); ++g) {
        const double variance = std::max(0.0, correlation.own(g, at_once, now, now));
        const double both = correlation.own(g, apart, before, now);
        const double of = variance * last[g] > 0 ? both / std::sqrt(variance * last[g]) : 0;
        ages_[g][node] = ages_[g][node - 1] - std::log(std::clamp(of, 1e-3, 1.0));
        last[g] = variance;
      }
    }
  }

  [[nodiscard]] double age(std::size_t g, double tau) const {
    const double at = std::clamp(tau / stride_, 0.0, static_cast<double>(nodes) - 1e-9);
    const auto node = static_cast<std::size_t>(at);
    return std::lerp(ages_[g][node], ages_[g][node + 1], at - static_cast<double>(node));
  }

 private:
  static constexpr std::size_t nodes = 60;
  double stride_;
  std::vector<std::vector<double>> ages_;  // shape (groups, nodes + 1)
};

/// Standard normal numbers, by Box and Muller.
class Normal {
 public:
  double operator()(Rng& rng) {
    if (std::exchange(kept_, !kept_)) return other_;
    const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
    const double angle = 2 * std::numbers::pi * rng.uniform();
    other_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }

 private:
  bool kept_ = false;
  double other_ = 0;
};

/// One run.
class Run {
 public:
  Run(const Problem& problem, const Memory& memory, std::uint64_t replicate)
      : problem_(problem),
        closure_(problem),
        memory_(memory),
        rng_(0, Draw::prediction, replicate) {
    for (std::size_t g = 0; g < problem.groups().size(); ++g) {
      const auto& group = problem.groups()[g];
      for (double k = 0; k < group.count; ++k) {
        processors_.push_back({.group = g, .speed = group.share, .luck = normal_(rng_)});
      }
    }
    all_.fill(1);
    open_ = problem.tasks();
    std::vector<std::size_t> order(processors_.size());
    std::iota(order.begin(), order.end(), 0);
    // The numbers that break ties have nothing to do with the groups.
    rng_.shuffle(std::span(order));
    for (std::size_t k = 0; k < order.size(); ++k) processors_[k].number = order[k];
    rng_.shuffle(std::span(order));
    for (std::size_t k = 0; k < order.size(); ++k) asks_.push({{0.0, order[k]}, k});
  }

  /// Until at most `threshold` tasks are open.
  void until(double threshold) {
    while (open_ > threshold) {
      stop_if_asked();
      const auto [when, k] = asks_.top();
      asks_.pop();
      const double tasks = turn(processors_[k]);
      open_ -= tasks;
      asks_.push({{when.first + tasks / processors_[k].speed, processors_[k].number}, k});
    }
  }

  [[nodiscard]] double loads() const { return loads_; }

  /// Where it stands, and how many of the open tasks each processor draws if it asks for one at a
  /// time from now on.
  [[nodiscard]] ChainState state() const {
    const std::vector<double> draws = tasks_drawn();
    std::map<std::pair<PairClosure::Sides, std::size_t>, ChainState::Class> alike;
    for (std::size_t k = 0; k < processors_.size(); ++k) {
      const Processor& processor = processors_[k];
      ChainState::Class& one = alike[{processor.known, processor.group}];
      one.known = processor.known;
      one.draws += draws[k];
      ++one.count;
    }
    ChainState result{open_, loads_, {}};
    for (auto& [what, one] : alike) {
      one.draws /= one.count;
      result.classes.push_back(one);
    }
    return result;
  }

 private:
  struct Processor {
    std::size_t group;
    double speed;
    std::size_t number = 0;
    double luck;  // standardised logarithm of the density it meets
    double age = 0;
    PairClosure::Sides known{};
    PairClosure::Weights weights{1, 1, 1, 1, 1, 1, 1, 1};
  };
  using When = std::pair<double, std::size_t>;  // ties: by number; at the start, as drawn
  using Ask = std::pair<When, std::size_t>;
  using Asks = std::priority_queue<Ask, std::vector<Ask>, std::greater<>>;

  [[nodiscard]] std::vector<double> tasks_drawn() const {
    std::vector<double> draws(processors_.size(), 0);
    // Relative speeds sum to 1, so less than `open_` tasks are drawn before this instant: they are
    // counted, and only the rest is dealt.
    const double counted =
        asks_.top().first.first + open_ - static_cast<double>(processors_.size());
    Asks dealt;
    double left = open_;
    for (Asks asks = asks_; !asks.empty(); asks.pop()) {
      auto [when, k] = asks.top();
      draws[k] = std::max(0.0, std::floor((counted - when.first) * processors_[k].speed));
      left -= draws[k];
      dealt.push({{when.first + draws[k] / processors_[k].speed, when.second}, k});
    }
    for (; left > 0; --left) {
      const auto [when, k] = dealt.top();
      dealt.pop();
      ++draws[k];
      dealt.push({{when.first + 1 / processors_[k].speed, when.second}, k});
    }
    return draws;
  }

  /// Steps until one finds tasks. @return how many
  double turn(Processor& processor) {
    PairClosure::Weights others;
    for (std::size_t i = 0; i < others.size(); ++i) others[i] = all_[i] / processor.weights[i];
    const double held = box_data(problem_.workload(), processor.known);
    double tasks = 0;
    while (tasks == 0) {
      const auto step = closure_.step(processor.known, others);
      const double cells = std::min(open_, step.cells);
      tasks = step.found >= 1 ? open_ : found_by(processor, step, cells);
      for (int i = 0; i < problem_.dimensions(); ++i) {
        double& known = processor.known[static_cast<std::size_t>(i)];
        known = std::min(problem_.extent(i), known + 1);
      }
    }
    processor.weights = closure_.of(processor.known);
    for (std::size_t i = 0; i < others.size(); ++i) all_[i] = others[i] * processor.weights[i];
    loads_ += box_data(problem_.workload(), processor.known) - held;
    return tasks;
  }

  /// Both draw, and compilers differ in which argument of a call they compute first.
  double found_by(Processor& processor, const PairClosure::Step& step, double cells) {
    const double normal = normal_(rng_);
    const StepLaw its_law = law(processor, step);
    return draw_found(its_law, cells, rng_, normal);
  }

  /// What the step finds, at the density that the processor meets.
  StepLaw law(Processor& processor, const PairClosure::Step& step) {
    const double tau = std::log((problem_.tasks() + 0.5) / (open_ + 0.5));
    const double age = memory_.age(processor.group, tau);
    const double kept = std::exp(-std::max(0.0, age - processor.age));
    processor.age = age;
    processor.luck = kept * processor.luck + std::sqrt(1 - kept * kept) * normal_(rng_);
    // Pairs of different tasks make it vary: the last one is anywhere.
    const double spread = step.spread * (1 - 1 / open_);
    const double variance = std::log1p(spread);
    const double density = std::exp(std::sqrt(variance) * processor.luck - variance / 2);
    const double mean = open_ * step.found;
    const double pairs = open_ * (open_ - 1) * step.both;
    const double excess = density * (pairs / (mean * (1 + spread)) - mean);
    return {mean * density, std::max(excess, -0.999999)};
  }

  const Problem& problem_;
  PairClosure closure_;
  const Memory& memory_;
  Rng rng_;
  Normal normal_;
  std::vector<Processor> processors_;
  PairClosure::Weights all_{};  // products over processors
  double open_ = 0;
  double loads_ = 0;
  Asks asks_;
};

}  // namespace

namespace {

/// How many runs are sampled.
struct Sampling {
  double fewest;
  double error;  ///< standard error of the mean at which no more are, relative
};

template <typename OneRun>
ChainLoads sample(const Problem& problem, const Sampling& wanted, OneRun&& one_run) {
  constexpr double most_steps = 1e7;
  constexpr double most = 1000;
  const double fewest =
      std::clamp(std::floor(most_steps / chain_steps(problem)), 4.0, wanted.fewest);
  const Memory memory(problem);
  ChainLoads loads{0, 0, 0};
  double squares = 0;
  double within = 0;  // sum of the variances of runs that go on from a sampled state
  const auto error = [&] { return std::sqrt(squares / (loads.runs - 1) / loads.runs); };
  do {
    Run run(problem, memory, static_cast<std::uint64_t>(loads.runs));
    const RunLoads one = one_run(run);
    ++loads.runs;
    const double before = one.mean - loads.mean;
    loads.mean += before / loads.runs;
    squares += before * (one.mean - loads.mean);
    within += one.variance;
  } while (loads.runs < fewest || (loads.runs < most && error() > wanted.error * loads.mean));
  loads.variance = squares / (loads.runs - 1) + within / loads.runs;
  return loads;
}

}  // namespace

double chain_steps(const Problem& problem) {
  double steps = 0;
  for (const auto& group : problem.groups()) {
    const auto sides = problem.sides(group.share * std::log(problem.tasks()));
    steps += group.count * *std::max_element(sides.begin(), sides.end());
  }
  return steps;
}

ChainLoads sample_dynamic(const Problem& problem) {
  return sample(problem, {.fewest = 64, .error = 1e-3}, [](Run& run) {
    run.until(0);
    return RunLoads{.mean = run.loads()};
  });
}

ChainLoads sample_two_phases(const Problem& problem, double tasks_left,
                             const std::function<RunLoads(const ChainState&)>& phase2) {
  return sample(problem, {.fewest = 16, .error = 2e-3}, [&](Run& run) {
    run.until(tasks_left);
    RunLoads loads = phase2(run.state());
    loads.mean += run.loads();
    return loads;
  });
}

}  // namespace damocles
