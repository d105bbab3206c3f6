// METIS, of the star expansion of a task graph. A module (models/modules.hpp).

#include <metis.h>

#include <array>
#include <limits>
#include <mutex>
#include <type_traits>

#include "models/error.hpp"
#include "orders/partitioners.hpp"
#include "orders/star_graph.hpp"

namespace damocles {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>, "StarGraph has numbers of 32 bits");

/// Source: METIS 5 (Karypis & Kumar, SIAM J. Sci. Comput. 20(1), 1998), multilevel bisection.
std::vector<std::uint32_t> bisect_by_metis(const TaskGraph& graph, const Balance& balance,
                                           std::uint64_t seed) {
  // Debian's draws from rand(), which is one stream per process, and while it runs it has a handler
  // of its own for SIGTERM.
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  StarGraph star = star_graph(graph);
  auto vertices = static_cast<idx_t>(star.vertex_weights.size());
  idx_t constraints = 1;
  idx_t parts = 2;
  idx_t cut = 0;
  std::array<real_t, 2> shares{static_cast<real_t>(balance.share),
                               static_cast<real_t>(1 - balance.share)};
  auto imbalance = static_cast<real_t>(balance.imbalance);
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed % std::numeric_limits<idx_t>::max());
  std::vector<idx_t> part_of(star.vertex_weights.size(), 0);
  const int status = METIS_PartGraphRecursive(
      &vertices, &constraints, star.begin.data(), star.neighbours.data(),
      star.vertex_weights.data(), nullptr, star.edge_weights.data(), &parts, shares.data(),
      &imbalance, options.data(), &cut, part_of.data());
  if (status != METIS_OK) {
    throw NoProgress("METIS_PartGraphRecursive failed with status " + std::to_string(status));
  }
  return {part_of.begin(), part_of.begin() + static_cast<std::ptrdiff_t>(graph.tasks())};
}

}  // namespace
}  // namespace damocles

extern "C" void damocles_bisect_by_metis(const damocles::TaskGraph& graph,
                                         const damocles::Balance& balance, std::uint64_t seed,
                                         std::vector<std::uint32_t>& part_of) {
  part_of = damocles::bisect_by_metis(graph, balance, seed);
}
