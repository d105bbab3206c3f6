#include "models/platforms/kernel_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/error.hpp"

namespace damocles {

std::size_t kernel_kind(const Workload& workload, std::string_view name, std::string_view what) {
  const TaskGraph::Parts& parts = workload.graph().parts();
  auto kinds = parts.task_kinds.empty() ? std::vector<std::string>{} : parts.kind_names;
  const auto kind = std::find(kinds.begin(), kinds.end(), name);
  if (kind != kinds.end()) return static_cast<std::size_t>(kind - kinds.begin());
  std::erase(kinds, "");  // of tasks of which it is not known
  throw InvalidInput(
      fmt::format("the platform gives {} for tasks of kind {}, but '{}' has {}; remove the {}{}",
                  what, name, workload.text(),
                  kinds.empty() ? "no kinds" : fmt::format("the kinds {}", fmt::join(kinds, ", ")),
                  what == "a time" ? "times" : fmt::format("{}s", what.substr(2)),
                  kinds.empty() ? "" : " of other kinds"));
}

bool has_kind(const Workload& workload, std::string_view name) {
  const TaskGraph::Parts& parts = workload.graph().parts();
  return !parts.task_kinds.empty() && std::find(parts.kind_names.begin(), parts.kind_names.end(),
                                                name) != parts.kind_names.end();
}

}  // namespace damocles
