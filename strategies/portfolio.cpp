#include <numeric>

#include "strategies/balance.hpp"
#include "strategies/listed.hpp"
#include "strategies/min_loads.hpp"
#include "strategies/mst_order.hpp"
#include "strategies/packing.hpp"
#include "strategies/panel_order.hpp"
#include "strategies/rcm_order.hpp"

namespace damocles {
namespace {

using Index = Bipartite::Index;
using Lists = std::vector<std::vector<Index>>;

/// One order cut into parts of equal work, one a processor.
Lists cut(const std::vector<Index>& order, const Bipartite& graph, std::size_t processors) {
  const double share = graph.total_flops() / static_cast<double>(processors);
  Lists lists(processors);
  double done = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const double middle = done + graph.flops(order[at]) / 2;
    const double part =
        share > 0 ? middle / share
                  : static_cast<double>(at * processors) / static_cast<double>(order.size());
    lists[std::min(processors - 1, static_cast<std::size_t>(part))].push_back(order[at]);
    done += graph.flops(order[at]);
  }
  return lists;
}

/// Every candidate, the simplest first: of equal ones the first is taken.
std::vector<Lists> candidates(const Setting& setting) {
  const Bipartite& graph = setting.workload.graph();
  const std::size_t processors = setting.platform.processors();
  const std::uint64_t memory = memory_beside_prefetch(setting);
  std::vector<Index> natural(graph.tasks());
  std::iota(natural.begin(), natural.end(), Index{0});
  std::vector<Lists> all{cut(natural, graph, processors), cut(mst_order(graph), graph, processors),
                         cut(rcm_order(graph), graph, processors)};
  Lists packages = pack(graph, memory, processors);
  packages.resize(processors);  // fewer tasks than processors
  balance(packages, graph);
  all.push_back(std::move(packages));
  all.push_back(panel_order(graph, memory, processors));
  return all;
}

/// The bytes that all processors load, each running its list in order under MIN.
std::uint64_t bytes_under_min(const Lists& lists, const Bipartite& graph, std::uint64_t memory) {
  std::uint64_t bytes = 0;
  for (const auto& list : lists) bytes += loaded_under_min(graph, list, memory).bytes;
  return bytes;
}

/// Of several orders the one that moves the fewest bytes under MIN: natural, maximum spanning tree,
/// reverse Cuthill-McKee, hierarchical packing and panel streaming, each cut into equal work.
///
/// Source: ours.
class Portfolio final : public Listed {
 public:
  explicit Portfolio(const Setting& setting) : Listed(setting, best(setting), {.steal = true}) {}

 private:
  static Lists best(const Setting& setting) {
    std::uint64_t fewest = 0;
    Lists best;
    for (Lists& lists : candidates(setting)) {
      const std::uint64_t bytes =
          bytes_under_min(lists, setting.workload.graph(), memory_beside_prefetch(setting));
      if (!best.empty() && bytes >= fewest) continue;
      fewest = bytes;
      best = std::move(lists);
    }
    return best;
  }
};

const Register entry{{.name = "portfolio",
                      .source = "ours",
                      .summary = "of several orders the one that moves the fewest bytes under MIN",
                      .make = make<Portfolio>,
                      .tasks_only = true,
                      .eviction = "belady",
                      .fixed_order = true}};

}  // namespace
}  // namespace damocles
