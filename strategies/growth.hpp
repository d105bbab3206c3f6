#pragma once

#include <vector>

#include "models/index_set.hpp"
#include "models/open_tasks.hpp"
#include "models/rng.hpp"
#include "models/workload.hpp"
#include "strategies/strategy.hpp"

namespace damocles {

/// The data-aware step that `dynamic` and the first phase of `dynamic-2phases` share.
///
/// A processor holds index sets I, J (and K) and every data they span. A step adds one random
/// unknown index to each set, sends the data that complete the span, and grants every open task
/// within it. Where a dimension is known whole (m != n), the others grow alone.
///
/// Source: HPDC'14 Algorithm 1 (DynamicOuter) and Algorithm 3 (DynamicMatrix).
class Growth {
 public:
  Growth(const Workload& workload, std::size_t processors);

  [[nodiscard]] const OpenTasks& open() const { return open_; }
  void step(ProcessorId processor, Rng& rng, Grant& grant);

 private:
  using Held = std::vector<IndexSet>;  // one set a dimension

  void step_outer(Held& held, Rng& rng, Grant& grant);
  void step_matrix(Held& held, Rng& rng, Grant& grant);

  const Workload& workload_;
  OpenTasks open_;
  std::vector<Held> held_;
};

}  // namespace damocles
