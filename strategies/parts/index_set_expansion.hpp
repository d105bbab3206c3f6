#pragma once

#include <memory>

#include "models/rng.hpp"
#include "models/workload.hpp"
#include "strategies/parts/open_tasks.hpp"
#include "strategies/strategy.hpp"

namespace damocles {

/// The data-aware step that `dynamic` and the first phase of `dynamic-2phases` share.
///
/// A processor holds index sets I, J (and K) and every data item they span. A step adds one random
/// unknown index to each set, sends the data that complete the span, and grants every open task
/// within it. Where a dimension is known whole (m != n), the others grow alone.
///
/// Source: HPDC'14 Algorithm 1 (DynamicOuter) and Algorithm 3 (DynamicMatrix).
class IndexSetExpansion {
 public:
  static std::unique_ptr<IndexSetExpansion> make(const Workload& workload, std::size_t processors);

  IndexSetExpansion() = default;
  IndexSetExpansion(const IndexSetExpansion&) = delete;
  IndexSetExpansion& operator=(const IndexSetExpansion&) = delete;
  virtual ~IndexSetExpansion() = default;

  [[nodiscard]] virtual const OpenTasks& open() const = 0;
  virtual void step(ProcessorId processor, Rng& rng, Grant& grant) = 0;
};

}  // namespace damocles
