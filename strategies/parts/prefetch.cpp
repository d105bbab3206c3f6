#include "strategies/parts/prefetch.hpp"

namespace damocles {

bool wishes_at_push(const Spec& spec) { return word_of(spec, "prefetch", "grant") == "push"; }

StrategyOption prefetch_option() {
  return {
      "prefetch",
      "when data of listed tasks are asked for: grant (default): with every task granted; push: "
      "also when a task becomes ready; where tasks wait for others",
      OptionValues::words({"push", "grant"})};
}

}  // namespace damocles
