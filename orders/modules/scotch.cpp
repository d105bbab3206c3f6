// Scotch, of the star expansion of a task graph. A module (models/modules.hpp).

#include <scotch.h>

#include <array>
#include <cmath>
#include <cstdio>  // scotch.h needs FILE
#include <limits>
#include <mutex>
#include <type_traits>

#include "models/error.hpp"
#include "orders/partitioners.hpp"
#include "orders/star_graph.hpp"

namespace damocles {
namespace {

static_assert(std::is_same_v<SCOTCH_Num, std::int32_t>, "StarGraph has numbers of 32 bits");

void check_scotch(int status, const char* call) {
  if (status == 0) return;
  throw NoProgress(std::string(call) + " of Scotch failed with status " + std::to_string(status));
}

/// What Scotch makes, ended with the scope: Make(&thing) and End(&thing).
template <typename Thing, int (*Make)(Thing*), void (*End)(Thing*)>
struct ScotchThing {
  Thing thing{};
  explicit ScotchThing(const char* call) { check_scotch(Make(&thing), call); }
  ScotchThing(const ScotchThing&) = delete;
  ScotchThing& operator=(const ScotchThing&) = delete;
  ~ScotchThing() { End(&thing); }
};
using ScotchGraph = ScotchThing<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using ScotchContext = ScotchThing<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using ScotchArch = ScotchThing<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using ScotchStrategy = ScotchThing<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

/// Source: Scotch 7 (Pellegrini & Roman, HPCN 1996), dual recursive bipartitioning. The context has
/// random numbers of its own, so a call's result does not depend on the calls before it.
std::vector<std::uint32_t> bisect_by_scotch(const TaskGraph& graph, const Balance& balance,
                                            std::uint64_t seed) {
  // Scotch keeps state per process outside its contexts: concurrent calls gave different results.
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const StarGraph star = star_graph(graph);
  ScotchContext context("contextInit");
  check_scotch(SCOTCH_contextThreadSpawn(&context.thing, 1, nullptr), "contextThreadSpawn");
  SCOTCH_contextRandomSeed(&context.thing,
                           static_cast<SCOTCH_Num>(seed % std::numeric_limits<SCOTCH_Num>::max()));
  SCOTCH_contextRandomReset(&context.thing);
  ScotchGraph whole("graphInit");
  check_scotch(
      SCOTCH_graphBuild(&whole.thing, 0, static_cast<SCOTCH_Num>(star.vertex_weights.size()),
                        star.begin.data(), nullptr, star.vertex_weights.data(), nullptr,
                        static_cast<SCOTCH_Num>(star.neighbours.size()), star.neighbours.data(),
                        star.edge_weights.data()),
      "graphBuild");
  ScotchGraph bound("graphInit");
  check_scotch(SCOTCH_contextBindGraph(&context.thing, &whole.thing, &bound.thing),
               "contextBindGraph");
  ScotchArch sides("archInit");
  constexpr double steps = 1000;
  const std::array<SCOTCH_Num, 2> shares{
      static_cast<SCOTCH_Num>(std::lround(steps * balance.share)),
      static_cast<SCOTCH_Num>(std::lround(steps * (1 - balance.share)))};
  check_scotch(SCOTCH_archCmpltw(&sides.thing, 2, shares.data()), "archCmpltw");
  ScotchStrategy how("stratInit");
  check_scotch(SCOTCH_stratGraphMapBuild(&how.thing, SCOTCH_STRATQUALITY, 2, balance.imbalance - 1),
               "stratGraphMapBuild");
  std::vector<SCOTCH_Num> part_of(star.vertex_weights.size(), 0);
  check_scotch(SCOTCH_graphMap(&bound.thing, &sides.thing, &how.thing, part_of.data()), "graphMap");
  return {part_of.begin(), part_of.begin() + static_cast<std::ptrdiff_t>(graph.tasks())};
}

}  // namespace
}  // namespace damocles

extern "C" void damocles_bisect_by_scotch(const damocles::TaskGraph& graph,
                                          const damocles::Balance& balance, std::uint64_t seed,
                                          std::vector<std::uint32_t>& part_of) {
  part_of = damocles::bisect_by_scotch(graph, balance, seed);
}
