#include "models/workloads/tiled_workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "models/workload.hpp"
#include "models/workloads/family.hpp"
#include "tests/error_text.hpp"
#include "tests/statistics.hpp"

namespace damocles::tiled_workloads_test {
namespace {

using Index = TaskGraph::Index;

std::vector<Index> inputs(const TaskGraph& graph, Index task) {
  const auto found = graph.inputs(task);
  return {found.begin(), found.end()};
}

/// What two graphs of the same tasks have in common, whatever their order.
std::multiset<std::tuple<std::vector<Index>, double, std::uint64_t>> tasks_of(
    const TaskGraph& graph) {
  std::multiset<std::tuple<std::vector<Index>, double, std::uint64_t>> result;
  for (Index t = 0; t < graph.tasks(); ++t) {
    result.insert({inputs(graph, t), graph.flops(t), graph.output_bytes(t)});
  }
  return result;
}

TEST(Tiling, HasBytesAndFlopsOfATile) {
  EXPECT_EQ((Tiling{.tile = 960, .element_bytes = 4}).tile_bytes(), 960U * 960 * 4);
  EXPECT_EQ((Tiling{.tile = 10, .element_bytes = 8}).cube(), 1000);
}

TEST(Product3d, MakesEachTileOfCInItsFirstTaskAndUpdatesItInTheOthers) {
  const TaskGraph graph(product_3d(2, 2, 3, ReadsC::made, {.tile = 2}));
  for (Index t = 0; t < graph.tasks(); ++t) {
    EXPECT_EQ(graph.accesses(t)[2], t % 3 == 0 ? Access::write : Access::read_write) << t;
    EXPECT_EQ(graph.dependencies().waits_for(t), t % 3 == 0 ? 0U : 1U) << t;
  }
  EXPECT_TRUE(graph.creates_data());
}

TEST(Product3d, UpdatesAMadeTileInAnyOrderOrAtOnceWhereAsked) {
  const TaskGraph commuting(product_3d(1, 1, 3, ReadsC::made, {.tile = 2}, Access::commute));
  EXPECT_EQ(commuting.accesses(0)[2], Access::write);
  EXPECT_EQ(commuting.accesses(1)[2], Access::commute);
  EXPECT_EQ(commuting.dependencies().waits_for(2), 1U);
  const TaskGraph reducing(product_3d(1, 1, 3, ReadsC::made, {.tile = 2}, Access::reduce));
  EXPECT_EQ(reducing.accesses(0)[2], Access::reduce);
  EXPECT_FALSE(reducing.ordered());
}

TEST(Product3d, MultipliesMatrices) {
  constexpr std::uint64_t m = 3;
  constexpr std::uint64_t n = 4;
  constexpr std::uint64_t k = 5;
  for (const auto reads_c : {ReadsC::no, ReadsC::yes, ReadsC::later, ReadsC::made}) {
    const TaskGraph graph(product_3d(m, n, k, reads_c, {.tile = 2}));
    // Each tile is a number: A and B random, C 0.
    Rng rng(1, Draw::test, 0);
    std::vector<double> a_and_b(m * k + k * n);
    for (double& value : a_and_b) value = static_cast<double>(rng.below(100));
    std::vector<double> c(m * n, 0);

    ASSERT_EQ(graph.tasks(), m * n * k);
    ASSERT_EQ(graph.data(), m * k + k * n + (reads_c == ReadsC::no ? 0 : m * n));
    for (Index t = 0; t < graph.tasks(); ++t) {
      const auto reads = graph.inputs(t);
      const std::size_t ij = t / k;
      c[ij] += a_and_b.at(reads[0]) * a_and_b.at(reads[1]);
      const bool with_c = reads_c == ReadsC::yes || reads_c == ReadsC::made ||
                          (reads_c == ReadsC::later && t % k != 0);
      ASSERT_EQ(reads.size(), with_c ? 3U : 2U);
      if (with_c) {
        EXPECT_EQ(reads[2], m * k + k * n + ij);
      }
      EXPECT_EQ(graph.flops(t), 2 * 8);
      EXPECT_EQ(graph.output_bytes(t), reads_c == ReadsC::made ? 0U : 16U);
    }

    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l < k; ++l) sum += a_and_b[i * k + l] * a_and_b[m * k + l * n + j];
        EXPECT_EQ(c[i * n + j], sum);
      }
    }
    EXPECT_EQ(graph.uniform_bytes(), 16U);
  }
}

