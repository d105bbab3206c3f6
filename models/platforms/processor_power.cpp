#include "models/platforms/processor_power.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/error.hpp"
#include "models/platforms/kernel_times.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

constexpr double most_w = 1e9;

}  // namespace

std::vector<KernelPower> parse_kernel_powers(std::string_view text, const std::string& where) {
  std::vector<KernelPower> powers;
  for (const std::string_view one : summands(text)) {
    const auto colon = std::min(one.find(':'), one.size());
    const std::string kind(one.substr(0, colon));
    const std::string_view given = one.substr(std::min(colon + 1, one.size()));
    const auto watts = parse_quantity(given, Unit::watts);
    const bool again = std::any_of(powers.begin(), powers.end(),
                                   [&](const KernelPower& other) { return other.kind == kind; });
    if (!kind.empty() && !watts && lacks_unit(given)) {
      throw InvalidInput(
          fmt::format("{}: {}", where, quantity_error("powers of " + kind, given, Unit::watts)));
    }
    if (kind.empty() || again || !watts || !(*watts > 0) || *watts > most_w) {
      throw InvalidInput(fmt::format(
          "{}: powers must be a power above 0 for each kind of task, as GEMM:280W+POTRF:120W, not '{}'",
          where, text));
    }
    powers.push_back({kind, *watts});
  }
  return powers;
}

}  // namespace damocles
