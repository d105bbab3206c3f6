#include <fmt/format.h>

#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

/// Speeds in mean (1 +- spread): how much they differ is one number.
Scenario around_mean(const Spec& spec) {
  if (spec.has("lo") || spec.has("hi")) spec.refuse("give lo and hi, or mean and spread");
  const auto mean = spec.number("mean", min_speed, max_speed / 2);
  const auto spread = spec.number("spread", 0, 1);
  if (!mean || !spread) {
    spec.refuse("needs mean and spread, as in uniform:p=20,mean=100,spread=0.4 for [60, 140]");
  }
  return Scenario::of_speeds(spec.text(), {.processors = processor_count(spec),
                                           .lo = *mean - *mean * *spread,
                                           .hi = *mean + *mean * *spread,
                                           .draw = fixed_draw(spec)});
}

Scenario uniform(const Spec& spec) {
  static const std::vector<std::string> keys{"p", "lo", "hi", "mean", "spread", "draw"};
  spec.allow(keys);
  if (spec.has("mean") || spec.has("spread")) return around_mean(spec);
  const auto lo = spec.number("lo", 0, max_speed);
  const auto hi = spec.number("hi", 0, max_speed);
  if (!lo || !hi) {
    spec.refuse("needs lo and hi, as in uniform:p=20,lo=10,hi=100, or mean and spread");
  }
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
    .form =
        {"uniform:p=P,lo=L,hi=H",
         "speeds uniform in [L, H], drawn anew for each replicate; or p=P,mean=M,spread=S: in [M(1-S), M(1+S)]"},
    .make = uniform}};

}  // namespace
}  // namespace damocles
