#include "strategies/parts/open_boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <set>
#include <vector>

#include "models/rng.hpp"

namespace damocles::open_boxes_test {
namespace {

using Tasks = std::vector<std::uint64_t>;

/// The same, by a set of task ids.
class NaiveBoxes {
 public:
  NaiveBoxes(const Workload& workload, std::size_t processors)
      : workload_(workload), known_(processors) {
    for (std::uint64_t id = 0; id < workload.tasks(); ++id) open_.insert(id);
  }

  /// The open tasks of the processor's box once it knows `index`, ascending.
  Tasks learn(std::size_t processor, std::size_t dimension, std::uint32_t index) {
    auto& [rows, columns, inner] = known_[processor];
    known_[processor][dimension].push_back(index);
    Tasks claimed;
    for (const auto i : rows) {
      for (const auto j : columns) {
        for (const auto l : inner) {
          const std::uint64_t task = raw(workload_.task(i, j, l));
          if (open_.erase(task) == 1) claimed.push_back(task);
        }
      }
    }
    std::sort(claimed.begin(), claimed.end());
    return claimed;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& known(std::size_t processor,
                                                        std::size_t dimension) const {
    return known_[processor][dimension];
  }
  [[nodiscard]] Tasks all() const { return {open_.begin(), open_.end()}; }

 private:
  const Workload& workload_;
  std::vector<std::array<std::vector<std::uint32_t>, 3>> known_;
  std::set<std::uint64_t> open_;
};

Tasks listed(const auto& list) {
  Tasks tasks;
  list.for_each([&](TaskId task) { tasks.push_back(raw(task)); });
  return tasks;
}

TaskList learn(OpenBoxes& open, const NaiveBoxes& naive, std::uint32_t processor,
               std::size_t dimension, std::uint32_t index) {
  const ProcessorId id{processor};
  const auto& rows = naive.known(processor, 0);
  TaskList claimed;
  if (dimension == 0) open.learn_row(id, index, naive.known(processor, 1), claimed);
  if (dimension == 1) open.learn_column(id, index, rows, claimed);
  if (dimension == 2) open.learn_inner(id, index, rows, claimed);
  return claimed;
}

struct Case {
  const char* workload;
  std::uint32_t processors;
};

void PrintTo(const Case& setting, std::ostream* out) {
  *out << setting.workload << " on " << setting.processors << " processors";
}

class OpenBoxesOf : public testing::TestWithParam<Case> {};

TEST_P(OpenBoxesOf, ClaimsWhatASetOfTasksWould) {
  const auto workload = Workload::parse(GetParam().workload);
  const std::uint32_t processors = GetParam().processors;
  OpenBoxes open(workload, processors);
  NaiveBoxes naive(workload, processors);
  Rng rng(1, Draw::test, workload.tasks());

  ASSERT_EQ(listed(open), naive.all());
  for (int step = 0; step < 900; ++step) {
    const auto processor = static_cast<std::uint32_t>(rng.below(processors));
    const std::size_t dimension = rng.below(3);
    const auto index =
        static_cast<std::uint32_t>(rng.below(workload.extent(static_cast<int>(dimension))));
    const auto& known = naive.known(processor, dimension);
    if (std::find(known.begin(), known.end(), index) != known.end()) continue;

    const TaskList claimed = learn(open, naive, processor, dimension, index);
    const Tasks expected = naive.learn(processor, dimension, index);

    Tasks tasks = listed(claimed);
    std::sort(tasks.begin(), tasks.end());
    ASSERT_EQ(tasks, expected);
    ASSERT_EQ(claimed.size(), expected.size());
  }
  EXPECT_EQ(listed(open), naive.all());
  EXPECT_EQ(open.count(), naive.all().size());
}

// Processors and indices around the 64 bits of a word, and lines of more words than one block.
INSTANTIATE_TEST_SUITE_P(
    Matrices, OpenBoxesOf,
    testing::Values(Case{"matrix:n=1", 1}, Case{"matrix:n=5", 3}, Case{"matrix:m=2,n=3,k=5", 64},
                    Case{"matrix:m=6,n=7,k=8", 130}, Case{"matrix:m=3,n=64,k=65", 5},
                    Case{"matrix:m=70,n=4,k=3", 65}, Case{"matrix:m=4,n=130,k=3", 2},
                    Case{"matrix:m=2,n=3,k=600", 3}, Case{"matrix:m=3,n=700,k=2", 3}));

TEST(OpenBoxes, SuitLargeMatrixProductsOnFewProcessors) {
  EXPECT_TRUE(OpenBoxes::suits(Workload::matrix(1000, 1000, 1000), 100));
  EXPECT_FALSE(OpenBoxes::suits(Workload::matrix(100, 100, 100), 300));
  EXPECT_FALSE(OpenBoxes::suits(Workload::outer(30'000, 30'000), 1));
}

}  // namespace
}  // namespace damocles::open_boxes_test
