#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/host_memory.hpp"
#include "models/precision.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"
#include "models/workload.hpp"
#include "models/workloads/tiled_workloads.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t max_side = 100'000;    // of a written-out product
constexpr std::uint64_t max_tile = 1'000'000;  // numbers a side
constexpr double default_density = 0.02;       // IPDPS'22: 98 % of the tasks removed

/// A family of workloads: its name, its keys, how it reads in `damocles list`, and how it is made.
struct Form {
  std::string name;
  std::vector<std::string> keys;
  std::vector<std::array<std::string, 2>> listed;
  std::function<Workload(const Spec&)> make;
};

std::uint64_t side(const Spec& spec, std::uint64_t most) {
  const auto n = spec.integer("n", 1, most);
  if (!n) spec.refuse("needs n, the number of blocks a side, as in " + spec.name() + ":n=100");
  return *n;
}

Workload outer(const Spec& spec) {
  const auto n = side(spec, max_extent);
  return Workload::outer(spec.integer("m", 1, max_extent).value_or(n), n);
}

Workload matrix(const Spec& spec) {
  const auto n = side(spec, max_extent);
  return Workload::matrix(spec.integer("m", 1, max_extent).value_or(n), n,
                          spec.integer("k", 1, max_extent).value_or(n));
}

Tiling tiling(const Spec& spec) {
  Tiling result;
  result.tile = spec.integer("tile", 1, max_tile).value_or(result.tile);
  result.element_bytes = element_bytes(precision_in(spec));
  return result;
}

bool random_order(const Spec& spec) {
  const std::string order = spec.word("order").value_or("row");
  if (order != "row" && order != "random") {
    spec.refuse("order must be row or random, not '" + order + "'");
  }
  return order == "random";
}

std::uint64_t seed(const Spec& spec) {
  return spec.integer("seed", 0, std::numeric_limits<std::uint64_t>::max()).value_or(1);
}

/// Memory of a graph about to be written out: its own, and that of the order before a random one.
MemoryPromise promise(const Spec& spec, double tasks, double inputs) {
  return {Bipartite::bytes_of(tasks, inputs) * (random_order(spec) ? 2 : 1),
          MemoryPromise::Others::count};
}

Workload workload_of(const Spec& spec, const Bipartite::Parts& parts) {
  return Workload::of_graph(
      spec.text(), Bipartite(random_order(spec) ? in_random_order(parts, seed(spec)) : parts));
}

/// A task multiplies `tile` rows of A by `tile` columns of B, each `k` long.
BlockWeights panel_weights(const Spec& spec) {
  const Tiling tiles = tiling(spec);
  const std::uint64_t k = spec.integer("k", 1, max_tile).value_or(3840);
  return {.bytes = tiles.tile * k * tiles.element_bytes,
          .flops = 2 * static_cast<double>(tiles.tile) * static_cast<double>(tiles.tile) *
                   static_cast<double>(k),
          .output_bytes = tiles.tile_bytes()};
}

Workload gemm2d(const Spec& spec) {
  const bool random = random_order(spec);
  const auto n = side(spec, random ? max_side : max_extent);
  const auto m = spec.integer("m", 1, random ? max_side : max_extent).value_or(n);
  Workload grid = Workload::grid(spec.text(), m, n, 0, panel_weights(spec));
  return random ? workload_of(spec, grid.graph().parts()) : grid;
}

Workload gemm3d(const Spec& spec) {
  const auto n = side(spec, max_side);
  const auto m = spec.integer("m", 1, max_side).value_or(n);
  const auto k = spec.integer("k", 1, max_side).value_or(n);
  const std::string c = spec.word("c").value_or("no");
  if (c != "no" && c != "yes" && c != "later") {
    spec.refuse("c must be no, yes or later (all tasks of a tile but the first), not '" + c + "'");
  }
  const Tiling tiles = tiling(spec);
  // With C the tasks are those of the matrix product: a grid, until somebody shuffles it.
  Workload grid = Workload::grid(
      spec.text(), m, n, k,
      {.bytes = tiles.tile_bytes(), .flops = 2 * tiles.cube(), .output_bytes = tiles.tile_bytes()});
  if (c == "yes" && !random_order(spec)) return grid;
  if (grid.tasks() > std::uint64_t{1} << 29U) {
    spec.refuse("has more than 2^29 tasks; make m n k smaller");
  }
  const auto tasks = static_cast<double>(grid.tasks());
  const MemoryPromise memory = promise(spec, tasks, 2 * tasks);
  const ReadsC reads_c = c == "no" ? ReadsC::no : c == "yes" ? ReadsC::yes : ReadsC::later;
  return workload_of(spec, product_3d(m, n, k, reads_c, tiles));
}

Workload cholesky_workload(const Spec& spec) {
  constexpr std::uint64_t most = 1000;  // n^3/6 tasks
  const auto n = side(spec, most);
  const std::uint64_t count = n * (n + 1) * (n + 2) / 6;
  const auto tasks = static_cast<double>(count);
  const MemoryPromise memory = promise(spec, tasks, 2 * tasks);  // most read three
  return workload_of(spec, cholesky(n, tiling(spec)));
}

