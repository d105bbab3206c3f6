#include <fmt/format.h>

#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

Scenario uniform(const Spec& spec) {
  static const std::vector<std::string> keys{"p", "lo", "hi", "draw"};
  spec.allow(keys);
  const auto lo = spec.number("lo", 0, max_speed);
  const auto hi = spec.number("hi", 0, max_speed);
  if (!lo || !hi) spec.refuse("needs lo and hi, as in uniform:p=20,lo=10,hi=100");
  if (*hi < min_speed)
    spec.refuse(fmt::format("hi={:g} is too small; give a speed of at least {:g}", *hi, min_speed));
  if (*hi < *lo) spec.refuse(fmt::format("lo={:g} is above hi={:g}; give lo <= hi", *lo, *hi));
  return Scenario::of_speeds(
      spec.text(),
      {.processors = processor_count(spec), .lo = *lo, .hi = *hi, .draw = fixed_draw(spec)});
}

const Register uniform_form{PlatformForm{
    .name = "uniform",
    .place = 2,
    .form = {"uniform:p=P,lo=L,hi=H", "speeds uniform in [L, H], drawn anew for each replicate"},
    .make = uniform}};

}  // namespace
}  // namespace damocles
