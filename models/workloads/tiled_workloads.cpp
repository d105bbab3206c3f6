#include "models/workloads/tiled_workloads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "models/rng.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

Index index(std::uint64_t value) { return static_cast<Index>(value); }

enum class CholeskyKind : std::uint16_t { potrf, trsm, syrk, gemm };
const std::vector<std::string> cholesky_kinds{"POTRF", "TRSM", "SYRK", "GEMM"};
enum class LuKind : std::uint16_t { getrf, trsm, gemm };
const std::vector<std::string> lu_kinds{"GETRF", "TRSM", "GEMM"};

}  // namespace

double Tiling::cube() const {
  const auto side = static_cast<double>(tile);
  return side * side * side;
}

TaskGraph::Parts product_3d(std::uint64_t m, std::uint64_t n, std::uint64_t k, ReadsC reads_c,
                            const Tiling& tiling, Access updates) {
  const std::uint64_t a_and_b = m * k + k * n;
  TaskGraph::Parts parts;
  parts.index_names = product_names(m, n, k);
  parts.bytes.assign(a_and_b + (reads_c == ReadsC::no ? 0 : m * n), tiling.tile_bytes());
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      for (std::uint64_t l = 0; l < k; ++l) {
        const std::array<Index, 3> reads{index(i * k + l), index(m * k + l * n + j),
                                         index(a_and_b + i * n + j)};
        if (reads_c == ReadsC::made) {
          const bool creates = l == 0 && !reduces(updates);
          const std::array how{Access::read, Access::read, creates ? Access::write : updates};
          parts.add_task(reads, how, 2 * tiling.cube());
          continue;
        }
        const bool with_c = reads_c == ReadsC::yes || (reads_c == ReadsC::later && l > 0);
        parts.add_task(std::span(reads).first(with_c ? 3 : 2), 2 * tiling.cube());
      }
    }
  }
  if (reads_c != ReadsC::made) {
    parts.output_bytes.assign(parts.flops.size(), tiling.tile_bytes());
  }
  return parts;
}

namespace {

/// Calls add(kind, tiles, flops / tile^3) for each task
/// of the factorisation, in the order of submission.
template <typename Add>
void for_each_cholesky_task(std::uint64_t n, Add&& add) {
  const auto tile = [](std::uint64_t i, std::uint64_t j) { return index(i * (i + 1) / 2 + j); };
  using Reads = std::initializer_list<Index>;
  for (std::uint64_t k = 0; k < n; ++k) {
    add(CholeskyKind::potrf, Reads{tile(k, k)}, 1.0 / 3);
    for (std::uint64_t i = k + 1; i < n; ++i) {
      add(CholeskyKind::trsm, Reads{tile(k, k), tile(i, k)}, 1.0);
    }
    for (std::uint64_t i = k + 1; i < n; ++i) {
      add(CholeskyKind::syrk, Reads{tile(i, k), tile(i, i)}, 1.0);
      for (std::uint64_t j = k + 1; j < i; ++j) {
        add(CholeskyKind::gemm, Reads{tile(i, k), tile(j, k), tile(i, j)}, 2.0);
      }
    }
  }
}

/// The same of the factorisation without pivoting.
template <typename Add>
void for_each_lu_task(std::uint64_t n, Add&& add) {
  const auto tile = [n](std::uint64_t i, std::uint64_t j) { return index(i * n + j); };
  using Reads = std::initializer_list<Index>;
  for (std::uint64_t k = 0; k < n; ++k) {
    add(LuKind::getrf, Reads{tile(k, k)}, 2.0 / 3);
    for (std::uint64_t j = k + 1; j < n; ++j) add(LuKind::trsm, Reads{tile(k, k), tile(k, j)}, 1.0);
    for (std::uint64_t i = k + 1; i < n; ++i) add(LuKind::trsm, Reads{tile(k, k), tile(i, k)}, 1.0);
    for (std::uint64_t i = k + 1; i < n; ++i) {
      for (std::uint64_t j = k + 1; j < n; ++j) {
        add(LuKind::gemm, Reads{tile(i, k), tile(k, j), tile(i, j)}, 2.0);
      }
    }
  }
}

/// A graph of these tiles and kinds without dependencies: what tasks write is their output.
/// `for_each(add)` calls add(kind, tiles, cubes) for each task, as those above.
template <typename ForEach>
TaskGraph::Parts independent_tasks(std::uint64_t tiles, const std::vector<std::string>& kinds,
                                   const IndexNames& names, const Tiling& tiling,
                                   ForEach&& for_each) {
  TaskGraph::Parts parts;
  parts.index_names = names;
  parts.bytes.assign(tiles, tiling.tile_bytes());
  parts.kind_names = kinds;
  for_each([&](auto kind, std::initializer_list<Index> reads, double cubes) {
    parts.add_task(std::span(reads.begin(), reads.size()), cubes * tiling.cube());
    parts.task_kinds.push_back(static_cast<std::uint16_t>(kind));
  });
  parts.output_bytes.assign(parts.flops.size(), tiling.tile_bytes());
  return parts;
}

/// The same tasks, each of which writes the last tile that it names: as `update` says where
/// updates(kind), else it reads it too.
template <typename ForEach, typename Updates>
TaskGraph::Parts tasks_in_place(std::uint64_t tiles, const std::vector<std::string>& kinds,
                                const IndexNames& names, const Tiling& tiling, Access update,
                                ForEach&& for_each, Updates&& updates) {
  TaskGraph::Parts parts;
  parts.index_names = names;
  parts.bytes.assign(tiles, tiling.tile_bytes());
  parts.kind_names = kinds;
  for_each([&](auto kind, std::initializer_list<Index> named, double cubes) {
    const std::array how{Access::read, Access::read, updates(kind) ? update : Access::read_write};
    parts.add_task(std::span(named.begin(), named.size()), std::span(how).last(named.size()),
                   cubes * tiling.cube());
    parts.task_kinds.push_back(static_cast<std::uint16_t>(kind));
  });
  return parts;
}

}  // namespace

