#include "gpu/mpi/rank_messages.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "gpu/device.hpp"

namespace damocles::rank_messages_test {
namespace {

std::byte* address(std::uint64_t number) { return address_of(number); }

TEST(RankMessages, CarryWhatATaskIs) {
  TaskCall call;
  call.task = TaskId{7};
  call.inputs = {{address(1000), 64}, {address(2000), 8}};
  call.written = {{address(3000), 24, 5, true, false}, {address(4000), 16, 6, false, true}};
  call.output = address(5000);
  call.accumulate = true;
  call.paced_s = 0.25;
  MessageWriter writer({RankVerb::compute, 3, 44});

  put_call(writer, call);
  const std::string text = writer.take();
  MessageReader reader(text);
  const TaskCall read = get_call(reader);

  EXPECT_EQ(reader.head().verb, RankVerb::compute);
  EXPECT_EQ(reader.head().run, 3U);
  EXPECT_EQ(reader.head().work, 44U);
  EXPECT_EQ(read.task, call.task);
  ASSERT_EQ(read.inputs.size(), 2U);
  EXPECT_EQ(read.inputs[1].at, address(2000));
  EXPECT_EQ(read.inputs[1].bytes, 8U);
  ASSERT_EQ(read.written.size(), 2U);
  EXPECT_EQ(read.written[0].at, address(3000));
  EXPECT_EQ(read.written[0].bytes, 24U);
  EXPECT_EQ(read.written[0].position, 5U);
  EXPECT_TRUE(read.written[0].adds);
  EXPECT_FALSE(read.written[0].fresh);
  EXPECT_FALSE(read.written[1].adds);
  EXPECT_TRUE(read.written[1].fresh);
  EXPECT_EQ(read.output, address(5000));
  EXPECT_TRUE(read.accumulate);
  EXPECT_EQ(read.paced_s, 0.25);
  EXPECT_EQ(reader.rest(), "");
}

TEST(RankMessages, CarryKernelsAndDescriptions) {
  MessageWriter writer({RankVerb::prepare});
  put_kernel(writer, {Kernel::Kind::checksum, Precision::fp64, 3, 4, 5});
  put_description(writer, {"node7", "Xeon", "OpenBLAS 0.3.21", 64});
  const std::string text = writer.take();

  MessageReader reader(text);
  const Kernel kernel = get_kernel(reader);
  const PartDescription part = get_description(reader);

  EXPECT_EQ(kernel.kind, Kernel::Kind::checksum);
  EXPECT_EQ(kernel.precision, Precision::fp64);
  EXPECT_EQ(kernel.m + 10 * kernel.n + 100 * kernel.k, 543U);
  EXPECT_EQ(part.host, "node7");
  EXPECT_EQ(part.processor, "Xeon");
  EXPECT_EQ(part.library, "OpenBLAS 0.3.21");
  EXPECT_EQ(part.threads, 64U);
}

TEST(RankMessages, AreRefusedWhereTheyEndEarly) {
  MessageWriter writer({RankVerb::compute});
  put_call(writer, {});
  const std::string whole = writer.take();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = [&] {
      MessageReader reader(std::string_view(whole).substr(0, size));
      (void)get_call(reader);
    };
    EXPECT_THROW(read(), DeviceError) << size;
  }
}

}  // namespace
}  // namespace damocles::rank_messages_test
