#pragma once

#include <string>
#include <vector>

namespace damocles {

/// A unit as a quantity may have it, and what it is in the base: MiB is 2^20 B, us is 1e-6 s.
struct NamedUnit {
  std::string name;
  std::string base;
  double factor;
};

/// All that parse_quantity knows, for readers of quantities that are no part of this program.
[[nodiscard]] std::vector<NamedUnit> named_units();

}  // namespace damocles
