// The option `window` of strategies that choose among the first tasks of a list.
#include "strategies/parts/ready_window.hpp"

namespace damocles {

std::size_t ready_window(const Spec& spec, std::size_t otherwise) {
  return whole_of(spec, "window", otherwise);
}

StrategyOption window_option() {
  return {"window",
          "compare only the first N tasks of the list (default: all; of dmdas and dmdasd 128)",
          OptionValues::whole(1, std::uint64_t{1} << 31U)};
}

}  // namespace damocles
