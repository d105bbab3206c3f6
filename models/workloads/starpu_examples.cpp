/// The task graphs of StarPU's example programs cholesky, lu and mult, as these submit them. Beside
/// `cholesky` and `lu` they differ in the order of tasks and in priorities, on which runs depend.
/// Source: examples/cholesky/cholesky_implicit.c, examples/lu/xlu_implicit.c, examples/mult/xgemm.c
/// of StarPU, with their default options.
#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <utility>

#include "models/workloads/family.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// Tasks in the order in which a program submits them.
class Submission {
 public:
  Submission(std::vector<std::string> kinds, const IndexNames& names, double cube) : cube_(cube) {
    parts_.kind_names = std::move(kinds);
    parts_.index_names = names;
  }

  /// Data items that are there before the tasks.
  void add_data(std::uint64_t count, std::uint64_t bytes) {
    parts_.bytes.insert(parts_.bytes.end(), count, bytes);
  }
  /// A task that reads all these data items but the last, which it accesses as `last` says.
  void submit(std::uint16_t kind, std::initializer_list<std::uint64_t> named, double cubes,
              double priority, Access last = Access::read_write) {
    std::array<Index, 3> data{};
    std::array<Access, 3> how{};
    how.fill(Access::read);
    std::size_t count = 0;
    for (const std::uint64_t item : named) data.at(count++) = static_cast<Index>(item);
    how.at(count - 1) = last;
    parts_.add_task(std::span(data).first(count), std::span(how).first(count), cubes * cube_);
    parts_.task_kinds.push_back(kind);
    parts_.priorities.push_back(priority);
  }
  /// starpu_data_wont_use() on every tile after its last write: the default, as in the programs.
  void set_lifetimes(const Spec& spec) {
    parts_.lifetimes = lifetimes_said(spec, true, parts_.bytes.size(), "early");
  }
  [[nodiscard]] Workload workload(const Spec& spec) && {
    return Workload::of_graph(spec.text(), TaskGraph(std::move(parts_)));
  }

 private:
  double cube_;  // flops of one cube of a tile's side
  TaskGraph::Parts parts_;
};

double priority(std::uint64_t most, std::uint64_t less) {
  return static_cast<double>(most) - static_cast<double>(less);
}

/// The lower triangle of n x n tiles, column by column; in a column SYRK comes before its GEMMs.
Workload example_cholesky(const Spec& spec) {
  constexpr std::uint64_t most = 1000;  // n^3/6 tasks
  enum Kernel : std::uint16_t { potrf, trsm, syrk, gemm };
  const std::uint64_t n = side(spec, most);
  const std::uint64_t exactly = n * (n + 1) * (n + 2) / 6;
  const auto tasks = static_cast<double>(exactly);
  const MemoryPromise memory = promise(spec, tasks, 3 * tasks);
  const Tiling tiles = tiling(spec);
  Submission all({"POTRF", "TRSM", "SYRK", "GEMM"}, cholesky_names(), tiles.cube());
  all.add_data(n * (n + 1) / 2, tiles.tile_bytes());
  all.set_lifetimes(spec);
  const auto tile = [](std::uint64_t row, std::uint64_t column) {
    return row * (row + 1) / 2 + column;
  };
  for (std::uint64_t k = 0; k < n; ++k) {
    const std::uint64_t level = 2 * n - 2 * k;
    all.submit(potrf, {tile(k, k)}, 1.0 / 3, priority(level, 0));
    for (std::uint64_t m = k + 1; m < n; ++m) {
      all.submit(trsm, {tile(k, k), tile(m, k)}, 1, priority(level, m));
    }
    for (std::uint64_t c = k + 1; c < n; ++c) {
      all.submit(syrk, {tile(c, k), tile(c, c)}, 1, priority(level, c));
      for (std::uint64_t m = c + 1; m < n; ++m) {
        all.submit(gemm, {tile(m, k), tile(c, k), tile(m, c)}, 2, priority(level, m + c));
      }
    }
  }
  return std::move(all).workload(spec);
}

