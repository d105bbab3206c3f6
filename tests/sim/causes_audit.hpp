// The loads of a run by their causes, as its events tell them: apart from the counts of machines.

#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "models/runs/trace.hpp"

namespace damocles {

/// Follows the events of a run, and compares what its Trace counted.
class CausesAudit {
 public:
  explicit CausesAudit(std::size_t processors) : loads_(processors) {}

  void take(const RunEvent& event) {
    const std::pair copy{raw(event.processor), event.id};
    if (event.kind == RunEvent::Kind::evicted) {
      left_[copy] = event.overwritten ? after_invalidation : after_eviction;
    } else if (event.kind == RunEvent::Kind::load_started) {
      const auto last = left_.find(copy);
      ++loads_[copy.first][last == left_.end() ? first : last->second];
    }
  }
  void expect(const Trace& trace) const {
    for (std::size_t p = 0; p < loads_.size(); ++p) {
      ASSERT_EQ(trace.loads_first[p], loads_[p][first]) << p;
      ASSERT_EQ(trace.loads_after_eviction[p], loads_[p][after_eviction]) << p;
      ASSERT_EQ(trace.loads_after_invalidation[p], loads_[p][after_invalidation]) << p;
      ASSERT_EQ(trace.loads[p], trace.loads_first[p] + trace.loads_after_eviction[p] +
                                    trace.loads_after_invalidation[p]);
    }
  }

 private:
  enum Cause : std::size_t { first, after_eviction, after_invalidation };

  std::vector<std::array<std::uint64_t, 3>> loads_;                      // by processor and cause
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> left_;  // copies, what ended them
};

}  // namespace damocles
