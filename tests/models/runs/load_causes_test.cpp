// The causes of loads, by hand.

#include "models/runs/load_causes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace damocles::load_causes_test {
namespace {

using Counts = std::vector<std::uint64_t>;

TEST(LoadCauses, AreToldByTheLastCopyThatLeftThatProcessor) {
  Trace trace;
  LoadCauses causes(70, 2, true, trace);  // more processors than a word has bits
  const ProcessorId p{69};
  const ProcessorId other{5};
  const DataId data{1};
  causes.load(p, data, trace);
  causes.evict(p, data, trace);
  causes.load(other, data, trace);  // the first there
  causes.load(p, data, trace);
  causes.load(p, DataId{0}, trace);
  causes.invalidate(p, data, trace);
  causes.load(p, data, trace);
  causes.evict(p, data, trace);
  causes.load(p, data, trace);

  EXPECT_EQ(trace.loads_first[69], 2U);
  EXPECT_EQ(trace.loads_after_eviction[69], 2U);
  EXPECT_EQ(trace.loads_after_invalidation[69], 1U);
  EXPECT_EQ(trace.evictions[69], 2U);
  EXPECT_EQ(trace.invalidations[69], 1U);
  EXPECT_EQ(trace.loads_first[5], 1U);
  EXPECT_EQ(trace.loads_after_eviction[5], 0U);
}

TEST(LoadCauses, AreFirstLoadsAndEvictionsWhereNobodyWrites) {
  Trace trace;
  LoadCauses causes(1, 1, false, trace);
  causes.load(ProcessorId{0}, DataId{0}, trace);
  causes.evict(ProcessorId{0}, DataId{0}, trace);
  causes.load(ProcessorId{0}, DataId{0}, trace);

  EXPECT_EQ(trace.loads_first, Counts{1});
  EXPECT_EQ(trace.loads_after_eviction, Counts{1});
  EXPECT_EQ(trace.loads_after_invalidation, Counts{0});
  EXPECT_EQ(trace.invalidations, Counts{0});
}

}  // namespace
}  // namespace damocles::load_causes_test
