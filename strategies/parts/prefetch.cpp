#include "strategies/parts/prefetch.hpp"

namespace damocles {

bool hints_at_push(const Spec& spec) { return word_of(spec, "prefetch", "grant") == "push"; }

StrategyOption prefetch_option() {
  return {
      "prefetch",
      "when to prefetch the inputs of listed tasks: grant (default): with every granted task; push: "
      "also when a task becomes ready; for graphs with dependencies",
      OptionValues::words({"push", "grant"})};
}

}  // namespace damocles
