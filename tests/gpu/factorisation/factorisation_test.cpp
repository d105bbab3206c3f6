#include "gpu/factorisation/factorisation.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/factorisation/factorisation_check.hpp"

namespace damocles::factorisation_test {
namespace {

constexpr std::uint64_t seed = 3;

/// A matrix, factorised by the workload's tasks one after the other.
class Factored {
 public:
  explicit Factored(const std::string& text)
      : workload_(Workload::parse(text)),
        of_(*Factorisation::of(workload_, *workload_.precision())),
        tiles_(workload_.data(), std::vector<std::byte>(*graph().uniform_bytes())) {
    for (std::size_t d = 0; d < tiles_.size(); ++d) of_.fill(DataId{d}, seed, tiles_[d]);
    for (const auto task : graph().dependencies().order(graph().tasks())) run(task);
  }

  void run(TaskGraph::Index task) {
    std::vector<std::byte*> at;
    for (const auto data : graph().inputs(task)) at.push_back(tiles_[data].data());
    of_.run(graph(), task, at);
  }
  [[nodiscard]] Verification check() const {
    return check_factorisation(of_, seed, [this](DataId data) { return tiles_[raw(data)].data(); });
  }
  [[nodiscard]] const TaskGraph& graph() const { return workload_.graph(); }
  [[nodiscard]] std::vector<std::byte>& tile(std::size_t data) { return tiles_[data]; }
  [[nodiscard]] const Factorisation& of() const { return of_; }

 private:
  Workload workload_;
  Factorisation of_;
  std::vector<std::vector<std::byte>> tiles_;
};

class EveryFactorisation : public testing::TestWithParam<const char*> {};

TEST_P(EveryFactorisation, IsRight) {
  const Factored matrix(GetParam());

  const Verification checked = matrix.check();

  EXPECT_TRUE(checked.right) << checked.text;
  EXPECT_TRUE(checked.text.starts_with("right: L")) << checked.text;
  EXPECT_GT(checked.worst, 0);
  EXPECT_LT(checked.worst, 1);
}

TEST_P(EveryFactorisation, IsWrongWhereATaskRanTwice) {
  Factored matrix(GetParam());

  matrix.run(static_cast<TaskGraph::Index>(matrix.graph().tasks() - 1));

  EXPECT_FALSE(matrix.check().right);
}

TEST_P(EveryFactorisation, IsWrongWhereANumberIsOffOrNone) {
  Factored matrix(GetParam());
  const bool twice = matrix.of().precision() == Precision::fp64;
  const auto set = [&](auto number) {
    std::memcpy(matrix.tile(1).data(), &number, sizeof(number));  // left of, or above, the diagonal
  };

  twice ? set(3.0) : set(3.0F);
  EXPECT_FALSE(matrix.check().right);
  twice ? set(std::numeric_limits<double>::quiet_NaN())
        : set(std::numeric_limits<float>::quiet_NaN());
  const Verification checked = matrix.check();
  EXPECT_FALSE(checked.right);
  EXPECT_TRUE(checked.text.starts_with("wrong: ")) << checked.text;
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryFactorisation,
                         testing::Values("cholesky:n=4,tile=9,deps=true",
                                         "cholesky:n=3,tile=16,deps=true,precision=double",
                                         "cholesky:n=4,tile=5,deps=true,updates=commute",
                                         "lu:n=4,tile=9,deps=true",
                                         "lu:n=3,tile=16,deps=true,precision=double",
                                         "lu:n=4,tile=5,deps=true,updates=commute"));

TEST(Factorisation, OfOneTileIsThatOfTheTextbook) {
  // Of [[4, 2], [2, 5]]: L = [[2, 0], [1, 2]]; and L U = [[1, 0], [0.5, 1]] [[4, 2], [0, 4]].
  const std::vector<double> matrix{4, 2, 2, 5};
  for (const auto& [text, factors] :
       {std::pair{"cholesky:n=1,tile=2,deps=true,precision=double",
                  std::vector<double>{2, 2, 1, 2}},
        {"lu:n=1,tile=2,deps=true,precision=double", std::vector<double>{4, 2, 0.5, 4}}}) {
    const Workload workload = Workload::parse(text);
    std::vector<double> tile = matrix;
    const std::vector<std::byte*> at{reinterpret_cast<std::byte*>(tile.data())};

    Factorisation::of(workload, Precision::fp64)->run(workload.graph(), 0, at);

    EXPECT_EQ(tile, factors) << text;
  }
}

TEST(Factorisation, CountsItsFlops) {
  const auto flops = [](const char* text) {
    return Factorisation::of(Workload::parse(text), Precision::fp32)->flops();
  };
  EXPECT_DOUBLE_EQ(flops("cholesky:n=3,tile=4,deps=true"), 12.0 * 12 * 12 / 3);
  EXPECT_DOUBLE_EQ(flops("lu:n=3,tile=4,deps=true"), 2.0 * 12 * 12 * 12 / 3);
}

TEST(Factorisation, IsNoOtherWorkload) {
  for (const char* const text :
       {"gemm2d:n=4", "gemm3d:n=2", "outer:n=3", "cholesky:n=4,deps=false", "lu:n=4,deps=false",
        "cholesky:n=4,deps=true,updates=reduce", "stencil:n=2,steps=2", "layered:n=3,layers=2"}) {
    EXPECT_FALSE(Factorisation::of(Workload::parse(text), Precision::fp32)) << text;
  }
}

}  // namespace
}  // namespace damocles::factorisation_test
