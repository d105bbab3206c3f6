#include "strategies/eviction/eviction.hpp"

#include <algorithm>

#include "models/error.hpp"

namespace damocles {
namespace {

std::vector<EvictionEntry>& policies() {
  static std::vector<EvictionEntry> entries;
  return entries;
}

}  // namespace

RegisterEviction::RegisterEviction(EvictionEntry entry) {
  // Kept sorted: the order in which files are linked is not stable.
  auto& entries = policies();
  const auto at = std::lower_bound(entries.begin(), entries.end(), entry,
                                   [](const auto& a, const auto& b) { return a.name < b.name; });
  entries.insert(at, std::move(entry));
}

const std::vector<EvictionEntry>& evictions() { return policies(); }

const EvictionEntry& eviction_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& entry : evictions()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  refuse_unknown("eviction", name, names);
}

}  // namespace damocles
