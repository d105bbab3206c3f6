#include "models/precision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/spec.hpp"

namespace damocles {

Precision precision_in(const Spec& spec) {
  const std::string word = spec.word("precision").value_or("single");
  if (const auto known = precision_of(word)) return *known;
  spec.refuse(fmt::format("precision must be one of {}, not '{}'",
                          fmt::join(precision_words(), ", "), word));
}

}  // namespace damocles
