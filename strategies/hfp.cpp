#include "strategies/balance.hpp"
#include "strategies/listed.hpp"
#include "strategies/packing.hpp"

namespace damocles {
namespace {

/// Hierarchical Fair Packing, on several processors mHFP: packages of tasks that share data, one
/// list a processor, balanced, with stealing.
///
/// Source: COLOC'21 Algorithm 1; IPDPS'22 Algorithm 4.
class Hfp final : public Listed {
 public:
  explicit Hfp(const Setting& setting) : Listed(setting, lists(setting), allotted(setting.spec)) {}

 private:
  static std::vector<std::vector<Index>> lists(const Setting& setting) {
    PackingOptions options;
    options.flip = flag(setting.spec, "flip", true);
    const std::string partner = setting.spec.word("partner").value_or("fair");
    if (partner != "fair" && partner != "literal") {
      setting.spec.refuse("partner must be fair or literal, not '" + partner + "'");
    }
    if (partner == "literal") options.partner = PackingOptions::Partner::literal;
    auto packages = pack(setting.workload.graph(), smallest_memory(setting),
                         setting.platform.processors(), options);
    packages.resize(setting.platform.processors());  // fewer tasks than processors
    balance(packages, setting.workload.graph());
    return packages;
  }
};

const Register entry{
    {.name = "hfp",
     .source = "COLOC'21, Alg. 1; IPDPS'22, Alg. 4",
     .summary = "hierarchical fair packing; balanced, with stealing, on several processors",
     .paper_names = {"HFP", ""},
     .options =
         {{"flip", "false: never reverse a package (default true)"},
          {"ready",
           "true (default): fewest transfers first; false: tasks in package order; a number: "
           "fewest first of so many tasks ahead, whose data are requested, as in StarPU"},
          {"partner",
           "fair (default): among partners that fit the most shared, then the "
           "fewest tasks; literal: Algorithm 1's, which snowballs"}},
     .make = make<Hfp>,
     .tasks_only = true,
     .eviction = "belady"}};

}  // namespace
}  // namespace damocles