TEST(Product3d, WithCIsTheGridWrittenOut) {
  const auto grid = Workload::parse("gemm3d:m=2,n=3,k=4,c=yes");

  ASSERT_TRUE(grid.is_grid());
  const TaskGraph graph(product_3d(2, 3, 4, ReadsC::yes, {}));
  EXPECT_EQ(graph.parts().inputs, grid.graph().parts().inputs);
  EXPECT_EQ(graph.parts().bytes, grid.graph().parts().bytes);
  EXPECT_EQ(graph.parts().flops, grid.graph().parts().flops);
  EXPECT_EQ(graph.parts().output_bytes, grid.graph().parts().output_bytes);
}

TEST(Cholesky, HasTheTasksAndFlopsOfTheFactorisation) {
  for (std::uint64_t n = 1; n <= 12; ++n) {
    const TaskGraph graph(cholesky(n, {.tile = 6}));

    EXPECT_EQ(graph.tasks(), n * (n + 1) * (n + 2) / 6);
    EXPECT_EQ(graph.data(), n * (n + 1) / 2);
    // N^3 / 3 for N = 6 n: the kernels' own lower terms are not counted. Exact: 6^3 / 3 is whole.
    EXPECT_EQ(graph.total_flops(), 72 * static_cast<double>(n * n * n));
    std::map<double, std::uint64_t> kernels;
    for (Index t = 0; t < graph.tasks(); ++t) ++kernels[graph.flops(t) / 216 * 3];
    EXPECT_EQ(kernels[1], n);            // POTRF
    EXPECT_EQ(kernels[3], n * (n - 1));  // TRSM and SYRK
    EXPECT_EQ(kernels[6], n * (n - 1) * (n - 2) / 6);
  }
}

TEST(Cholesky, FactorsAMatrixInItsOrder) {
  constexpr Index n = 6;
  const TaskGraph graph(cholesky(n, {.tile = 1}));
  const auto tile = [](std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; };
  // A = L L^T with whole numbers, so every step is exact.
  Rng rng(2, Draw::test, 0);
  std::vector<double> l(graph.data());
  for (double& value : l) value = static_cast<double>(1 + rng.below(9));
  std::vector<double> a(graph.data(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k <= j; ++k) a[tile(i, j)] += l[tile(i, k)] * l[tile(j, k)];
    }
  }

  std::set<Index> diagonal;
  for (Index i = 0; i < n; ++i) diagonal.insert(static_cast<Index>(tile(i, i)));
  for (Index t = 0; t < graph.tasks(); ++t) {
    const auto reads = graph.inputs(t);
    if (reads.size() == 1) {
      a[reads[0]] = std::sqrt(a[reads[0]]);  // POTRF
    } else if (reads.size() == 3) {
      a[reads[2]] -= a[reads[0]] * a[reads[1]];  // GEMM
    } else if (diagonal.contains(reads[1])) {
      a[reads[1]] -= a[reads[0]] * a[reads[0]];  // SYRK
    } else {
      a[reads[1]] /= a[reads[0]];  // TRSM
    }
  }

  EXPECT_EQ(a, l);
}

TEST(Lu, HasTheTasksAndFlopsOfTheFactorisation) {
  for (std::uint64_t n = 1; n <= 12; ++n) {
    const TaskGraph graph(lu(n, {.tile = 6}));

    EXPECT_EQ(graph.tasks(), n * (n + 1) * (2 * n + 1) / 6);
    EXPECT_EQ(graph.data(), n * n);
    // 2 N^3 / 3 for N = 6 n: the kernels' own lower terms are not counted. Exact: 144 is whole.
    EXPECT_EQ(graph.total_flops(), 144 * static_cast<double>(n * n * n));
    std::map<std::string, std::uint64_t> kernels;
    for (Index t = 0; t < graph.tasks(); ++t) ++kernels[graph.kind_name(t)];
    EXPECT_EQ(kernels["GETRF"], n);
    EXPECT_EQ(kernels["TRSM"], n * (n - 1));
    EXPECT_EQ(kernels["GEMM"], n * (n - 1) * (2 * n - 1) / 6);
  }
}

