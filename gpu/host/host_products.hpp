#pragma once

#include <functional>

#include "gpu/kernel.hpp"

namespace damocles {

/// The product of run_on_host() by Eigen, on the calling thread; whatever else was found. fp32 or
/// fp64.
void product_by_eigen(const Kernel& kernel, const TaskCall& call);

/// A product in a mixed precision (models/precision.hpp): factors as floats of the bits they have
/// there, multiplied in fp32 by `single`, and the result rounded to what is kept.
void mixed_product(const Kernel& kernel, const TaskCall& call,
                   const std::function<void(const Kernel&, const TaskCall&)>& single);

}  // namespace damocles
