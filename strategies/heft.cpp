#include "strategies/orders/heft_schedule.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// HEFT, offline: heft_schedule(), run as static_entry() says.
///
/// Source: Topcuoglu, Hariri & Wu, TPDS 2002.
const Register heft_entry{static_entry({.name = "heft",
                                        .source = "TPDS 2002, 4.2 (StarPU's heft is our dmda)",
                                        .summary = "placed before the start, where each ends first",
                                        .schedule = heft_schedule})};

}  // namespace
}  // namespace damocles
