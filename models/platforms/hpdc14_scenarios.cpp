#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

/// Section 3.5 of HPDC'14: `from` says what is drawn.
Scenario drawn(const Spec& spec, SpeedSource from) {
  static const std::vector<std::string> keys{"p", "draw"};
  spec.allow(keys);
  from.processors = processor_count(spec);
  from.draw = fixed_draw(spec);
  return Scenario::of_speeds(spec.text(), std::move(from));
}

Scenario unif_1(const Spec& spec) { return drawn(spec, {.lo = 80, .hi = 120}); }
Scenario unif_2(const Spec& spec) { return drawn(spec, {.lo = 50, .hi = 150}); }
Scenario set_3(const Spec& spec) { return drawn(spec, {.set = {80, 100, 150}}); }
Scenario set_5(const Spec& spec) { return drawn(spec, {.set = {40, 80, 100, 150, 200}}); }
Scenario dyn_5(const Spec& spec) { return drawn(spec, {.lo = 80, .hi = 120, .drift = 0.05}); }
Scenario dyn_20(const Spec& spec) { return drawn(spec, {.lo = 80, .hi = 120, .drift = 0.20}); }

const Register section_3_5{
    PlatformForm{.name = "unif.1",
                 .place = 4,
                 .form = {"unif.1:p=P", "HPDC'14 3.5: speeds uniform in [80, 120]"},
                 .make = unif_1},
    PlatformForm{.name = "unif.2",
                 .place = 5,
                 .form = {"unif.2:p=P", "HPDC'14 3.5: speeds uniform in [50, 150]"},
                 .make = unif_2},
    PlatformForm{.name = "set.3",
                 .place = 6,
                 .form = {"set.3:p=P", "HPDC'14 3.5: each speed drawn from {80, 100, 150}"},
                 .make = set_3},
    PlatformForm{
        .name = "set.5",
        .place = 7,
        .form = {"set.5:p=P", "HPDC'14 3.5: each speed drawn from {40, 80, 100, 150, 200}"},
        .make = set_5},
    PlatformForm{.name = "dyn.5",
                 .place = 8,
                 .form = {"dyn.5:p=P",
                          "HPDC'14 3.5: as unif.1; a speed changes by up to 5 % after each task"},
                 .make = dyn_5},
    PlatformForm{.name = "dyn.20",
                 .place = 9,
                 .form = {"dyn.20:p=P",
                          "HPDC'14 3.5: as unif.1; a speed changes by up to 20 % after each task"},
                 .make = dyn_20}};

}  // namespace
}  // namespace damocles
