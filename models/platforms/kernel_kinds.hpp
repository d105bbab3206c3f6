#pragma once

#include <cstddef>
#include <string_view>

#include "models/workload.hpp"

namespace damocles {

/// The place of a kind of tasks among those of the workload (TaskGraph::Parts::kind_names).
/// @param what  the platform gives for it, as "a time": in the error
/// @throws InvalidInput where it has none of that name: a wrong name must not pass for no tasks
[[nodiscard]] std::size_t kernel_kind(const Workload& workload, std::string_view name,
                                      std::string_view what);

/// Whether some task of the workload is of that kind.
[[nodiscard]] bool has_kind(const Workload& workload, std::string_view name);

}  // namespace damocles
