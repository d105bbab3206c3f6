#pragma once

#include <vector>

#include "models/bipartite.hpp"

namespace damocles {

/// All tasks by their sorted inputs, then by their ids: an order that does not depend on that of
/// their submission, but for tasks with the same inputs.
[[nodiscard]] std::vector<Bipartite::Index> by_inputs(const Bipartite& graph);

/// All tasks by their ids.
[[nodiscard]] std::vector<Bipartite::Index> as_submitted(const Bipartite& graph);

}  // namespace damocles
