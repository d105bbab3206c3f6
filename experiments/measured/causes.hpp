#pragma once

#include <string>
#include <vector>

#include "experiments/measured/measured.hpp"

namespace damocles {

/// A known reason why runs of some strategy or machine differ from ours: what is done there, in
/// words without numbers of ours, so that it stays true when those move.
struct Cause {
  std::string name;  ///< as a table can name it: prefetch
  std::string text;
  bool (*applies)(const Measurement& point);
};

[[nodiscard]] const std::vector<Cause>& causes();

}  // namespace damocles