TaskGraph::Parts cholesky(std::uint64_t n, const Tiling& tiling) {
  return independent_tasks(n * (n + 1) / 2, cholesky_kinds, cholesky_names(), tiling,
                           [n](auto&& add) { for_each_cholesky_task(n, add); });
}

TaskGraph::Parts cholesky_in_place(std::uint64_t n, const Tiling& tiling, Access update) {
  return tasks_in_place(
      n * (n + 1) / 2, cholesky_kinds, cholesky_names(), tiling, update,
      [n](auto&& add) { for_each_cholesky_task(n, add); },
      [](CholeskyKind kind) { return kind == CholeskyKind::syrk || kind == CholeskyKind::gemm; });
}

TaskGraph::Parts lu(std::uint64_t n, const Tiling& tiling) {
  return independent_tasks(n * n, lu_kinds, lu_names(n), tiling,
                           [n](auto&& add) { for_each_lu_task(n, add); });
}

TaskGraph::Parts lu_in_place(std::uint64_t n, const Tiling& tiling, Access update) {
  return tasks_in_place(
      n * n, lu_kinds, lu_names(n), tiling, update, [n](auto&& add) { for_each_lu_task(n, add); },
      [](LuKind kind) { return kind == LuKind::gemm; });
}

TaskGraph::Parts sparse_product_2d(std::uint64_t m, std::uint64_t n, double density,
                                   std::uint64_t seed, std::uint64_t panel_bytes, double task_flops,
                                   std::uint64_t output_bytes) {
  TaskGraph::Parts parts;
  parts.index_names = panel_names(m);
  parts.bytes.assign(m + n, panel_bytes);
  Rng rng(seed, Draw::workload, 0);
  // Selection sampling (Knuth 3.4.2 S): each task in turn is kept with chance wanted / left.
  auto wanted = static_cast<std::uint64_t>(std::llround(density * static_cast<double>(m * n)));
  wanted = std::max<std::uint64_t>(wanted, 1);
  std::uint64_t left = m * n;
  for (std::uint64_t i = 0; i < m; ++i) {
    for (std::uint64_t j = 0; j < n; ++j, --left) {
      if (rng.below(left) >= wanted) continue;
      --wanted;
      parts.add_task(std::array{index(i), index(m + j)}, task_flops);
    }
  }
  parts.output_bytes.assign(parts.flops.size(), output_bytes);
  return parts;
}

namespace {

/// A value a task in its new place, or none where there are none.
template <typename Value>
std::vector<Value> reordered(const std::vector<Value>& values, const std::vector<Index>& order) {
  std::vector<Value> result;
  if (values.empty()) return result;
  result.reserve(order.size());
  for (const Index task : order) result.push_back(values[task]);
  return result;
}

}  // namespace

TaskGraph::Parts in_random_order(const TaskGraph::Parts& parts, std::uint64_t seed) {
  std::vector<Index> order(parts.flops.size());
  std::iota(order.begin(), order.end(), Index{0});
  Rng(seed, Draw::workload, 1).shuffle(std::span(order));
  TaskGraph::Parts result;
  result.bytes = parts.bytes;
  result.data_names = parts.data_names;
  result.index_names = parts.index_names;
  for (const Index task : order) {
    const auto begin = parts.input_begin[task];
    result.add_task(std::span(parts.inputs).subspan(begin, parts.input_begin[task + 1] - begin),
                    parts.flops[task]);
  }
  result.output_bytes = reordered(parts.output_bytes, order);
  result.priorities = reordered(parts.priorities, order);
  result.task_names = reordered(parts.task_names, order);
  result.kind_names = parts.kind_names;
  result.task_kinds = reordered(parts.task_kinds, order);
  std::vector<Index> place(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) place[order[at]] = index(at);
  for (const auto& [task, before] : parts.dependencies) {
    result.dependencies.emplace_back(place[task], place[before]);
  }
  return result;
}

}  // namespace damocles
