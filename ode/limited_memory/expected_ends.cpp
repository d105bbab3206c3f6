#include "ode/limited_memory/expected_ends.hpp"

#include <algorithm>

namespace damocles {

ExpectedEnds::ExpectedEnds(const LimitedRun& run, bool transfers_delay)
    : run_(run),
      transfers_delay_(transfers_delay),
      transfer_s_(run.latency_s +
                  std::max(run.link_s, 2 * static_cast<double>(run.processors) * run.bus_s)),
      all_(run.processors, Allotted{.sent = std::vector<char>(run.data(), 0)}),
      wait_s_(run.tasks(), 0) {}

double ExpectedEnds::transfers_s(const Allotted& to, Index task) const {
  double all_s = 0;
  for (const Index item : run_.graph->inputs(task)) all_s += to.sent[item] != 0 ? 0 : transfer_s_;
  return all_s;
}

double ExpectedEnds::end_s(std::size_t on, Index task, double transfers_s) const {
  return std::max(all_[on].left_s, transfers_delay_ ? transfers_s : 0) + run_.s(on, task);
}

ExpectedEnds::Choice ExpectedEnds::choose(Index task) const {
  Choice best;
  double least_s = 0;
  for (std::size_t k = 0; k < all_.size(); ++k) {
    const double its_transfers_s = transfers_s(all_[k], task);
    const double its_end_s = end_s(k, task, its_transfers_s);
    if (k > 0 && its_end_s + its_transfers_s >= least_s) continue;
    best = {k, its_end_s};
    least_s = its_end_s + its_transfers_s;
  }
  return best;
}

double ExpectedEnds::spread_s(Index task) const {
  std::vector<double> ends_s;
  for (std::size_t k = 0; k < all_.size(); ++k) {
    ends_s.push_back(end_s(k, task, transfers_s(all_[k], task)));
  }
  const auto [soonest, latest] = std::minmax_element(ends_s.begin(), ends_s.end());
  return *latest - *soonest;
}

void ExpectedEnds::allot(Index task, const Choice& choice) {
  Allotted& to = all_[choice.processor];
  wait_s_[task] = choice.end_s - run_.s(choice.processor, task) - to.left_s;
  to.left_s = choice.end_s;
  ++to.tasks;
  for (const Index item : run_.graph->inputs(task)) to.sent[item] = 1;
}

void ExpectedEnds::started(std::size_t processor, Index task) {
  double& left_s = all_[processor].left_s;
  left_s = std::max(0.0, left_s - wait_s_[task]);
}

void ExpectedEnds::ended(std::size_t processor, Index task) {
  Allotted& its = all_[processor];
  --its.tasks;
  // What is left of rounding ends with the last task.
  its.left_s = its.tasks == 0 ? 0 : std::max(0.0, its.left_s - run_.s(processor, task));
}

}  // namespace damocles
