#include "orders/partitioners.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/error.hpp"

namespace damocles {

std::string why_no_partitioner() {
  const auto& all = Table<PartitionerEntry>::entries();
  if (std::any_of(all.begin(), all.end(), [](const auto& entry) { return entry.built; })) return "";
  std::vector<std::string> ways;
  for (const auto& entry : all) ways.push_back(entry.packages);
  return fmt::format("this build cannot partition hypergraphs; build it where {} are installed",
                     fmt::join(ways, ", or "));
}

const PartitionerEntry& partitioner(const std::string& name) {
  if (name.empty()) {
    for (const auto& entry : Table<PartitionerEntry>::entries()) {
      if (entry.built) return entry;
    }
    throw InvalidInput(why_no_partitioner());
  }
  const auto& entry = Table<PartitionerEntry>::named(name);
  if (!entry.built) {
    throw InvalidInput(fmt::format(
        "this build has no partitioner {}; build it where {} is installed", name, entry.packages));
  }
  return entry;
}

}  // namespace damocles
