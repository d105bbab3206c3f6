#include "strategies/orders/ready_schedules.hpp"
#include "strategies/parts/static_schedule.hpp"

namespace damocles {
namespace {

/// ETF, offline: etf_schedule(), run as static_entry() says.
///
/// Source: Hwang, Chow, Anger & Lee, SIAM J. Computing 1989.
const Register etf_entry{static_entry({.name = "etf",
                                       .source = "SICOMP 1989",
                                       .summary = "Static list scheduling by earliest start time",
                                       .schedule = etf_schedule})};

}  // namespace
}  // namespace damocles
