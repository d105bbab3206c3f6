#include "experiments/studies/row_times.hpp"

#include <algorithm>

namespace damocles {

void RowTimes::expect(const std::string& method, double tasks) {
  Method& of = methods_[method];
  of.left += tasks;
  ++of.expected;
}

void RowTimes::made(const std::string& method, double tasks, double seconds) {
  Method& of = methods_[method];
  of.tasks += tasks;
  of.seconds += seconds;
  made_s_ += seconds;
  if (of.expected == 0) return;
  // The last one leaves nothing, whatever was rounded before.
  of.left = --of.expected == 0 ? 0 : std::max(0.0, of.left - tasks);
}

bool RowTimes::knows(const std::string& method) const {
  const auto found = methods_.find(method);
  return found != methods_.end() && has_rate(found->second);
}

double RowTimes::slowest_s() const {
  double slowest = 0;
  for (const auto& [name, method] : methods_) {
    if (has_rate(method)) slowest = std::max(slowest, method.seconds / method.tasks);
  }
  return slowest > 0 ? slowest : 1;
}

double RowTimes::a_task_s(const std::string& method) const {
  const auto found = methods_.find(method);
  if (found == methods_.end() || !has_rate(found->second)) return slowest_s();
  return found->second.seconds / found->second.tasks;
}

double RowTimes::left_s() const {
  const double unknown_s = slowest_s();
  double sum = 0;
  for (const auto& [name, method] : methods_) {
    sum += method.left * (has_rate(method) ? method.seconds / method.tasks : unknown_s);
  }
  return sum;
}

double RowTimes::share_done(double running_s) const {
  const double left = left_s();
  const double running = std::min(running_s, left);
  const double all = made_s_ + left;
  return all > 0 ? (made_s_ + running) / all : 1;
}

}  // namespace damocles
