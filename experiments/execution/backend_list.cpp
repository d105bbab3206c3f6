#include "experiments/commands/parts.hpp"
#include "gpu/backend.hpp"

namespace damocles {

extern "C" void damocles_list_backends(std::vector<std::vector<std::string>>& rows) {
  for (const auto& entry : Table<BackendEntry>::entries()) {
    rows.push_back({entry.name, entry.summary()});
  }
}

}  // namespace damocles
