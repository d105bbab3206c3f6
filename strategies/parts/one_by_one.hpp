#pragma once

#include "strategies/strategy.hpp"

namespace damocles {

/// A policy to which processors come for one task after the other, as StarPU's driver does: a
/// further one only when the inputs of all that the processor has are there
/// (Strategy::waits_for_inputs()), where the user does not say otherwise (option `patient`).
///
/// True of whatever the driver asks itself: of StarPU's eager, prio, random, ws, lws and
/// heteroprio, and of modular schedulers without queues of their own below. The queues of the
/// `-prefetching` ones take tasks whenever they have room.
///
/// Source: StarPU 1.3.10, src/drivers/driver_common/driver_common.c,
/// _starpu_get_multi_worker_task(): no task is taken while task_transferring.
template <typename Policy>
class OneByOne final : public Policy {
 public:
  using Policy::Policy;

  [[nodiscard]] bool waits_for_inputs() const override { return true; }
};

}  // namespace damocles
