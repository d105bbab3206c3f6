#include "gpu/host_memory.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <string>

#include "models/error.hpp"

namespace damocles {

std::optional<std::uint64_t> available_host_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

void require_host_memory(double needed, std::optional<std::uint64_t> available) {
  if (!available || needed <= static_cast<double>(*available)) return;
  throw InvalidInput(fmt::format(
      "data and results take {:.4g} GB and this machine has {:.4g} GB of memory to spare; take "
      "fewer or smaller blocks",
      needed / 1e9, static_cast<double>(*available) / 1e9));
}

}  // namespace damocles
