#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

/// Every other processor at half the speed, all with little memory on one bus.
Scenario big_little(const Spec& spec) {
  static const std::vector<std::string> keys{"p"};
  spec.allow(keys);
  constexpr std::uint64_t most = 4096;
  MachineModel machine;
  machine.bus_bytes_per_s = 10e9;
  for (std::uint64_t p = 0; p < spec.integer("p", 1, most).value_or(2); ++p) {
    machine.processors.push_back({.flops_per_s = p % 2 == 0 ? 10e12 : 5e12,
                                  .memory_data = 6,
                                  .link_bytes_per_s = machine.bus_bytes_per_s});
  }
  return Scenario::of_machine(spec.text(), std::move(machine));
}

const Register big_little_form{
    PlatformForm{.name = "big-little",
                 .place = 100,
                 .form = {"big-little:p=P", "P processors, every other one at half the speed"},
                 .make = big_little}};

}  // namespace
}  // namespace damocles
