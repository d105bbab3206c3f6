#include "strategies/runtime/unlimited_grants.hpp"

#include <fmt/format.h>

#include <chrono>
#include <span>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "strategies/parts/send_missing.hpp"

namespace damocles {

UnlimitedGrants::UnlimitedGrants(const Workload& workload, const Platform& platform,
                                 const StrategyChoice& strategy, std::uint64_t seed,
                                 std::uint64_t replicate)
    : workload_(workload),
      platform_(platform),
      tasks_only_(strategy.entry->loads_implicit),
      memory_(platform.processors(), workload.data()) {
  const auto start = std::chrono::steady_clock::now();
  strategy_ = strategy.make(
      {workload, platform, memory_, strategy.spec, Rng(seed, Draw::strategy, replicate)});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  making_s_ = took.count();
  for (std::size_t p = 0; p < platform.processors(); ++p) {
    start_order_.push_back(ProcessorId{static_cast<std::uint32_t>(p)});
  }
  Rng(seed, Draw::start_order, replicate).shuffle(std::span(start_order_));
}

/// What was granted is the processor's.
void UnlimitedGrants::take(ProcessorId processor) {
  if (tasks_only_) load_missing(workload_, memory_, processor, grant_);
  for (const DataId data : grant_.loads) {
    if (!memory_.load(processor, data)) {
      throw NoProgress(fmt::format("data {} is sent to {} twice", workload_.data_name(data),
                                   platform_.name(processor)));
    }
  }
}

}  // namespace damocles
