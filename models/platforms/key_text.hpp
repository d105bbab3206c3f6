#pragma once

#include <string>

namespace damocles {

/// What to write for a key of a platform, and what it means: a row of
/// `damocles list platforms FORM`. Whatever reads a key has its text too, so none can lack one.
struct KeyText {
  std::string name;
  std::string values;     ///< examples with their units, separated by |
  std::string otherwise;  ///< the value of a platform without the key; in (), what decides it
  std::string meaning;
};

}  // namespace damocles
