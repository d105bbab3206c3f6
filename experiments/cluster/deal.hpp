// Which row of a sweep is made next: the longest first, as far as rows made so far tell.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace damocles {

/// What is known of a row before it is made.
struct RowToDeal {
  std::size_t number = 0;  ///< in the whole sweep: messages name it so
  std::string method{};    ///< rows of one method take about as many seconds a task
  double tasks = 0;
};

/// Rows that wait to be made. Long rows go first, so that no machine starts one when all others
/// have ended. A row takes its tasks times the seconds a task of its method, which is the mean over
/// the rows that were made; a method without such a row counts as the slowest known.
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

 private:
  struct Method {
    std::vector<std::size_t> waiting;  ///< the row with the most tasks last
    double tasks = 0;                  ///< of the rows that were made
    double seconds = 0;                ///< for these
  };
  [[nodiscard]] double slowest() const;

  std::vector<RowToDeal> rows_;
  std::vector<bool> is_made_;
  std::size_t made_ = 0;
  std::map<std::string, Method> methods_;
};

}  // namespace damocles
