#include "strategies/orders/ready_schedules.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// Sufferage, offline: sufferage_schedule(), run as static_entry() says.
///
/// Source: Maheswaran et al., JPDC 1999.
const Register sufferage_entry{static_entry(
    {.name = "sufferage",
     .source = "JPDC 1999, 4",
     .summary = "Assign first the task that loses most on its second-best processor; static",
     .schedule = sufferage_schedule})};

}  // namespace
}  // namespace damocles
