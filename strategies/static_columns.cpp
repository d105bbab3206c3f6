#include <utility>

#include "models/column_partition.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// The static basis of comparison, which knows every speed: one rectangle a processor, as
/// column_partition cuts them. Drifting speeds (dyn.x) are taken as they are at the start.
///
/// Source: Beaumont, Boudet, Rastello, Robert, Algorithmica 34 (2002), PERI-SUM; HPDC'14 [2].
class StaticColumns final : public Strategy {
 public:
  explicit StaticColumns(const Setting& setting)
      : workload_(setting.workload),
        rectangles_(column_partition(setting.workload, setting.platform.relative_speeds())) {}

  void request(ProcessorId processor, Grant& grant) override {
    const Rectangle mine = std::exchange(rectangles_[raw(processor)], {});
    if (mine.empty()) return;
    for (auto i = mine.first_row; i < mine.last_row; ++i) {
      grant.loads.push_back(workload_.data_a(i));
      grant.tasks.add_range(workload_.task(i, mine.first_column), mine.columns());
    }
    for (auto j = mine.first_column; j < mine.last_column; ++j) {
      grant.loads.push_back(workload_.data_b(j));
    }
  }

 private:
  const Workload& workload_;
  std::vector<Rectangle> rectangles_;
};

const Register static_columns_entry{StrategyEntry{
    .name = "static-columns",
    .source = "Beaumont et al. 2002, PERI-SUM",
    .summary = "one rectangle a processor, arranged in columns; knows the speeds",
    .make = make<StaticColumns>,
    .undefined_on = [](const Workload& workload) {
      return workload.dimensions() == 2 ? std::string()
                                        : std::string(
                                              "a partition into rectangles is defined for the "
                                              "outer product only; use an outer: workload");
    }}};

}  // namespace
}  // namespace damocles
