// Statistics of rows that have the same values in some columns.
#pragma once

#include <string>
#include <vector>

#include "experiments/results/value_table.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// One row for each combination of values of the columns `by`, in the order in which they come
/// first. Behind these values stand `rows`, the number of those with a result, and of each measure
/// the mean under its own name, then, with _sd, _ci95, _q05, _q50 and _q95 behind the name, the
/// standard deviation, half the width of the 95 % confidence interval of the mean, and quantiles.
///
/// Rows whose status is neither ok nor unverified have no result: where there are some, the column
/// `no_result` counts them. A quantile lies between the two nearest values, by linear
/// interpolation.
///
/// @param measures  columns of numbers; none: makespan_s where memory is limited, loads and
///                  volume_ratio, those that some row has
/// @throws InvalidInput on a column that does not exist, or on a measure that holds no numbers
[[nodiscard]] ValueTable grouped(const std::vector<Record>& rows,
                                 const std::vector<std::string>& by,
                                 const std::vector<std::string>& measures);

}  // namespace damocles
