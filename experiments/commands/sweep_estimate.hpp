// What rows will take that are to be made: time and memory, before they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/row_times.hpp"
#include "experiments/studies/study.hpp"

namespace damocles {

/// What jobs take on so many threads, in seconds: no less than the longest of them.
[[nodiscard]] double expected_duration_s(const std::vector<Job>& jobs, const RowTimes& times,
                                         std::uint64_t threads);

/// What was learned from rows that were made only to learn it.
struct RowTrial {
  std::size_t rows = 0;  ///< how many were tried
  std::optional<std::uint64_t>
      row_bytes{};  ///< memory of the row with the most tasks; none: unknown
};

/// Tries rows of the jobs: the one with the most tasks, for at most two seconds, and then the one
/// with the fewest of each method of which `times` knows nothing, for three seconds in all. A row
/// that is stopped counts by the share of its tasks that ended. @param times  learns from them
[[nodiscard]] RowTrial try_rows(const std::vector<Job>& jobs, RowTimes& times);

/// "64 rows take about 2 min 5 s on 2 threads and 40 MB of memory, estimated from times in
/// 'study.db' and 3 rows that were tried". @param known  the times that `store` has; "": there is
/// no store
[[nodiscard]] std::string estimate_of(const std::vector<Job>& jobs, RowTimes known,
                                      const std::string& store, std::uint64_t threads);

}  // namespace damocles
