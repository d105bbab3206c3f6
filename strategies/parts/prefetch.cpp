#include "strategies/parts/prefetch.hpp"

namespace damocles {

bool wishes_at_push(const Spec& spec) {
  const auto word = spec.word("prefetch");
  if (word && *word != "push" && *word != "grant") {
    spec.refuse("prefetch must be push or grant, not '" + *word + "'");
  }
  return word == "push";
}

std::array<std::string, 2> prefetch_option() {
  return {
      "prefetch",
      "when data of listed tasks are asked for: grant (default): with every task granted; push: "
      "also when a task becomes ready; where tasks wait for others"};
}

}  // namespace damocles
