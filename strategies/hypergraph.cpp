#include "strategies/listed.hpp"
#include "strategies/partition.hpp"

namespace damocles {
namespace {

/// hMETIS+R with Zoltan's partitioner in place of hMETIS: parts of equal work that share few data,
/// one a processor, with Ready and stealing.
///
/// Source: IPDPS'22, Algorithm 3; hMETIS may not be redistributed.
class Hypergraph final : public Listed {
 public:
  explicit Hypergraph(const Setting& setting)
      : Listed(setting, lists(setting), allotted(setting.spec, ReadyList::whole)) {}

 private:
  static std::vector<std::vector<Index>> lists(const Setting& setting) {
    Rng rng = setting.rng;
    const std::size_t processors = setting.platform.processors();
    const auto parts = partition(setting.workload.graph(), processors, rng.next());
    std::vector<std::vector<Index>> result(processors);
    for (std::size_t t = 0; t < parts.size(); ++t) {
      result[parts[t]].push_back(static_cast<Index>(t));
    }
    return result;
  }
};

const Register entry{
    {.name = "hypergraph",
     .source = "IPDPS'22, Alg. 3",
     .summary = "parts that share few data (Zoltan), then the fewest transfers first",
     .paper_names = {"hMETIS+R", ""},
     .options = {{"ready",
                  "true (default): fewest transfers first; false: tasks in the order of "
                  "submission; a number: fewest first of so many tasks ahead, whose data are "
                  "requested, as in StarPU"}},
     .make = make<Hypergraph>,
     .undefined_on =
         [](const Workload&) {
           return partition_built() ? std::string()
                                    : std::string(
                                          "this build cannot partition hypergraphs; "
                                          "install libtrilinos-zoltan-dev and "
                                          "libopenmpi-dev, then configure again");
         },
     .tasks_only = true}};

}  // namespace
}  // namespace damocles