Workload sparse2d(const Spec& spec) {
  const auto n = side(spec, max_side);
  const auto m = spec.integer("m", 1, max_side).value_or(n);
  const double density = spec.number("density", 1e-9, 1).value_or(default_density);
  const double tasks = density * static_cast<double>(m * n);
  if (tasks > 0x1p29) {
    spec.refuse("has more than 2^29 tasks; make density m n smaller");
  }
  const BlockWeights weights = panel_weights(spec);
  const MemoryPromise memory = promise(spec, tasks, 2 * tasks);
  return workload_of(spec, sparse_product_2d(m, n, density, seed(spec), weights.bytes,
                                             weights.flops, weights.output_bytes));
}

Workload from_file(const Spec& spec) {
  const auto path = spec.word("path");
  if (!path) spec.refuse("needs path, as in file:path=graph.mtx (.mtx, .hgr, .json or .rec)");
  const auto given = [&](const char* key, Unit unit) -> std::optional<double> {
    const auto text = spec.word(key);
    if (!text) return std::nullopt;
    const auto value = parse_quantity(*text, unit);
    if (!value) spec.refuse(fmt::format("{} must be {}, not '{}'", key, example(unit), *text));
    return value;
  };
  GraphDefaults defaults;
  defaults.task_flops = given("flops", Unit::flops);
  if (const auto bytes = given("bytes", Unit::bytes)) {
    if (!(*bytes >= 1 && *bytes <= 0x1p50)) spec.refuse("bytes must be from 1B to 1PiB");
    defaults.data_bytes = static_cast<std::uint64_t>(*bytes);
  }
  const std::string deps = spec.word("deps").value_or("keep");
  if (deps != "keep" && deps != "ignore") {
    spec.refuse("deps must be keep or ignore, not '" + deps + "'");
  }
  SourceFile source{*path, {}};
  Bipartite graph = read_graph(*path, defaults, &source.digest);
  if (deps == "keep") return Workload::of_graph(spec.text(), std::move(graph), std::move(source));
  Bipartite::Parts parts = graph.parts();
  parts.dependencies.clear();
  return Workload::of_graph(spec.text(), Bipartite(std::move(parts)), std::move(source));
}

const std::vector<Form>& all_forms() {
  static const std::vector<Form> all{
      {"outer",
       {"n", "m"},
       {{"outer:n=N", "outer product of two vectors of N blocks: N^2 tasks, 2 inputs each"},
        {"outer:m=M,n=N", "the same of M and N blocks: M N tasks"}},
       outer},
      {"matrix",
       {"n", "m", "k"},
       {{"matrix:n=N", "product of two N x N block matrices: N^3 tasks, 3 inputs each (A, B, C)"},
        {"matrix:m=M,n=N,k=K", "the same of M x K and K x N blocks: M N K tasks"}},
       matrix},
      {"gemm2d",
       {"n", "m", "tile", "k", "precision", "order", "seed"},
       {{"gemm2d:n=N",
         "rows of A times columns of B: N^2 tasks, 2 inputs of 14.7 MB (tile=960, k=3840), also "
         "m=, precision=double (tf32, bf16, fp16), order=random,seed=1"}},
       gemm2d},
      {"gemm3d",
       {"n", "m", "k", "c", "tile", "precision", "order", "seed"},
       {{"gemm3d:n=N",
         "tiles of A times tiles of B: N^3 tasks, 2 inputs of 3.7 MB (tile=960); c=yes reads C "
         "too, "
         "c=later in all tasks of a tile but the first; also m=, k=, precision=, order="}},
       gemm3d},
      {"cholesky",
       {"n", "tile", "precision", "order", "seed"},
       {{"cholesky:n=N",
         "the tasks of the Cholesky factorisation of N x N tiles, without dependencies; also "
         "tile=, "
         "precision=, order="}},
       cholesky_workload},
      {"sparse2d",
       {"n", "m", "density", "tile", "k", "precision", "order", "seed"},
       {{"sparse2d:n=N,density=0.02,seed=1",
         "gemm2d of which only this share of the tasks is kept; also m=, tile=, k=, order="}},
       sparse2d},
      {"file",
       {"path", "bytes", "flops", "deps"},
       {{"file:path=FILE",
         "task graph of a .mtx (row: task, column: data), .hgr, .json or StarPU tasks.rec file; "
         "bytes=14.7MB and flops=7GF where the file does not say; deps=ignore takes tasks that "
         "wait "
         "for others as independent"}},
       from_file},
  };
  return all;
}

}  // namespace

const std::vector<std::array<std::string, 2>>& Workload::forms() {
  static const std::vector<std::array<std::string, 2>> all = [] {
    std::vector<std::array<std::string, 2>> result;
    for (const auto& form : all_forms()) {
      result.insert(result.end(), form.listed.begin(), form.listed.end());
    }
    return result;
  }();
  return all;
}

Workload Workload::parse(std::string_view text) {
  const Spec given = Spec::parse(text, "workload");
  const Spec spec = given.name() == "file" ? given.keyed("path") : given;
  std::vector<std::string> names;
  for (const auto& form : all_forms()) {
    if (form.name == spec.name()) {
      spec.allow(form.keys);
      Workload made = form.make(spec);
      const auto& keys = form.keys;
      if (std::find(keys.begin(), keys.end(), "precision") != keys.end()) {
        made.precision_ = precision_in(spec);
      }
      return made;
    }
    names.push_back(form.name);
  }
  for (const char* const ending : {".mtx", ".hgr", ".json", ".rec"}) {
    if (!spec.name().ends_with(ending)) continue;
    throw InvalidInput(fmt::format("unknown workload '{0}'; write file:path={0}", spec.name()));
  }
  refuse_unknown("workload", spec.name(), names);
}

}  // namespace damocles
