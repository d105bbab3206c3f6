#pragma once

#include <utility>
#include <vector>

#include "models/zone.hpp"
#include "strategies/strategy.hpp"

namespace damocles {

/// One zone a processor of an outer product, fixed before the start: at its first request a
/// processor is given all of it, row by row.
class StaticZones : public Strategy {
 public:
  /// @param zones  shape (p); together they tile the grid
  StaticZones(const Workload& workload, std::vector<Zone> zones)
      : workload_(workload), zones_(std::move(zones)) {}

  void request(ProcessorId processor, Grant& grant) override {
    const Zone mine = std::exchange(zones_[raw(processor)], {});
    if (mine.tasks() == 0) return;
    const Rectangle& around = mine.around;
    for (auto i = around.first_row; i < mine.rows_end(); ++i) {
      grant.loads.push_back(workload_.data_a(i));
      grant.tasks.add_range(workload_.task(i, around.first_column),
                            mine.last_column(i) - around.first_column);
    }
    for (auto j = around.first_column; j < mine.columns_end(); ++j) {
      grant.loads.push_back(workload_.data_b(j));
    }
  }

  /// Why there are no zones on this workload; empty where there are.
  static std::string unsupported_reason(const Workload& workload) {
    if (workload.dimensions() == 2) return {};
    return "a partition into zones is defined for the outer product only; use an outer: workload";
  }

 private:
  const Workload& workload_;
  std::vector<Zone> zones_;
};

}  // namespace damocles
