// What a user means by the strategies `all`, and what that leaves out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/platforms/platform.hpp"
#include "models/workload.hpp"

namespace damocles {

/// The strategies that `all` stands for on one workload and platform, and the others by reason.
///
/// `all` is every strategy that can run the workload on these kinds of processors. It leaves out
/// strategies that need a file. Where memory is unlimited it leaves out those made for limited
/// memory too (StrategyEntry::loads_implicit), which write the task graph out.
struct AllStrategies {
  struct LeftOut {
    std::string why;
    std::vector<std::string> names;
  };
  std::vector<std::string> chosen{};
  std::vector<LeftOut> left_out{};

  /// @param machine  of the platform; nothing where memory is unlimited
  static AllStrategies on(const Workload& workload, const std::optional<MachineModel>& machine);
  /// "static-cuboids (why); darts, hfp (of each: why)", with at most eight names a reason.
  [[nodiscard]] std::string text_of_left_out() const;
  /// "40 are made for limited memory, 12 do not support task dependencies".
  [[nodiscard]] std::string counts_of_left_out() const;
};

}  // namespace damocles