/// What the factorisation makes of A = L U of numbers, L with ones on its diagonal: task after
/// task, in the order of submission.
TEST(Lu, FactorsAMatrixInItsOrder) {
  constexpr Index n = 6;
  const TaskGraph graph(lu(n, {.tile = 1}));
  const auto tile = [](std::size_t i, std::size_t j) { return i * n + j; };
  // With whole numbers, so every step is exact.
  Rng rng(2, Draw::test, 0);
  std::vector<double> both(graph.data());
  for (double& value : both) value = static_cast<double>(1 + rng.below(9));
  std::vector<double> a(graph.data(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k <= std::min(i, j); ++k) {
        a[tile(i, j)] += (k == i ? 1 : both[tile(i, k)]) * both[tile(k, j)];
      }
    }
  }

  for (Index t = 0; t < graph.tasks(); ++t) {
    const auto reads = graph.inputs(t);
    if (graph.kind_name(t) == "GEMM") {
      a[reads[2]] -= a[reads[0]] * a[reads[1]];
    } else if (graph.kind_name(t) == "TRSM" && reads[1] / n > reads[1] % n) {
      a[reads[1]] /= a[reads[0]];  // of L; a row of U is divided by the ones of L
    }
  }

  EXPECT_EQ(a, both);
}

TEST(Lu, InPlaceWritesTheLastTileThatATaskNames) {
  const TaskGraph graph(lu_in_place(3, {.tile = 2}, Access::commute));

  for (Index t = 0; t < graph.tasks(); ++t) {
    const auto how = graph.accesses(t);
    ASSERT_FALSE(how.empty());
    for (std::size_t at = 0; at + 1 < how.size(); ++at) EXPECT_EQ(how[at], Access::read);
    EXPECT_EQ(how.back(), graph.kind_name(t) == "GEMM" ? Access::commute : Access::read_write);
    EXPECT_EQ(graph.output_bytes(t), 0U);
  }
}

TEST(SparseProduct2d, KeepsTheShareOfTasksAskedFor) {
  struct Case {
    std::uint64_t m, n;
    double density;
    std::size_t tasks;
  };
  for (const auto& [m, n, density, tasks] :
       {Case{10, 10, 0.02, 2}, Case{50, 40, 0.02, 40}, Case{7, 9, 1, 63}, Case{3, 3, 0.5, 5},
        Case{10, 10, 0.001, 1}}) {  // 4.5 rounds up; never none
    const TaskGraph graph(sparse_product_2d(m, n, density, 3, 100, 7, 5));

    ASSERT_EQ(graph.tasks(), tasks);
    EXPECT_EQ(graph.data(), m + n);
    std::pair<Index, Index> last{0, 0};
    for (Index t = 0; t < graph.tasks(); ++t) {
      const auto reads = inputs(graph, t);
      ASSERT_EQ(reads.size(), 2U);
      EXPECT_LT(reads[0], m);
      EXPECT_GE(reads[1], m);
      // Row by row, so no task twice.
      const std::pair<Index, Index> at{reads[0], reads[1]};
      if (t > 0) {
        EXPECT_LT(last, at);
      }
      last = at;
      EXPECT_EQ(graph.flops(t), 7);
      EXPECT_EQ(graph.output_bytes(t), 5U);
    }
    EXPECT_EQ(graph.uniform_bytes(), 100U);
  }
}

TEST(SparseProduct2d, KeepsEachSetOfTasksEquallyOften) {
  // 2 of the 4 tasks of a 2 x 2 product: 6 sets.
  std::map<std::vector<Index>, double> counts;
  for (std::uint64_t seed = 0; seed < 6'000; ++seed) {
    ++counts[TaskGraph(sparse_product_2d(2, 2, 0.5, seed, 1, 1, 0)).parts().inputs];
  }

  std::vector<double> values;
  for (const auto& [set, count] : counts) values.push_back(count);
  ASSERT_EQ(values.size(), 6U);
  EXPECT_LT(chi_square(values), chi_square_bound(6));
}

TEST(RandomOrder, IsAPermutationOfTheTasks) {
  for (const auto* text :
       {"gemm2d:m=5,n=7", "gemm3d:n=3", "gemm3d:n=3,c=yes", "gemm3d:n=3,c=later",
        "cholesky:n=5,deps=false", "lu:n=4,deps=false", "sparse2d:n=20,density=0.1"}) {
    const auto in_rows = Workload::parse(text);
    const auto shuffled = Workload::parse(std::string(text) + ",order=random,seed=1");
    const auto again = Workload::parse(std::string(text) + ",order=random,seed=1");
    const auto other = Workload::parse(std::string(text) + ",order=random,seed=2");

    EXPECT_FALSE(shuffled.is_grid());
    EXPECT_NE(shuffled.graph().parts().inputs, in_rows.graph().parts().inputs) << text;
    EXPECT_NE(shuffled.graph().parts().inputs, other.graph().parts().inputs) << text;
    EXPECT_EQ(shuffled.graph().parts().inputs, again.graph().parts().inputs) << text;
    EXPECT_EQ(tasks_of(shuffled.graph()), tasks_of(in_rows.graph())) << text;
    EXPECT_EQ(shuffled.graph().parts().bytes, in_rows.graph().parts().bytes) << text;
  }
}

