// How long rows take, learned from those that were made.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace damocles {

/// Rows of one method (Job::method) take about as many seconds a task. The rate of a method is the
/// mean over its rows that were made; a method without such a row counts as the slowest known.
/// Where nothing is known, a task counts as a second: shares of the work are right even so.
class RowTimes {
 public:
  /// Such a row is to be made.
  void expect(const std::string& method, double tasks);
  /// One that was expected, or any other, was made in this time.
  void made(const std::string& method, double tasks, double seconds);

  [[nodiscard]] bool knows(const std::string& method) const;
  /// What a task of the method takes.
  [[nodiscard]] double a_task_s(const std::string& method) const;
  /// What the rows that are expected take in all, one after the other.
  [[nodiscard]] double left_s() const;
  /// The share of the work that is done, from 0 to 1; without work, 1.
  /// @param running_s  of rows that are being made, what they took so far in the terms of
  /// a_task_s()
  [[nodiscard]] double share_done(double running_s) const;

 private:
  struct Method {
    double tasks = 0;    ///< of the rows that were made
    double seconds = 0;  ///< for these
    double left = 0;     ///< tasks of the rows that are expected
    std::size_t expected = 0;
  };
  [[nodiscard]] double slowest_s() const;
  [[nodiscard]] static bool has_rate(const Method& method) { return method.tasks > 0; }

  std::map<std::string, Method> methods_;
  double made_s_ = 0;
};

}  // namespace damocles
