#include "strategies/orders/rank_schedules.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// CPOP, offline: cpop_schedule(), run as static_entry() says.
///
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002.
const Register cpop_entry{static_entry(
    {.name = "cpop",
     .source = "TPDS 2002, 4.3",
     .summary = "Static: run the critical path on one processor, the rest by earliest finish time",
     .schedule = cpop_schedule})};

}  // namespace
}  // namespace damocles
