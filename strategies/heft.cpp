#include "strategies/orders/heft_schedule.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// HEFT, offline: heft_schedule(), run as static_entry() says.
///
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002.
const Register heft_entry{static_entry(
    {.name = "heft",
     .source = "TPDS 2002, 4.2 (StarPU's heft is our dmda)",
     .summary = "Static list scheduling by upward rank and earliest finish time; ignores memory",
     .schedule = heft_schedule})};

}  // namespace
}  // namespace damocles
