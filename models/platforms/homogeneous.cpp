#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

Scenario homogeneous(const Spec& spec) {
  static const std::vector<std::string> keys{"p"};
  spec.allow(keys);
  const std::size_t processors = processor_count(spec);
  return Scenario::of_speeds(
      spec.text(), {.processors = processors, .given = std::vector<double>(processors, 1.0)});
}

const Register homogeneous_form{
    PlatformForm{.name = "homogeneous",
                 .place = 1,
                 .form = {"homogeneous:p=P", "P processors of one speed"},
                 .make = homogeneous}};

}  // namespace
}  // namespace damocles
