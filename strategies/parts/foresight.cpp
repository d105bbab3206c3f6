#include "strategies/parts/foresight.hpp"

#include <utility>

#include "models/error.hpp"

namespace damocles {
namespace {

Foresight& published() {
  static Foresight foresight;
  return foresight;
}

}  // namespace

RegisterForesight::RegisterForesight(Foresight foresight) { published() = std::move(foresight); }

const Foresight& foresight() {
  if (!published()) {
    throw InvalidInput(
        "a choice between strategies by their simulated runs, in a program without the simulator; "
        "link damocles::sim, or name one strategy");
  }
  return published();
}

}  // namespace damocles
