#include <utility>

#include "models/workloads/family.hpp"

namespace damocles {
namespace {

Workload cholesky_factorisation(const Spec& spec) {
  constexpr std::uint64_t most = 1000;  // n^3/6 tasks
  const auto n = side(spec, most);
  const std::uint64_t count = n * (n + 1) * (n + 2) / 6;
  const auto tasks = static_cast<double>(count);
  const Tiling tiles = tiling(spec);
  const MemoryPromise memory = promise(spec, tasks, 2 * tasks);  // most read three
  const Structure is{.kind = Structure::Kind::cholesky,
                     .m = n,
                     .n = n,
                     .k = n,
                     .tile = tiles.tile,
                     .depth = tiles.tile};
  const bool is_ordered = ordered(spec);
  const Access update = update_access(spec, is_ordered);
  const auto lifetimes = lifetimes_said(spec, is_ordered, n * (n + 1) / 2, "end");
  if (!is_ordered) return workload_of(spec, cholesky(n, tiles), is);
  auto parts = cholesky_in_place(n, tiles, update);
  parts.lifetimes = lifetimes;
  return prioritised(spec, std::move(parts), is);
}

const Register cholesky_family{WorkloadFamily{
    .name = "cholesky",
    .place = 5,
    .keys = {"n", "tile", "precision", "order", "seed", "deps", "updates", "home"},
    .forms =
        {{"cholesky:n=N",
          "the Cholesky factorisation of N x N tiles, whose tasks wait for others and write tiles; "
          "also tile=, precision=; deps=false: the same tasks without dependencies, also order=; "
          "updates=commute: updates of a tile in any order; updates=reduce: at the same time, into "
          "partial sums; home=early: a tile goes to host memory after its last write (default end: "
          "after the run)"}},
    .make = cholesky_factorisation,
    .sides = {"n"},
    .changed_default = deps_became_true}};

}  // namespace
}  // namespace damocles
