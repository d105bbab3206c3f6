#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/host_memory.hpp"
#include "models/spec.hpp"
#include "models/table.hpp"
#include "models/workload.hpp"
#include "models/workloads/tiled_workloads.hpp"

namespace damocles {

/// A key whose default is another than in the version before, and what to tell where it is not
/// given. For one version.
struct ChangedDefault {
  std::string key{};  ///< empty: none changed
  std::string note{};
};

/// Of the factorisations, whose tasks were independent unless deps=true was given.
inline const ChangedDefault deps_became_true{
    .key = "deps",
    .note =
        "its tasks wait for each other, as deps=true is the default now; write deps=false for "
        "independent tasks, as before"};

/// A family of workloads, in a file of its own: its keys, and how one is made.
struct WorkloadFamily {
  static constexpr const char* what = "workload";
  static constexpr const char* list = "workloads";
  std::string name;
  int place = 0;  ///< in lists
  std::vector<std::string> keys;
  /// How it is written, and what it then is: the rows of `damocles list workloads`.
  std::vector<std::array<std::string, 2>> forms;
  Workload (*make)(const Spec&);
  /// The keys that count tiles along a side of a matrix; none where no matrix is divided into
  /// tiles.
  std::vector<std::string> sides{};
  ChangedDefault changed_default{};
};

/// What to tell of a workload that leaves a changed default unsaid; else "".
[[nodiscard]] std::string note_on_changed_default(const Workload& workload);

inline constexpr std::uint64_t max_side = 100'000;  // blocks, where tasks are written out

/// The workload with its matrices divided into tiles of another size: `tile`, and as many tiles a
/// side as the matrices then have; nothing where it divides no matrix.
/// @throws InvalidInput where a side is no whole number of such tiles
[[nodiscard]] std::optional<std::string> retiled(std::string_view workload, std::uint64_t tile);

/// `n`, which every family of blocks needs. @throws InvalidInput where it is missing or not in
/// [1, most]
[[nodiscard]] std::uint64_t side(const Spec& spec, std::uint64_t most);
/// Another extent, `n` where it is not said.
[[nodiscard]] std::uint64_t side_or(const Spec& spec, const char* key, std::uint64_t n,
                                    std::uint64_t most);
/// `tile`, `precision`
[[nodiscard]] Tiling tiling(const Spec& spec);
/// `k` of tasks that multiply `tile` rows of A by `tile` columns of B, each `k` long.
[[nodiscard]] std::uint64_t panel_depth(const Spec& spec);
[[nodiscard]] BlockWeights panel_weights(const Spec& spec);
/// `order=random`
[[nodiscard]] bool random_order(const Spec& spec);
[[nodiscard]] std::uint64_t seed_in(const Spec& spec);

/// @throws InvalidInput if order=random is given `with` a setting by which tasks wait for others:
/// the order of submission then says who waits for whom
void refuse_random_order(const Spec& spec, std::string_view with);
/// Unless `deps=false`: tasks wait for others and write. @throws InvalidInput with order=random
[[nodiscard]] bool ordered(const Spec& spec);

/// `updates=` of a factorisation: how its updates access the tile that they update.
/// @param why_not  how a refusal goes on where `is_ordered` is false
/// @throws InvalidInput on another word than ordered, commute or reduce, and on the latter two
/// where no task waits for another
[[nodiscard]] Access update_access(
    const Spec& spec, bool is_ordered,
    std::string_view why_not = "with deps=false: no task waits for another; leave one out");

/// `home=` of a factorisation, end or early: when what tasks write goes to host memory.
/// @param usual  where the spec says nothing
/// @return of each data item, or empty: all go at the end
/// @throws InvalidInput on another word, and on early where no task waits for another
[[nodiscard]] std::vector<Lifetime> lifetimes_said(const Spec& spec, bool is_ordered,
                                                   std::size_t data, std::string_view usual);

/// Memory of a graph about to be written out: its own, and that of the order before a random one.
[[nodiscard]] MemoryPromise promise(const Spec& spec, double tasks, double inputs);
/// The graph as the spec's workload, in the order that it says.
[[nodiscard]] Workload workload_of(const Spec& spec, const TaskGraph::Parts& parts,
                                   const Structure& structure);

/// A graph whose tasks wait for others; their priorities are bottom levels in flops.
[[nodiscard]] Workload prioritised(const Spec& spec, TaskGraph::Parts parts,
                                   const Structure& structure = {});

}  // namespace damocles
