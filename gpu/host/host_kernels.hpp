#pragma once

#include <string>

#include "gpu/kernel.hpp"

namespace damocles {

/// Runs a task on the calling thread, on host addresses. Products by OpenBLAS (one thread) where it
/// was found as this was built and is now, else by Eigen.
void run_on_host(const Kernel& kernel, const TaskCall& call);

/// "OpenBLAS 0.3.21" or "Eigen 3.4.0". The first call, or the first product, loads OpenBLAS, which
/// reads the environment: let no other thread change it then.
[[nodiscard]] std::string host_kernel_library();

}  // namespace damocles
