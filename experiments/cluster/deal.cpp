#include "experiments/cluster/deal.hpp"

#include <algorithm>
#include <utility>

namespace damocles {

Deal::Deal(std::vector<RowToDeal> rows) : rows_(std::move(rows)), is_made_(rows_.size()) {
  for (std::size_t row = rows_.size(); row-- > 0;)
    methods_[rows_[row].method].waiting.push_back(row);
  for (auto& [name, method] : methods_) {
    std::stable_sort(method.waiting.begin(), method.waiting.end(),
                     [&](std::size_t a, std::size_t b) { return rows_[a].tasks < rows_[b].tasks; });
  }
}

double Deal::slowest() const {
  double slowest = 0;
  for (const auto& [name, method] : methods_) {
    if (method.tasks > 0) slowest = std::max(slowest, method.seconds / method.tasks);
  }
  return slowest > 0 ? slowest : 1;
}

std::optional<std::size_t> Deal::next() {
  const double unknown = slowest();
  Method* longest = nullptr;
  double longest_s = 0;
  for (auto& [name, method] : methods_) {
    while (!method.waiting.empty() && is_made_[method.waiting.back()]) method.waiting.pop_back();
    if (method.waiting.empty()) continue;
    const double a_task_s = method.tasks > 0 ? method.seconds / method.tasks : unknown;
    const double seconds = rows_[method.waiting.back()].tasks * a_task_s;
    if (longest != nullptr && seconds <= longest_s) continue;
    longest = &method;
    longest_s = seconds;
  }
  if (longest == nullptr) return std::nullopt;
  const std::size_t row = longest->waiting.back();
  longest->waiting.pop_back();
  return row;
}

void Deal::give_back(std::size_t row) {
  if (!is_made_[row]) methods_.at(rows_[row].method).waiting.push_back(row);
}

bool Deal::made(std::size_t row, double seconds) {
  if (is_made_[row]) return false;
  is_made_[row] = true;
  ++made_;
  Method& method = methods_.at(rows_[row].method);
  method.tasks += rows_[row].tasks;
  method.seconds += seconds;
  return true;
}

}  // namespace damocles
