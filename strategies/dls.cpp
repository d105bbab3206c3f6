#include "strategies/orders/ready_schedules.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// DLS, offline: dls_schedule(), run as static_entry() says.
///
/// Source: Sih & Lee, TPDS 1993.
const Register dls_entry{static_entry(
    {.name = "dls",
     .source = "TPDS 1993",
     .summary = "Static list scheduling by dynamic level: high levels and early starts first",
     .schedule = dls_schedule})};

}  // namespace
}  // namespace damocles
