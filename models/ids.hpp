#pragma once

#include <cstdint>
#include <type_traits>

namespace damocles {

/// Ids are types of their own, so that a data item is not passed where a task is meant.
enum class TaskId : std::uint64_t {};
enum class DataId : std::uint64_t {};
enum class ProcessorId : std::uint32_t {};

/// The number behind an id: an index into arrays over tasks, data or processors.
template <typename Id>
[[nodiscard]] constexpr auto raw(Id id) {
  return static_cast<std::underlying_type_t<Id>>(id);
}

}  // namespace damocles
