#pragma once

#include <cstdint>
#include <string_view>

#include "models/workloads/structure.hpp"

namespace damocles {

/// A lower bound on the loads of any schedule in a memory of M data, and what proves it.
///
/// All bounds here hold in COLOC21's model (section 2: data of one size, memory empty at first, a
/// task needs all its inputs resident at once, only loads count, nothing is written back), for
/// every order and every eviction policy, on one processor and on several of M data each, for the
/// loads of all together and tasks split among them in any way: one processor may run their
/// schedules one after the other, with as many loads. Where processors must take given shares of
/// the tasks, the bounds of the shares add up (`grid_load_bound` takes the number of tasks for it).
struct LoadBound {
  std::uint64_t loads = 0;
  std::string_view argument =
      "compulsory";  ///< compulsory, residence, charging, segments or `home`

  bool operator==(const LoadBound&) const = default;
};

/// What the bounds on pairs need to know of a graph whose tasks each need pairs of data at once.
struct PairCounts {
  std::uint64_t data = 0;    ///< data that are read
  std::uint64_t pairs = 0;   ///< pairs of data that some task reads both of, each once
  std::uint64_t degree = 0;  ///< most pairs any one data item is in
  bool two_sided = false;    ///< data have two sides such that each pair has one of each
};

/// Fewest loads that bring the two data items of every pair into memory together at some time.
///
/// Think of a stay: a data item from one load of it to its eviction. A pair is charged to the later
/// loaded of two stays that meet and is hosted by the earlier, so a load has a gain, the pairs
/// charged to it, of at most M - 1, and the gains sum to P. Let k = M - 1.
///
/// residence. Stays and their pairs are a graph on L nodes in which each node has at most k pairs
/// with earlier ones. Among the first 2k nodes a two-sided graph has at most k^2 edges, each later
/// node adds at most k: P <= T(L) = k (L - k), or floor(L^2 / 4) for L < 2k. In an unbounded grid
/// T(L) is reached (hold k columns, stream rows), so it is the most tasks L loads can complete.
/// Without sides, node t adds at most min(t - 1, k): P <= C(L) = kL - k(k + 1)/2, or L(L - 1)/2.
///
/// charging, two sides only. Load t finds min(t - 1, k) other data at most, those that are on its
/// own side host nothing then: with w the number of these at the load of a stay,
///   C(L) - P >= sum of w over stays.
/// A load of gain g has g hosts, all on the other side and all resident; by the time of their own
/// loads they are the 1st, 2nd, ..., g-th of them, so their w are at least 0, 1, ..., g - 1. Summed
/// over all loads, with h the pairs a stay hosts (at most `degree` over all stays of one data
/// item):
///   degree * sum w >= sum h w >= sum over loads g (g - 1) / 2 >= (P / 2)(P / L - 1)
/// by convexity. Hence C(L) - P >= (P / (2 degree)) (P / L - 1), used with the exact integer
/// minimum of the sum. For an n x n grid this proves the form
///   (M - 1) L - n^2 >= (n / 2)(n^2 / L - 1), and sharpens it by M (M - 1) / 2 on the right.
/// It is about n (M - 1) / 2 short of the best schedules known when n >> M.
///
/// @param memory  M [data], >= 2 if there are pairs
/// @throws InvalidInput if the memory holds no pair
[[nodiscard]] LoadBound pair_load_bound(const PairCounts& counts, std::uint64_t memory);

/// 2D product: `tasks` of the m x n tasks (i, j), each reading row i and column j (0: all).
///
/// The bound on pairs with one pair a task. Compulsory: the fewest rows + columns that hold so many
/// tasks, m + n for all.
[[nodiscard]] LoadBound grid_load_bound(std::uint64_t m, std::uint64_t n, std::uint64_t memory,
                                        std::uint64_t tasks = 0);

/// 3D product: m n k tasks (i, j, l), each reading A(i, l), B(l, j) and, as `reads_c` says, C(i,
/// j): `later` is all but those of one l.
///
/// The best of what holds. Layers: loads of some of the data, looked at alone, are a schedule of
/// the tasks as far as they read these, so bounds on disjoint sets of data add up. Without C, tasks
/// of different l share nothing, so the bound is k times grid_load_bound: of order mnk / M, not
/// mnk / sqrt(M). With C, that and mn for C; likewise with the layers of one i, where C(i, j) and
/// A(i, l) are the rows and columns of a grid, or of one j. `later`: the tasks of the one l read
/// A(i, l) and B(l, j), which no other task reads, so the bound of an m x n grid and that of the
/// product with C of the k - 1 others add up. `made`: a schedule of it is one of `later` but for mn
/// tiles, which come into memory by being made in place of loads. With C, also segments: cut a
/// schedule's loads from the end into q runs of X and a first run of the rest, which starts with an
/// empty memory. A run has at most M + X data, and y data are enough for at most F(y) = max
/// sqrt(abc), a + b + c = y, tasks (Loomis & Whitney), so
///   T <= F(L - qX) + q F(M + X)  for all X and q.
/// X = 2M, q = T / M^1.5 - 1 give L >= 2 mnk / sqrt(M) + M. Smith, Lowery, Langou & van de Geijn
/// (arXiv 1702.02017) have 2 mnk / sqrt(M) - 2M for loads and stores with a memory that may be full
/// at first; here only loads count, C comes in by loads as A and B do, and the memory is empty.
[[nodiscard]] LoadBound matrix_load_bound(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                                          std::uint64_t memory, ReadsC reads_c);

/// Cholesky's tasks on n x n tiles, without dependencies: of these the n(n-1)(n-2)/6 updates
/// (i > j > l), reading the tiles (i, j), (i, l), (j, l); compulsory: all n (n+1) / 2 tiles.
///
/// Segments with F(y) = the most triangles in a graph of y edges (Kruskal & Katona): y = C(a, 2) +
/// b, 0 <= b < a, has C(a, 3) + C(b, 2). Leading term n^3 / (3 sqrt(6) sqrt(M)).
/// The n^3 / (3 sqrt(2) sqrt(M)) of arXiv 2202.10217 is sqrt(3) more; it is theirs for the
/// factorisation with its dependencies. We have no proof of it without them, where one tile may
/// serve as factor and as target in one run of loads, and so do not use it.
[[nodiscard]] LoadBound cholesky_load_bound(std::uint64_t n, std::uint64_t memory);

}  // namespace damocles
