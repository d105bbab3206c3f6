#include "strategies/orders/bil_schedule.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// BIL, offline: bil_schedule(), run as static_entry() says.
///
/// Source: Oh & Ha, Euro-Par 1996.
const Register bil_entry{static_entry(
    {.name = "bil",
     .source = "Euro-Par 1996",
     .summary = "Static list scheduling by best imaginary level; for unrelated processors",
     .schedule = bil_schedule})};

}  // namespace
}  // namespace damocles
