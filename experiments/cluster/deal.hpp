// Which row of a sweep is made next: the longest first, as far as rows made so far tell.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/row_times.hpp"

namespace damocles {

/// What is known of a row before it is made.
struct RowToDeal {
  std::size_t number = 0;  ///< in the whole sweep: messages name it so
  std::string method{};    ///< rows of one method take about as many seconds a task
  double tasks = 0;
};

/// Rows that wait to be made. Long rows go first, so that no machine starts one when all others
/// have ended. How long a row takes is learned from the rows that were made (RowTimes).
class Deal {
 public:
  explicit Deal(std::vector<RowToDeal> rows);

  /// Takes the row that should be made next; none where all are taken or made.
  [[nodiscard]] std::optional<std::size_t> next();
  /// The row is to be taken again, unless it was made meanwhile.
  void give_back(std::size_t row);
  /// The row was made. @return whether for the first time
  bool made(std::size_t row, double seconds);
  [[nodiscard]] bool complete() const { return made_ == rows_.size(); }
  /// Of the work of all rows.
  [[nodiscard]] double share_done() const { return times_.share_done(0); }

 private:
  std::vector<RowToDeal> rows_;
  std::vector<bool> is_made_;
  std::size_t made_ = 0;
  std::map<std::string, std::vector<std::size_t>> waiting_;  ///< the row with the most tasks last
  RowTimes times_;
};

}  // namespace damocles
