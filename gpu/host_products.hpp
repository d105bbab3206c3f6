#pragma once

#include "gpu/kernel.hpp"

namespace damocles {

/// The product of run_on_host() by Eigen, on the calling thread; whatever else was found.
void product_by_eigen(const Kernel& kernel, const TaskCall& call);

}  // namespace damocles