/// All n x n tiles, without pivoting; the two kinds of TRSM take turns.
Workload example_lu(const Spec& spec) {
  constexpr std::uint64_t most = 800;  // n^3/3 tasks
  enum Kernel : std::uint16_t { getrf, trsm_ll, trsm_ru, gemm };
  const std::uint64_t n = side(spec, most);
  const std::uint64_t exactly = n * (n + 1) * (2 * n + 1) / 6;
  const auto tasks = static_cast<double>(exactly);
  const MemoryPromise memory = promise(spec, tasks, 3 * tasks);
  const Tiling tiles = tiling(spec);
  Submission all({"GETRF", "TRSM_LL", "TRSM_RU", "GEMM"}, lu_names(n), tiles.cube());
  all.add_data(n * n, tiles.tile_bytes());
  all.set_lifetimes(spec);
  const auto tile = [n](std::uint64_t row, std::uint64_t column) { return row * n + column; };
  for (std::uint64_t k = 0; k < n; ++k) {
    all.submit(getrf, {tile(k, k)}, 2.0 / 3, priority(3 * n, 3 * k));
    for (std::uint64_t i = k + 1; i < n; ++i) {
      all.submit(trsm_ll, {tile(k, k), tile(i, k)}, 1, priority(3 * n, 2 * k + i));
      all.submit(trsm_ru, {tile(k, k), tile(k, i)}, 1, priority(3 * n, 2 * k + i));
    }
    for (std::uint64_t i = k + 1; i < n; ++i) {
      for (std::uint64_t j = k + 1; j < n; ++j) {
        all.submit(gemm, {tile(k, i), tile(j, k), tile(j, i)}, 2, priority(3 * n, k + i + j));
      }
    }
  }
  return std::move(all).workload(spec);
}

/// Rows A(y) and columns B(x) of tiles; SGEMM(y,x) makes C(y,x).
IndexNames sgemm_names(std::uint64_t n) {
  return {.extents = {n},
          .task =
              [](const IndexNames::Extents& extents, const IndexNames::Task& task) {
                return indexed_name(task.kind, task.data[0], task.data[1] - extents[0]);
              },
          .data =
              [](const IndexNames::Extents& extents, std::uint64_t data) {
                const std::uint64_t side = extents[0];
                if (data < side) return fmt::format("A({})", data);
                if (data < 2 * side) return fmt::format("B({})", data - side);
                return indexed_name("C", data % side, data / side - 2);
              }};
}

/// C = A B: each task reads a row of tiles of A and a column of B, and creates a tile of C.
Workload example_sgemm(const Spec& spec) {
  constexpr std::uint64_t most = 10'000;
  const std::uint64_t n = side(spec, most);
  const auto tasks = static_cast<double>(n * n);
  const MemoryPromise memory = promise(spec, tasks, 3 * tasks);
  const Tiling tiles = tiling(spec);
  const std::uint64_t depth = panel_depth(spec);
  Submission all({"SGEMM"}, sgemm_names(n), tiles.cube());
  all.add_data(2 * n, tiles.tile * depth * tiles.element_bytes);
  all.add_data(n * n, tiles.tile_bytes());
  const double cubes = 2 * static_cast<double>(depth) / static_cast<double>(tiles.tile);
  for (std::uint64_t x = 0; x < n; ++x) {
    for (std::uint64_t y = 0; y < n; ++y) {
      all.submit(0, {y, n + x, 2 * n + x * n + y}, cubes, 0, Access::write);
    }
  }
  return std::move(all).workload(spec);
}

const Register cholesky_example{WorkloadFamily{
    .name = "starpu-cholesky",
    .place = 8,
    .keys = {"n", "tile", "home"},
    .forms =
        {{"starpu-cholesky:n=N",
          "the tasks of StarPU's example cholesky on N x N tiles, with dependencies, in its order and with its priorities; also tile=, home= as cholesky (default early, as there)"}},
    .make = example_cholesky,
    .sides = {"n"}}};

const Register lu_example{WorkloadFamily{
    .name = "starpu-lu",
    .place = 8,
    .keys = {"n", "tile", "home"},
    .forms = {{"starpu-lu:n=N",
               "the tasks of StarPU's example lu (without pivoting) on N x N tiles, with "
               "dependencies, in its order and with its priorities; also tile=, home="}},
    .make = example_lu,
    .sides = {"n"}}};

const Register sgemm_example{WorkloadFamily{
    .name = "starpu-sgemm",
    .place = 8,
    .keys = {"n", "tile", "k"},
    .forms =
        {{"starpu-sgemm:n=N",
          "the tasks of StarPU's example sgemm: gemm2d whose N^2 tiles of C are data items that tasks create; also tile=, k="}},
    .make = example_sgemm,
    .sides = {"n"}}};

}  // namespace
}  // namespace damocles
