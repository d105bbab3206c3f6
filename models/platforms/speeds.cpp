#include <fmt/format.h>

#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

Scenario speeds(const Spec& spec) {
  spec.allow({}, true);
  SpeedSource source;
  for (const auto& value : spec.values()) {
    source.given.push_back(positive_speed(parse_number(value),
                                          fmt::format("platform '{}': '{}'", spec.text(), value)));
  }
  if (source.given.empty()) spec.refuse("needs at least one speed, as in speeds:80,100,150");
  source.processors = source.given.size();
  return Scenario::of_speeds(spec.text(), std::move(source));
}

const Register speeds_form{
    PlatformForm{.name = "speeds",
                 .place = 3,
                 .form = {"speeds:80,100,150", "these speeds, in tasks per second"},
                 .make = speeds}};

}  // namespace
}  // namespace damocles
