#include "models/workloads/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/levels.hpp"
#include "models/platforms/bus_sampling.hpp"
#include "models/precision.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t max_tile = 1'000'000;  // numbers a side

}  // namespace

std::uint64_t side(const Spec& spec, std::uint64_t most) {
  const auto n = spec.integer("n", 1, most);
  if (!n) spec.refuse("needs n, the number of blocks a side, as in " + spec.name() + ":n=100");
  return *n;
}

std::uint64_t side_or(const Spec& spec, const char* key, std::uint64_t n, std::uint64_t most) {
  return spec.integer(key, 1, most).value_or(n);
}

Tiling tiling(const Spec& spec) {
  Tiling result;
  result.tile = spec.integer("tile", 1, max_tile).value_or(result.tile);
  result.element_bytes = element_bytes(precision_in(spec));
  return result;
}

std::uint64_t panel_depth(const Spec& spec) {
  return spec.integer("k", 1, max_tile).value_or(3840);
}

BlockWeights panel_weights(const Spec& spec) {
  const Tiling tiles = tiling(spec);
  const std::uint64_t k = panel_depth(spec);
  return {.bytes = tiles.tile * k * tiles.element_bytes,
          .flops = 2 * static_cast<double>(tiles.tile) * static_cast<double>(tiles.tile) *
                   static_cast<double>(k),
          .output_bytes = tiles.tile_bytes()};
}

bool random_order(const Spec& spec) {
  const std::string order = spec.word("order").value_or("row");
  if (order != "row" && order != "random") {
    spec.refuse("order must be row or random, not '" + order + "'");
  }
  return order == "random";
}

void refuse_random_order(const Spec& spec, std::string_view with) {
  if (!random_order(spec)) return;
  spec.refuse(fmt::format(
      "{} with order=random: the order of submission says who waits for whom; leave one out",
      with));
}

bool ordered(const Spec& spec) {
  const std::string deps = spec.word("deps").value_or("true");
  if (deps != "true" && deps != "false") {
    spec.refuse("deps must be true or false, not '" + deps + "'");
  }
  if (deps == "true" && random_order(spec)) {
    spec.refuse(
        "order=random with dependencies: the order of submission says who waits for whom; add "
        "deps=false or leave out order=");
  }
  return deps == "true";
}

std::string note_on_changed_default(const Workload& workload) {
  const std::string& text = workload.text();
  const auto* const family = Table<WorkloadFamily>::find(text.substr(0, text.find(':')));
  if (family == nullptr || family->changed_default.key.empty()) return "";
  if (Spec::parse(text, WorkloadFamily::what).has(family->changed_default.key)) return "";
  return fmt::format("note: '{}': {}", text, family->changed_default.note);
}

Access update_access(const Spec& spec, bool is_ordered, std::string_view why_not) {
  const auto updates = spec.word("updates");
  if (!updates || *updates == "ordered") return Access::read_write;
  if (*updates != "commute" && *updates != "reduce") {
    const std::vector<std::string> words{"ordered", "commute", "reduce"};
    spec.refuse(fmt::format("unknown updates '{}'; {}", *updates, valid_names(*updates, words)));
  }
  if (!is_ordered) {
    spec.refuse(fmt::format("updates={} {}", *updates, why_not));
  }
  return *updates == "commute" ? Access::commute : Access::reduce;
}

std::vector<Lifetime> lifetimes_said(const Spec& spec, bool is_ordered, std::size_t data,
                                     std::string_view usual) {
  const std::string home = spec.word("home").value_or(std::string(usual));
  if (home == "end") return {};
  if (home != "early") spec.refuse("home must be end or early, not '" + home + "'");
  if (!is_ordered) spec.refuse("home=early with deps=false: no task writes; leave one out");
  return std::vector<Lifetime>(data, Lifetime::early_home);
}

std::uint64_t seed_in(const Spec& spec) {
  return spec.integer("seed", 0, std::numeric_limits<std::uint64_t>::max()).value_or(1);
}

MemoryPromise promise(const Spec& spec, double tasks, double inputs) {
  return {TaskGraph::bytes_of(tasks, inputs) * (random_order(spec) ? 2 : 1),
          MemoryPromise::Others::count};
}

Workload workload_of(const Spec& spec, const TaskGraph::Parts& parts, const Structure& structure) {
  return Workload::of_graph(
      spec.text(), TaskGraph(random_order(spec) ? in_random_order(parts, seed_in(spec)) : parts),
      {}, structure);
}

Workload prioritised(const Spec& spec, TaskGraph::Parts parts, const Structure& structure) {
  TaskGraph graph(std::move(parts));
  graph.prioritise(bottom_levels(graph, graph.parts().flops));
  return Workload::of_graph(spec.text(), std::move(graph), {}, structure);
}

std::optional<std::string> retiled(std::string_view workload, std::uint64_t tile) {
  Spec spec = Spec::parse(workload, WorkloadFamily::what);
  const auto* const family = Table<WorkloadFamily>::find(spec.name());
  if (family == nullptr || family->sides.empty()) return std::nullopt;
  const std::uint64_t now = tiling(spec).tile;
  for (const std::string& key : family->sides) {
    const auto tiles = spec.integer(key, 1, max_side);
    if (!tiles) continue;
    const std::uint64_t elements = *tiles * now;
    if (elements % tile != 0) {
      throw InvalidInput(fmt::format(
          "tile={}: a side of {} elements ({}={} tiles of {}) is no whole number of such tiles",
          tile, elements, key, *tiles, now));
    }
    spec.set(key, fmt::format("{}", elements / tile));
  }
  spec.set("tile", fmt::format("{}", tile));
  return spec.text();
}

const std::vector<std::array<std::string, 2>>& Workload::forms() {
  static const std::vector<std::array<std::string, 2>> all = [] {
    std::vector<std::array<std::string, 2>> result;
    for (const auto& family : Table<WorkloadFamily>::entries()) {
      result.insert(result.end(), family.forms.begin(), family.forms.end());
    }
    return result;
  }();
  return all;
}

Workload Workload::parse(std::string_view text) {
  const Spec given = Spec::parse(text, WorkloadFamily::what);
  if (is_bus_sampling(given.name())) throw InvalidInput(bus_sampling_advice(given.name()));
  if (format_of_graph_file(given.name()) != nullptr) {
    throw InvalidInput(fmt::format("unknown workload '{0}'; write file:path={0}", given.name()));
  }
  const WorkloadFamily& family = Table<WorkloadFamily>::named(given.name());
  const auto& keys = family.keys;
  const auto has = [&](const char* key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const Spec spec = has("path") ? given.keyed("path") : given;
  spec.allow(keys);
  Workload made = family.make(spec);
  if (has("precision")) made.precision_ = precision_in(spec);
  return made;
}

}  // namespace damocles
