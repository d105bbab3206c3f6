#include "experiments/recommend/race.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/studies/students_t.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"

namespace damocles {
namespace {

constexpr double sure_to_lose = 0.01;  // who is as good with less probability drops out
constexpr double at_bound = 1.002;
constexpr std::uint64_t least_rounds = 3;

/// Of paired runs: how likely a mean is more than the tolerance below another one.
double chance_to_be_better(const Runner& other, const Runner& best) {
  const std::size_t n = std::min(other.runs.size(), best.runs.size());
  if (n < 2) return other.mean < (1 - race_tolerance) * best.mean ? 1 : 0;
  std::vector<double> gains(n);
  for (std::size_t k = 0; k < n; ++k) {
    gains[k] = (1 - race_tolerance) * best.runs[k] - other.runs[k];
  }
  const auto count = static_cast<double>(n);
  const double mean = std::accumulate(gains.begin(), gains.end(), 0.0) / count;
  double squares = 0;
  for (const double gain : gains) squares += (gain - mean) * (gain - mean);
  const double error = std::sqrt(squares / (count - 1) / count);
  if (!(error > 0)) return mean > 0 ? 1 : 0;
  return students_t_above(-mean / error, count - 1);
}

class RaceCourse {
 public:
  RaceCourse(const std::vector<std::string>& strategies, double bound,
             const std::function<double(const std::string&, std::uint64_t)>& run,
             std::chrono::steady_clock::time_point until)
      : bound_(bound), run_(run), until_(until) {
    for (const std::string& strategy : strategies) runners_.push_back({strategy, {}, false, {}, 0});
  }

  Race run() {
    for (std::uint64_t round = 0; round < most_rounds; ++round) {
      if (!make_round(round)) break;
      if (round > 0) drop_losers(round);
      if (round == 0) drop_those_far_behind();
      if (is_decided(round)) break;
    }
    return result();
  }

 private:
  [[nodiscard]] bool in_time() const { return std::chrono::steady_clock::now() < until_; }

  /// One run of all that are left; false where time is up.
  bool make_round(std::uint64_t round) {
    std::vector<Runner*> left;
    for (Runner& runner : runners_) {
      if (!runner.out) left.push_back(&runner);
    }
    in_parallel(left.size(), [&](std::uint64_t k) {
      Runner& runner = *left[k];
      if (!in_time() && !(round == 0 && k == 0)) return;
      try {
        runner.runs.push_back(run_(runner.strategy, round));
      } catch (const Infeasible& why) {
        runner.refused = why.what();
      } catch (const NoProgress& why) {
        runner.refused = why.what();
      }
    });
    bool whole = true;
    for (Runner* const runner : left) {
      if (runner->runs.size() == round + 1) {
        runner->mean = std::accumulate(runner->runs.begin(), runner->runs.end(), 0.0) /
                       static_cast<double>(runner->runs.size());
      } else if (round == 0) {
        whole = whole && !runner->refused.empty();
        runner->out = true;
      } else {
        whole = false;
      }
    }
    out_of_time_ = !whole;
    return whole || round == 0;
  }

  [[nodiscard]] Runner* best() {
    Runner* first = nullptr;
    for (Runner& runner : runners_) {
      if (runner.runs.empty() || runner.out) continue;
      if (first == nullptr || runner.mean < first->mean) first = &runner;
    }
    return first;
  }

  void drop_those_far_behind() {
    const Runner* const first = best();
    if (first == nullptr) return;
    const double limit = race_far_behind * first->mean;
    for (Runner& runner : runners_) {
      if (!runner.out && runner.mean > limit) runner.out = true;
    }
  }

  void drop_losers(std::uint64_t round) {
    if (round + 1 < least_rounds) return;
    const Runner* const first = best();
    for (Runner& runner : runners_) {
      if (runner.out || &runner == first) continue;
      // That the first is better than this one by more than the tolerance.
      if (1 - chance_to_be_better(*first, runner) < sure_to_lose) runner.out = true;
    }
  }

  [[nodiscard]] bool is_decided(std::uint64_t round) {
    const Runner* const first = best();
    if (first == nullptr || out_of_time_) return true;
    const auto left = std::count_if(runners_.begin(), runners_.end(),
                                    [](const Runner& runner) { return !runner.out; });
    if (left == 1) return true;
    if (round + 1 < least_rounds) return false;
    if (first->mean < at_bound * bound_) return true;
    return confidence(*first) > 1 - sure_to_lose;
  }

  [[nodiscard]] double confidence(const Runner& first) const {
    double doubt = 0;
    for (const Runner& runner : runners_) {
      if (&runner == &first || runner.runs.empty()) continue;
      doubt += chance_to_be_better(runner, first);
    }
    return std::max(0.0, 1 - doubt);
  }

  Race result() {
    Race race;
    const Runner* const first = best();
    if (first == nullptr) {
      const auto refused = std::find_if(runners_.begin(), runners_.end(),
                                        [](const Runner& one) { return !one.refused.empty(); });
      throw InvalidInput(refused != runners_.end() ? refused->refused
                                                   : "no strategy has a run to compare");
    }
    race.confidence = confidence(*first);
    const std::string winner = first->strategy;  // *first is moved below
    race.out_of_time = out_of_time_;
    for (Runner& runner : runners_) {
      (runner.runs.empty() ? race.others : race.runners).push_back(std::move(runner));
    }
    // Those that are out made fewer runs, whose mean may be below that of all draws.
    std::stable_sort(race.runners.begin(), race.runners.end(),
                     [&](const Runner& a, const Runner& b) {
                       const bool a_wins = a.strategy == winner;
                       const bool b_wins = b.strategy == winner;
                       if (a_wins != b_wins) return a_wins;
                       return a.mean < b.mean;
                     });
    return race;
  }

  double bound_;
  const std::function<double(const std::string&, std::uint64_t)>& run_;
  std::chrono::steady_clock::time_point until_;
  std::vector<Runner> runners_;
  bool out_of_time_ = false;
};

}  // namespace

Race race(const std::vector<std::string>& strategies, double bound,
          const std::function<double(const std::string&, std::uint64_t)>& run,
          std::chrono::steady_clock::time_point until) {
  return RaceCourse(strategies, bound, run, until).run();
}

}  // namespace damocles
