#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/runs/trace.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Why a load happened; each load of a run counts under one term.
enum class LoadTerm : std::uint8_t {
  compulsory,  ///< the first load of a data item anywhere
  capacity,    ///< beyond these, what the lower bound says that every schedule loads
  order,       ///< the order of the tasks: the best evictions on the same order reload as much
  prefetch,    ///< beyond these, as data were fetched early, and inputs of running tasks stay
  eviction,    ///< beyond these: the evictions that were chosen
  sharing,     ///< the first load on a further processor
  handover,    ///< the first load there of a data item that another processor wrote
  coherence,   ///< again, as the copy that was there became invalid: another processor wrote
  unused,      ///< no task used the copy before it left, or it came outdated
};
inline constexpr std::size_t load_terms = 9;
inline constexpr std::array<std::string_view, load_terms> load_term_names{
    "compulsory", "capacity", "order",     "prefetch", "eviction",
    "sharing",    "handover", "coherence", "unused"};

/// Loads of one term.
struct TermLoads {
  std::uint64_t loads = 0;
  std::uint64_t bytes = 0;
};

/// A data item that was loaded again after it had been evicted, and how often, on all processors.
struct ReloadedItem {
  DataId data{};
  std::uint64_t reloads = 0;
};

/// Two data items of which each was evicted to make room for the other.
struct EvictingPair {
  DataId first{};
  DataId second{};
  std::uint64_t times = 0;  ///< in either direction at least
};

/// The loads of a run, one term each: they sum to the loads that were made, in loads and in bytes,
/// and none is negative.
struct LoadExplanation {
  std::array<TermLoads, load_terms> terms{};
  /// Sizes differ somewhere. Then MIN need not be the best policy: `order` is at most, `eviction`
  /// at least what is said.
  bool estimated = false;
  std::vector<ReloadedItem> reloaded;     ///< most reloads first
  std::optional<EvictingPair> pair;       ///< that evict each other most often
  std::optional<double> first_reload_s;   ///< when the first load after an eviction started
  std::uint64_t tasks_before_reload = 0;  ///< started by then

  [[nodiscard]] const TermLoads& of(LoadTerm term) const {
    return terms[static_cast<std::size_t>(term)];
  }
  [[nodiscard]] TermLoads total() const;
};

/// Explains the loads of a recorded run.
///
/// The order of tasks that was recorded is held; nothing runs again. On each processor `order` is
/// what MIN reloads on that order. `prefetch` is what MIN reloads beyond that if it moreover has
/// each load from when the run made it to its first use, and keeps inputs of running tasks.
/// `eviction` is what remains. None is negative, as each asks more of the memory than the one
/// before. capacity is taken out of order, then out of sharing.
///
/// @param events       of the whole run, in the order in which they were decided
/// @param lower_bound  on its loads, 0 where none is known
/// docs/explanation/explain.md derives this.
[[nodiscard]] LoadExplanation explain_loads(const std::vector<RunEvent>& events,
                                            const Workload& workload, const Platform& platform,
                                            std::uint64_t lower_bound);

}  // namespace damocles
