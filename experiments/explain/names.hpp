// What tasks, data items and processors are called in explanations.

#pragma once

#include <string>

#include "models/ids.hpp"
#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

[[nodiscard]] std::string task_name(const Workload& workload, TaskId task);
[[nodiscard]] std::string data_name(const Workload& workload, DataId data);
/// The name without its numbers: `B` of B(3,4), "" where it begins with a number.
[[nodiscard]] std::string group_of(const std::string& name);
/// GPU0, CPU3; P0 where memory is unlimited.
[[nodiscard]] std::string processor_name(const Platform& platform, std::size_t processor);

}  // namespace damocles
