// Static partitions of an outer product, which know every speed. Drifting speeds (dyn.x) are taken
// as they are at the start.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/column_partition.hpp"
#include "models/nrrp_partition.hpp"
#include "models/zone.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// One zone a processor of an outer product, fixed before the start: at its first request a
/// processor is given all of it, row by row.
class StaticZones final : public Strategy {
 public:
  /// @param zones  shape (p); together they tile the grid
  StaticZones(const Workload& workload, std::vector<Zone> zones)
      : workload_(workload), zones_(std::move(zones)) {}

  void request(ProcessorId processor, Grant& grant) override {
    const Zone mine = std::exchange(zones_[raw(processor)], {});
    if (mine.tasks() == 0) return;
    const Rectangle& around = mine.around;
    for (auto i = around.first_row; i < mine.rows_end(); ++i) {
      grant.loads.push_back(workload_.data_a(i));
      grant.tasks.add_range(workload_.task(i, around.first_column),
                            mine.last_column(i) - around.first_column);
    }
    for (auto j = around.first_column; j < mine.columns_end(); ++j) {
      grant.loads.push_back(workload_.data_b(j));
    }
  }

 private:
  const Workload& workload_;
  std::vector<Zone> zones_;
};

StrategyEntry zones_entry(StrategyEntry row) {
  row.unsupported_reason = [](const Workload& workload) -> std::string {
    if (workload.dimensions() == 2) return {};
    return "a partition into zones is defined for the outer product only; use an outer: workload";
  };
  row.loads_ahead = true;
  row.whole_graph = true;
  return row;
}

const Register static_zones{
    // One rectangle a processor. Beaumont, Boudet, Rastello, Robert, Algorithmica 34 (2002);
    // HPDC'14 [2].
    zones_entry(
        {.name = "static-columns",
         .source = "Beaumont et al. 2002, PERI-SUM",
         .summary = "Partition the grid into one rectangle per processor, in columns; needs speeds",
         .make = [](const StrategyContext& context) -> std::unique_ptr<Strategy> {
           const auto cut = column_partition(context.workload, context.platform.relative_speeds());
           return std::make_unique<StaticZones>(context.workload,
                                                std::vector<Zone>(cut.begin(), cut.end()));
         }}),
    // A rectangle or an L around the slower processors. Beaumont, Eyraud-Dubois, Lambert, IPDPS
    // 2016; TPDS 30 (2019).
    zones_entry(
        {.name = "static-nrrp",
         .source = "Beaumont, Eyraud-Dubois, Lambert, IPDPS 2016, NRRP",
         .summary =
             "Partition the grid into one rectangle or L-shape per processor; for unequal known speeds",
         .make = [](const StrategyContext& context) -> std::unique_ptr<Strategy> {
           return std::make_unique<StaticZones>(
               context.workload,
               nrrp_partition(context.workload, context.platform.relative_speeds()));
         }})};

}  // namespace
}  // namespace damocles
