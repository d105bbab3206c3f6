#include "experiments/cluster/deal.hpp"

#include <algorithm>
#include <utility>

namespace damocles {

Deal::Deal(std::vector<RowToDeal> rows) : rows_(std::move(rows)), is_made_(rows_.size()) {
  for (std::size_t row = rows_.size(); row-- > 0;) {
    waiting_[rows_[row].method].push_back(row);
    times_.expect(rows_[row].method, rows_[row].tasks);
  }
  for (auto& [method, waiting] : waiting_) {
    std::stable_sort(waiting.begin(), waiting.end(),
                     [&](std::size_t a, std::size_t b) { return rows_[a].tasks < rows_[b].tasks; });
  }
}

std::optional<std::size_t> Deal::next() {
  std::vector<std::size_t>* longest = nullptr;
  double longest_s = 0;
  for (auto& [method, waiting] : waiting_) {
    while (!waiting.empty() && is_made_[waiting.back()]) waiting.pop_back();
    if (waiting.empty()) continue;
    const double seconds = rows_[waiting.back()].tasks * times_.a_task_s(method);
    if (longest != nullptr && seconds <= longest_s) continue;
    longest = &waiting;
    longest_s = seconds;
  }
  if (longest == nullptr) return std::nullopt;
  const std::size_t row = longest->back();
  longest->pop_back();
  return row;
}

void Deal::give_back(std::size_t row) {
  if (!is_made_[row]) waiting_.at(rows_[row].method).push_back(row);
}

bool Deal::made(std::size_t row, double seconds) {
  if (is_made_[row]) return false;
  is_made_[row] = true;
  ++made_;
  times_.made(rows_[row].method, rows_[row].tasks, seconds);
  return true;
}

}  // namespace damocles
