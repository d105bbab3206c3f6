// Which priorities a strategy sees: those of the workload, or others that are computed from it.
#pragma once

#include <functional>
#include <memory>

#include "strategies/registry.hpp"

namespace damocles {

/// The option `priorities` of strategies that are by priority (StrategyEntry::by_priority).
[[nodiscard]] StrategyOption priorities_option();

/// The strategy that `make` makes, for the workload with the priorities that the option asks for.
[[nodiscard]] std::unique_ptr<Strategy> with_given_priorities(
    const StrategyContext& context,
    const std::function<std::unique_ptr<Strategy>(const StrategyContext&)>& make);

}  // namespace damocles
