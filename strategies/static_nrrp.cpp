#include "models/nrrp_partition.hpp"
#include "strategies/parts/static_zones.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// `static-columns` where speeds differ much: zones as nrrp_partition cuts them, a rectangle or an
/// L around the slower processors. Drifting speeds (dyn.x) are taken as they are at the start.
///
/// Source: Beaumont, Eyraud-Dubois, Lambert, IPDPS 2016; TPDS 30 (2019).
class StaticNrrp final : public StaticZones {
 public:
  explicit StaticNrrp(const StrategyContext& context)
      : StaticZones(context.workload,
                    nrrp_partition(context.workload, context.platform.relative_speeds())) {}
};

const Register static_nrrp_entry{StrategyEntry{
    .name = "static-nrrp",
    .source = "Beaumont, Eyraud-Dubois, Lambert, IPDPS 2016, NRRP",
    .summary = "Partition the grid into one rectangle or L per processor; for unequal known speeds",
    .make = make<StaticNrrp>,
    .unsupported_reason = StaticZones::unsupported_reason,
    .loads_ahead = true}};

}  // namespace
}  // namespace damocles
