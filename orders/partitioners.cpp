// Which partitioners there are, and which were built.
#include "orders/partitioners.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/error.hpp"

#define DAMOCLES_BISECT_BY(name)                                                              \
  extern "C" void damocles_bisect_by_##name(                                                  \
      const damocles::TaskGraph& graph, const damocles::Balance& balance, std::uint64_t seed, \
      std::vector<std::uint32_t>& part_of) __attribute__((weak))
DAMOCLES_BISECT_BY(zoltan);
DAMOCLES_BISECT_BY(metis);
DAMOCLES_BISECT_BY(scotch);
#undef DAMOCLES_BISECT_BY

namespace damocles {
namespace {

const Register zoltan_entry{PartitionerEntry{
    .name = "zoltan",
    .packages = "libtrilinos-zoltan-dev and libopenmpi-dev",
    .place = 1,
    .module = {"zoltan", "damocles_bisect_by_zoltan", &damocles_bisect_by_zoltan}}};
const Register metis_entry{
    PartitionerEntry{.name = "metis",
                     .packages = "libmetis-dev",
                     .place = 2,
                     .module = {"metis", "damocles_bisect_by_metis", &damocles_bisect_by_metis}}};
const Register scotch_entry{PartitionerEntry{
    .name = "scotch",
    .packages = "libscotch-dev",
    .place = 3,
    .module = {"scotch", "damocles_bisect_by_scotch", &damocles_bisect_by_scotch}}};

}  // namespace

std::string why_no_partitioner() {
  const auto& all = Table<PartitionerEntry>::entries();
  if (std::any_of(all.begin(), all.end(), [](const auto& entry) { return entry.built(); }))
    return "";
  std::vector<std::string> ways;
  for (const auto& entry : all) ways.push_back(entry.packages);
  return fmt::format("this build cannot partition hypergraphs; build it where {} are installed",
                     fmt::join(ways, ", or "));
}

const PartitionerEntry& partitioner(const std::string& name) {
  if (name.empty()) {
    for (const auto& entry : Table<PartitionerEntry>::entries()) {
      if (entry.built()) return entry;
    }
    throw InvalidInput(why_no_partitioner());
  }
  const auto& entry = Table<PartitionerEntry>::named(name);
  if (!entry.built()) {
    throw InvalidInput(fmt::format(
        "this build has no partitioner {}; build it where {} is installed", name, entry.packages));
  }
  return entry;
}

}  // namespace damocles
