// The option `window` of strategies that choose among the first tasks of a list.
#include "strategies/parts/ready_window.hpp"

namespace damocles {

std::size_t ready_window(const Spec& spec, std::size_t otherwise) {
  return spec.integer("window", 1, 1U << 31U).value_or(otherwise);
}

std::array<std::string, 2> window_option() {
  return {"window",
          "compare only the first N tasks of the list before one is taken; StarPU's present "
          "default is 2"};
}

}  // namespace damocles
