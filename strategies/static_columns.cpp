#include "models/column_partition.hpp"
#include "strategies/parts/static_zones.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// The static basis of comparison, which knows every speed: one rectangle a processor, as
/// column_partition cuts them. Drifting speeds (dyn.x) are taken as they are at the start.
///
/// Source: Beaumont, Boudet, Rastello, Robert, Algorithmica 34 (2002), PERI-SUM; HPDC'14 [2].
class StaticColumns final : public StaticZones {
 public:
  explicit StaticColumns(const StrategyContext& context)
      : StaticZones(context.workload, rectangles(context)) {}

 private:
  static std::vector<Zone> rectangles(const StrategyContext& context) {
    const auto cut = column_partition(context.workload, context.platform.relative_speeds());
    return {cut.begin(), cut.end()};
  }
};

const Register static_columns_entry{StrategyEntry{
    .name = "static-columns",
    .source = "Beaumont et al. 2002, PERI-SUM",
    .summary = "Partition the grid into one rectangle per processor, in columns; needs speeds",
    .make = make<StaticColumns>,
    .unsupported_reason = StaticZones::unsupported_reason,
    .loads_ahead = true}};

}  // namespace
}  // namespace damocles
