#include "strategies/orders/heft_schedule.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// HEFT that looks ahead, offline: lookahead_schedule(), run as static_entry() says.
///
/// Source: Bittencourt, Sakellariou & Madeira, PDP 2010.
const Register lookahead_entry{static_entry(
    {.name = "lookahead",
     .source = "PDP 2010, 3",
     .summary = "HEFT that also minimises the finish times of each task's successors; static",
     .schedule = lookahead_schedule})};

}  // namespace
}  // namespace damocles
