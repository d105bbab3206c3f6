#include "strategies/orders/ready_schedules.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// Min-min, offline: min_min_schedule(), run as static_entry() says.
///
/// Source: Ibarra & Kim, JACM 1977; Maheswaran et al., JPDC 1999.
const Register min_min_entry{
    static_entry({.name = "min-min",
                  .source = "JACM 1977; JPDC 1999, 4",
                  .summary = "Assign the task with the earliest finish time first; static",
                  .schedule = min_min_schedule})};

}  // namespace
}  // namespace damocles
