#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

#include "strategies/orders/partition.hpp"
#include "strategies/parts/listed.hpp"

namespace damocles {
namespace {

/// hMETIS+R with Zoltan's partitioner and clean splits in place of hMETIS: parts of equal work that
/// share few data, one a processor, with DMDAR's Ready and stealing.
///
/// Source: IPDPS'22, Algorithm 3; hMETIS may not be redistributed.
class Hypergraph final : public Listed {
 public:
  explicit Hypergraph(const Setting& setting)
      : Listed(setting, lists(setting), allotted(setting.spec, ReadyList::whole)) {}

 private:
  static std::vector<std::vector<Index>> lists(const Setting& setting) {
    const std::string how = one_of(setting.spec, "parts", {"cut", "random"});
    const auto parts = how == "cut" ? cut(setting) : dealt(setting);
    std::vector<std::vector<Index>> result(setting.platform.processors());
    for (std::size_t t = 0; t < parts.size(); ++t) {
      result[parts[t]].push_back(static_cast<Index>(t));
    }
    return result;
  }

  static std::vector<std::uint32_t> cut(const Setting& setting) {
    PartitionOptions options;
    options.runs = setting.spec.integer("runs", 0, 1000).value_or(options.runs);
    if (one_of(setting.spec, "cost", {"copies", "data"}) == "data") {
      options.cost = PartitionOptions::Cost::data;
    }
    Rng rng = setting.rng;
    return partition(setting.workload.graph(), setting.platform.processors(), rng.next(), options);
  }

  /// Parts of equally many tasks, to within one, each task in any of them.
  static std::vector<std::uint32_t> dealt(const Setting& setting) {
    Rng rng = setting.rng;
    std::vector<std::uint32_t> parts(setting.workload.tasks());
    for (std::size_t t = 0; t < parts.size(); ++t) {
      parts[t] = static_cast<std::uint32_t>(t % setting.platform.processors());
    }
    rng.shuffle(std::span(parts));
    return parts;
  }

  /// The value of an option with these values, the first of which is the default.
  static std::string one_of(const Spec& spec, const char* key,
                            std::initializer_list<const char*> values) {
    std::string word = spec.word(key).value_or(*values.begin());
    if (std::find(values.begin(), values.end(), word) == values.end()) {
      spec.refuse(fmt::format("{} must be {}, not '{}'", key, fmt::join(values, " or "), word));
    }
    return word;
  }
};

const Register hypergraph_entry{StrategyEntry{
    .name = "hypergraph",
    .source = "IPDPS'22, Alg. 3",
    .summary = "parts that share few data (Zoltan), then the fewest transfers first",
    .paper_variants = {{"hMETIS+R", "ready=10,cost=data"}},
    .options =
        {{"ready",
          "true (default): of the whole list what needs the fewest transfers first; a "
          "number: of the next so many; false: tasks in the order of submission"},
         {"patient",
          "false: Ready chooses as soon as the buffer has room, and sees what was there several "
          "tasks ago (default true)"},
         {"runs",
          "of Zoltan for each bisection, beside clean splits (default 1; hMETIS+R has "
          "20); at most 10^6 / edges of the graph"},
         {"cost",
          "of a data that several parts read: copies (default), its bytes for each but "
          "the first; data, its bytes once, as hMETIS counts"},
         {"parts",
          "cut (default); random: as many tasks each, whatever they read, which is what a "
          "partition made for another order of the tasks comes to"}},
    .make = make<Hypergraph>,
    .undefined_on =
        [](const Workload&) {
          return partition_built() ? std::string()
                                   : std::string(
                                         "this build cannot partition hypergraphs; "
                                         "build it where libtrilinos-zoltan-dev and "
                                         "libopenmpi-dev are installed");
        },
    .tasks_only = true}};

}  // namespace
}  // namespace damocles
