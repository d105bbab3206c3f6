#include "strategies/orders/rank_schedules.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// PEFT, offline: peft_schedule(), run as static_entry() says.
///
/// Source: Arabnejad & Barbosa, TPDS 2014.
const Register peft_entry{static_entry(
    {.name = "peft",
     .source = "TPDS 2014, 4",
     .summary = "HEFT with an optimistic cost table: least remaining time first; static",
     .schedule = peft_schedule})};

}  // namespace
}  // namespace damocles
