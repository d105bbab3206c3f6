#include "strategies/orders/ready_schedules.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// HLFET, offline: hlfet_schedule(), run as static_entry() says.
///
/// Source: Adam, Chandy & Dickson, CACM 1974.
const Register hlfet_entry{
    static_entry({.name = "hlfet",
                  .source = "CACM 1974",
                  .summary = "Static list scheduling by level, earliest start time",
                  .schedule = hlfet_schedule})};

}  // namespace
}  // namespace damocles
