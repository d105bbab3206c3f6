#include "gpu/verification/written_check.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "gpu/host/host_kernels.hpp"
#include "gpu/verification/verify.hpp"
#include "models/levels.hpp"
#include "tests/gpu/plain_device.hpp"

namespace damocles::written_check_test {
namespace {

using Index = TaskGraph::Index;

/// Cholesky tasks, run on the store itself in an order that a test chooses.
class ByHand {
 public:
  explicit ByHand(const std::string& text = "cholesky:n=3,tile=3,precision=single,deps=true")
      : workload(Workload::parse(text)),
        arithmetic(Arithmetic::of(workload, {}, 5)),
        store(arithmetic, device_) {}

  void run(Index task) {
    TaskCall call{.task = TaskId{task}, .inputs = {}, .written = {}};
    arithmetic.for_each_read(TaskId{task}, [&](DataId data) {
      call.inputs.push_back({store.data(data), arithmetic.data_bytes(data)});
    });
    arithmetic.for_each_written(
        TaskId{task}, [&](DataId data, std::uint64_t position, Access access) {
          call.written.push_back({store.place(data), arithmetic.data_bytes(data), position,
                                  commutes(access) || reduces(access)});
        });
    run_on_host(arithmetic.kernel(), call);
  }
  void run_all() {
    for (Index task = 0; task < workload.tasks(); ++task) run(task);
  }
  [[nodiscard]] std::string wrong() const {
    return wrong_data(arithmetic, workload.graph(), store);
  }

  const Workload workload;
  const Arithmetic arithmetic;

 private:
  PlainDevice device_;  // outlives the store

 public:
  Store store;
};

TEST(WrittenCheck, TasksInTheOrderOfSubmissionAreRight) {
  ByHand cholesky;
  cholesky.run_all();
  EXPECT_EQ(cholesky.wrong(), "");
  ByHand stencil("stencil:n=3,steps=2,tile=3");
  stencil.run_all();
  EXPECT_EQ(stencil.wrong(), "");
}

/// Not the rows of A and columns of B, which are only read.
TEST(WrittenCheck, CountsWhatTasksWrite) {
  ByHand product("starpu-sgemm:n=2,tile=4,k=4");
  product.run_all();
  EXPECT_EQ(product.workload.data(), 8);
  const auto found =
      verify_results(product.arithmetic, product.workload, product.store, Check::automatic);
  EXPECT_TRUE(found.text.starts_with("right: checksums of 4 written data items equal"))
      << found.text;
}

TEST(WrittenCheck, AnyWordOfAnyDataCounts) {
  for (std::uint64_t data = 0; data < 6; ++data) {
    ByHand cholesky;
    cholesky.run_all();
    for (const std::size_t at : {0U, 17U, 35U}) {  // 9 numbers of 4 bytes
      cholesky.store.place(DataId{data})[at] ^= std::byte{1};
      EXPECT_NE(cholesky.wrong(), "") << data << " " << at;
      cholesky.store.place(DataId{data})[at] ^= std::byte{1};
    }
    EXPECT_EQ(cholesky.wrong(), "");
  }
}

/// The first that is wrong is named, not those that came of it.
TEST(WrittenCheck, AVersionThatWasReadTooEarlyShowsInAllThatCameOfIt) {
  ByHand cholesky;
  cholesky.run(1);  // TRSM before POTRF
  cholesky.run(0);
  for (Index task = 2; task < cholesky.workload.tasks(); ++task) cholesky.run(task);
  const TaskGraph& graph = cholesky.workload.graph();
  const std::string first = graph.data_name(graph.inputs(1)[1]);
  const std::string text = cholesky.wrong();
  EXPECT_TRUE(text.starts_with("wrong: data " + first + ", which task " + graph.task_name(1) +
                               " wrote last, is not what it should be"))
      << text;
  EXPECT_NE(text.find("; and "), std::string::npos) << text;
}

/// Of two wrong data items, the one that was written first is named, whatever their numbers are.
TEST(WrittenCheck, NamesTheDataItemThatWasWrittenFirst) {
  const auto named = [](const std::vector<std::uint64_t>& wrong) {
    ByHand cholesky;
    cholesky.run_all();
    for (const std::uint64_t data : wrong) cholesky.store.place(DataId{data})[0] ^= std::byte{1};
    const std::string text = cholesky.wrong();
    return text.substr(0, text.find(", which"));
  };
  const ByHand cholesky;
  const TaskGraph& graph = cholesky.workload.graph();
  std::vector<std::uint32_t> written_at(graph.data());  // depth of the last writer
  const auto depth = depths(graph);
  for (const Index task : graph.dependencies().order(graph.tasks())) {
    graph.for_each_access(task, [&](Index data, Access access) {
      if (writes(access)) written_at[data] = depth[task];
    });
  }
  bool later_number_first = false;
  for (std::uint64_t a = 0; a < graph.data(); ++a) {
    for (std::uint64_t b = a + 1; b < graph.data(); ++b) {
      const std::uint64_t first = written_at[b] < written_at[a] ? b : a;
      later_number_first = later_number_first || first == b;
      EXPECT_EQ(named({a, b}), "wrong: data " + graph.data_name(static_cast<Index>(first)));
    }
  }
  EXPECT_TRUE(later_number_first);
}

TEST(WrittenCheck, ATaskThatRanTwiceOrNeverShows) {
  ByHand twice;
  twice.run_all();
  twice.run(static_cast<Index>(twice.workload.tasks() - 1));
  EXPECT_NE(twice.wrong(), "");
  ByHand never;
  for (Index task = 1; task < never.workload.tasks(); ++task) never.run(task);
  EXPECT_NE(never.wrong(), "");
}

/// What a checksum task writes, worked out from the definitions.
TEST(WrittenCheck, WordsFollowFromTheFold) {
  const std::array<std::uint64_t, 2> read{7, 11};
  std::array<std::uint64_t, 2> written{1, 2};
  const auto bytes_of = [](auto& words) { return reinterpret_cast<std::byte*>(words.data()); };
  TaskCall call{.inputs = {{reinterpret_cast<const std::byte*>(read.data()), 16}},
                .written = {{bytes_of(written), 16, 1}}};
  run_on_host({.kind = Kernel::Kind::checksum}, call);

  const std::uint64_t fold = folded_word(7, 0, 0) + folded_word(11, 0, 1);
  EXPECT_EQ(written[0], written_word(fold, 1, 0));
  EXPECT_EQ(written[1], written_word(fold, 1, 1));
  EXPECT_NE(written[0], written[1]);
}

}  // namespace
}  // namespace damocles::written_check_test
