// Which rows are meant: --where "strategy=darts,dmdar,memory>=40".
#pragma once

#include <string>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// The rows for which all conditions hold. A text has one condition or several, with commas
/// between them: COLUMN=VALUE, with further values after commas, of which one must hold;
/// COLUMN!=VALUE; or COLUMN<NUMBER with <, <=, > or >=. A column is one that row_column() knows. A
/// name means a strategy with any options: `darts` is `darts:eviction=lru` too. Numbers may have
/// units. What a row does not have is unequal to everything.
/// @throws InvalidInput where a text is no condition, or leaves no row
[[nodiscard]] std::vector<Record> rows_where(std::vector<Record> rows,
                                             const std::vector<std::string>& conditions);

}  // namespace damocles