TEST(RandomOrder, TakesEachOrderEquallyOften) {
  TaskGraph::Parts parts;
  parts.bytes = {1, 1, 1};
  for (const Index data : {0U, 1U, 2U}) parts.add_task(std::vector<Index>{data}, 1);
  std::map<std::vector<Index>, double> counts;
  for (std::uint64_t seed = 0; seed < 6'000; ++seed) ++counts[in_random_order(parts, seed).inputs];

  std::vector<double> values;
  for (const auto& [order, count] : counts) values.push_back(count);
  ASSERT_EQ(values.size(), 6U);
  EXPECT_LT(chi_square(values), chi_square_bound(6));
}

TEST(WorkloadForms, GiveTheSizesOfThePapers) {
  // IPDPS'22: 960 x 960 tiles, panels of 960 x 3840 single-precision numbers: 14.7 MB.
  const auto product = Workload::parse("gemm2d:n=3");
  EXPECT_EQ(product.weights().bytes, 960U * 3840 * 4);
  EXPECT_EQ(product.weights().flops, 2.0 * 960 * 960 * 3840);
  EXPECT_EQ(product.weights().output_bytes, 960U * 960 * 4);
  EXPECT_EQ(Workload::parse("gemm2d:n=3,precision=double").weights().bytes, 960U * 3840 * 8);
  EXPECT_EQ(Workload::parse("gemm2d:n=3,precision=tf32").weights().bytes, 960U * 3840 * 4);
  EXPECT_EQ(Workload::parse("gemm2d:n=3,precision=bf16").weights().bytes, 960U * 3840 * 2);
  EXPECT_EQ(Workload::parse("gemm2d:n=3,precision=fp16").weights().bytes, 960U * 3840 * 2);
  EXPECT_EQ(Workload::parse("gemm2d:n=3,tile=10,k=20").weights().bytes, 800U);
  EXPECT_EQ(Workload::parse("gemm3d:n=2,c=yes").weights().bytes, 960U * 960 * 4);
  // 98 % of the tasks removed.
  EXPECT_EQ(Workload::parse("sparse2d:n=50").tasks(), 50U);
  EXPECT_FALSE(Workload::parse("outer:n=3").has_sizes());
  EXPECT_FALSE(Workload::parse("matrix:n=3").has_sizes());
  for (const auto* text : {"gemm2d:n=3", "gemm3d:n=2", "cholesky:n=3,deps=false",
                           "lu:n=3,deps=false", "sparse2d:n=9"}) {
    EXPECT_TRUE(Workload::parse(text).has_sizes()) << text;
    EXPECT_EQ(Workload::parse(text).text(), text);
  }
}

TEST(WorkloadForms, SayWhatTasksComputeIn) {
  EXPECT_EQ(Workload::parse("gemm2d:n=3").precision(), Precision::fp32);
  EXPECT_EQ(Workload::parse("gemm3d:n=3,c=later,precision=tf32").precision(), Precision::tf32);
  EXPECT_EQ(Workload::parse("cholesky:n=3,order=random,precision=fp16,deps=false").precision(),
            Precision::fp16);
  EXPECT_EQ(Workload::parse("sparse2d:n=9,precision=double").precision(), Precision::fp64);
  EXPECT_EQ(Workload::parse("outer:n=3").precision(), std::nullopt);
}

TEST(WorkloadForms, RefuseWhatTheyDoNotKnow) {
  const auto refusal = [](const std::string& text) {
    return error_text([&] { static_cast<void>(Workload::parse(text)); });
  };
  EXPECT_EQ(refusal("gemm2d:n=3,order=diagonal"),
            "workload 'gemm2d:n=3,order=diagonal': order must be row or random, not 'diagonal'");
  EXPECT_EQ(refusal("gemm2d:n=3,precision=half"),
            "workload 'gemm2d:n=3,precision=half': precision must be one of single, "
            "double, tf32, bf16, fp16, not 'half'");
  EXPECT_EQ(refusal("gemm3d:n=3,c=maybe"),
            "workload 'gemm3d:n=3,c=maybe': c must be no, yes, later (all tasks of a tile read C "
            "but the first) or made (the first makes it, the others update it), not 'maybe'");
  EXPECT_EQ(refusal("gemm3d:n=900"),
            "workload 'gemm3d:n=900': has more than 2^29 tasks; make m n k smaller");
  EXPECT_EQ(
      refusal("sparse2d:n=100000,density=0.5"),
      "workload 'sparse2d:n=100000,density=0.5': has more than 2^29 tasks; make density m n smaller");
  EXPECT_EQ(refusal("cholesky"),
            "workload 'cholesky': needs n, the number of blocks a side, as in cholesky:n=100");
  EXPECT_EQ(refusal("cholesky:n=1001,deps=false"),
            "workload 'cholesky:n=1001,deps=false': n must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal("gemm2d:n=3,tile=0"),
            "workload 'gemm2d:n=3,tile=0': tile must be a whole number from 1 to 1000000");
  EXPECT_EQ(refusal("sparse2d:n=3,density=1.5"),
            "workload 'sparse2d:n=3,density=1.5': density must be a number from 1e-09 to 1");
  EXPECT_EQ(
      refusal("cholesky:n=3,k=2,deps=false"),
      "workload 'cholesky' has no option 'k'; valid: n, tile, precision, order, seed, deps, updates, home");
  EXPECT_NE(refusal("sparse2d:n=3,density=0"), "no error");
}

TEST(Factorisations, HaveDependenciesUnlessToldOtherwise) {
  for (const std::string text : {"cholesky:n=4", "lu:n=4"}) {
    EXPECT_TRUE(Workload::parse(text).has_dependencies()) << text;
    EXPECT_TRUE(Workload::parse(text + ",deps=true").writes()) << text;
    EXPECT_FALSE(Workload::parse(text + ",deps=false").has_dependencies()) << text;
    EXPECT_EQ(
        error_text([&] { (void)Workload::parse(text + ",order=random"); }),
        "workload '" + text +
            ",order=random': order=random with dependencies: the order of submission says who "
            "waits for whom; add deps=false or leave out order=");
  }
}

TEST(ChangedDefault, IsToldWhereTheKeyIsNotGiven) {
  const auto note = [](const char* text) { return note_on_changed_default(Workload::parse(text)); };
  EXPECT_EQ(note("lu:n=4"),
            "note: 'lu:n=4': its tasks wait for each other, as deps=true is the default now; write "
            "deps=false for independent tasks, as before");
  for (const char* const silent : {"lu:n=4,deps=true", "cholesky:deps=false,n=4", "gemm2d:n=4"}) {
    EXPECT_EQ(note(silent), "");
  }
}

TEST(Retiled, KeepsTheMatrices) {
  EXPECT_EQ(retiled("gemm2d:n=8", 480), "gemm2d:n=16,tile=480");
  EXPECT_EQ(retiled("gemm3d:n=4,m=2,k=6,tile=100,c=made", 200),
            "gemm3d:n=2,m=1,k=3,tile=200,c=made");
  EXPECT_EQ(retiled("cholesky:tile=960,n=3,deps=true", 960), "cholesky:tile=960,n=3,deps=true");
  EXPECT_EQ(
      error_text([] { (void)retiled("lu:n=3,deps=false", 1000); }),
      "tile=1000: a side of 2880 elements (n=3 tiles of 960) is no whole number of such tiles");
}

TEST(Retiled, SaysNothingOfWorkloadsWithoutTiledMatrices) {
  for (const char* const other : {"outer:n=4", "stencil:n=4,steps=2", "layered:n=4,layers=2"}) {
    EXPECT_EQ(retiled(other, 480), std::nullopt) << other;
  }
}

/// Each factorisation or product does the same work with all tiles, to what single kernels round.
TEST(Retiled, KeepsTheWork) {
  for (const char* const workload : {"gemm2d:n=12,m=4", "gemm3d:n=4,m=8,k=12",
                                     "cholesky:n=12,deps=true", "lu:n=12,deps=false"}) {
    const double flops = Workload::parse(workload).graph().total_flops();
    for (const std::uint64_t tile : {240U, 480U, 1920U, 3840U}) {
      const auto other = retiled(workload, tile);
      ASSERT_TRUE(other);
      EXPECT_NEAR(Workload::parse(*other).graph().total_flops() / flops, 1, 0.01)
          << workload << " with tiles of " << tile;
    }
  }
}

}  // namespace
}  // namespace damocles::tiled_workloads_test
