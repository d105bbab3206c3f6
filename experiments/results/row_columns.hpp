// Columns of rows by name: those of result files, and the options of a row's workload, platform and
// strategy.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/results/value_table.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// A column: its name as it was asked for, and its value in a row.
struct RowColumn {
  std::string name;
  std::function<Value(const Record&)> of;
};

/// The column of this name. `memory` is what the platform of a row says of it. Where workload,
/// platform and strategy have such an option, `platform.memory` says which. `n` is that of the
/// workload, as in `damocles plot`: rows of a store are no summaries.
/// @param asked_by  what errors begin with, as "--where"
/// @throws InvalidInput, naming what there is, where no row has such a column, or several
[[nodiscard]] RowColumn row_column(const std::vector<Record>& rows, const std::string& name,
                                   std::string_view asked_by);

/// The options in the text of a workload, a platform or a strategy, as they stand there; none of a
/// text that is no such thing.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> options_in(const std::string& text);

/// The number that a value is: a text may have a unit, as 500MB, or count data items, as 40data.
[[nodiscard]] std::optional<double> number_of(const Value& value);

}  // namespace damocles
