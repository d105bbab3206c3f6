#include <cstdint>
#include <numeric>
#include <vector>

#include "models/static_start.hpp"
#include "strategies/parts/send_missing.hpp"
#include "strategies/parts/zone_tasks.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// A static start on estimated speeds, a dynamic finish. Each processor has a zone, as a static
/// partition cuts it for the estimates, and computes it row by row. A share of it is its own
/// whatever happens, granted line by line; the rest task by task. Whose zone is used up helps
/// another: the one with the most open tasks for each of those that compute them, from the end of
/// its order, until that is used up too.
///
/// With share=auto no processor computes tasks that are its own alone after the time at which all
/// together could have computed everything, if no speed is wrong by more than assumed
/// (safe_share()): then the run ends at most one task of the slowest later.
///
/// Source: after Beaumont, Eyraud-Dubois, Guermouche, Lambert, SBAC-PAD 2015, who compare static,
/// dynamic and hybrid strategies; who helps whom, and the share, are ours.
class Hybrid final : public Strategy {
 public:
  explicit Hybrid(const StrategyContext& context)
      : workload_(context.workload), memory_(context.memory) {
    const StaticStart start(context.spec);
    Rng rng = context.rng;
    const auto speeds = start.estimated(context.platform.relative_speeds(), rng);
    for (const TaskLines& zone : start.zones(workload_, speeds)) {
      zones_.emplace_back(zone, start.kept(zone, speeds[zones_.size()], workload_));
      open_ += zones_.back().open();
    }
    at_.resize(zones_.size());
    std::iota(at_.begin(), at_.end(), std::size_t{0});
    computed_by_.assign(zones_.size(), 1);
  }

  void request(ProcessorId processor, Grant& grant) override {
    const std::size_t self = raw(processor);
    if (zones_[self].kept() > 0) {
      zones_[self].take_line(grant.tasks);
      load_line(processor, grant);
      return;
    }
    if (open_ == 0) return;
    --open_;
    const std::size_t zone = open_zone(self);
    send_missing(workload_, memory_, processor,
                 zone == self ? zones_[self].take_first() : zones_[zone].take_last(), grant);
  }

 private:
  /// The inputs of the neighbours of a line, each once, that the processor lacks: every data item
  /// of a task but those that its neighbours have in common with it is another.
  void load_line(ProcessorId processor, Grant& grant) {
    bool first = true;
    grant.tasks.for_each([&](TaskId task) {
      std::size_t input = 0;
      workload_.for_each_input(task, [&](DataId data) {
        const bool shared = input++ == (workload_.dimensions() == 2 ? 0U : 2U);
        if ((first || !shared) && !memory_.resident(processor, data)) grant.loads.push_back(data);
      });
      first = false;
    });
  }

  /// The zone from which the processor takes its next task. @pre a task is open
  std::size_t open_zone(std::size_t self) {
    std::size_t& at = at_[self];
    if (zones_[at].open() > 0) return at;
    --computed_by_[at];
    double most = 0;
    for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
      const double a_head = static_cast<double>(zones_[zone].open()) / (1.0 + computed_by_[zone]);
      if (a_head <= most) continue;
      most = a_head;
      at = zone;
    }
    ++computed_by_[at];
    return at;
  }

  const Workload& workload_;
  const NodeMemory& memory_;
  std::uint64_t open_ = 0;                  // tasks that anybody may be granted, in all zones
  std::vector<ZoneTasks> zones_;            // by processor
  std::vector<std::size_t> at_;             // by processor: the zone that it computes
  std::vector<std::uint32_t> computed_by_;  // by zone: how many do
};

const Register hybrid_entry{StrategyEntry{
    .name = "hybrid",
    .source = "after Beaumont, Eyraud-Dubois, Guermouche, Lambert, SBAC-PAD 2015",
    .summary = "Start from static zones by estimated speed; early finishers help others",
    .options =
        {{"error",
          "relative error E of the estimated speeds: true speeds times factors drawn in [1 - E, 1 + E]; "
          "default 0",
          OptionValues::number(0, StaticStart::most_wrong)},
         {"assumed", "error that share=auto assumes for the estimates (default: error)",
          OptionValues::number(0, StaticStart::most_wrong)},
         {"share",
          "share of its own zone that a processor computes in any case: auto (default): the largest safe share; or a number",
          OptionValues::words({"auto"}).or_number(0, 1)},
         {"zones", "auto (default), columns or nrrp of outer products, cuboids of matrix products",
          OptionValues::words({"auto", "columns", "nrrp", "cuboids"})}},
    .make = make<Hybrid>,
    .unsupported_reason = unsupported_off_grid,
    .misfit = StaticStart::misfit,
    .loads_ahead = true,
    .whole_graph = true}};

}  // namespace
}  // namespace damocles
