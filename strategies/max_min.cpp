#include "strategies/orders/ready_schedules.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// Max-min, offline: max_min_schedule(), run as static_entry() says.
///
/// Source: Ibarra & Kim, JACM 1977; Maheswaran et al., JPDC 1999.
const Register max_min_entry{
    static_entry({.name = "max-min",
                  .source = "JACM 1977; JPDC 1999, 4",
                  .summary = "Assign the task with the latest best finish time first; static",
                  .schedule = max_min_schedule})};

}  // namespace
}  // namespace damocles
