#include "strategies/parts/completion_time.hpp"

#include <algorithm>

namespace damocles {

CompletionTimes::CompletionTimes(const Setting& setting)
    : graph_(setting.workload.graph()),
      platform_(setting.platform),
      durations_(setting.workload, setting.platform),
      any_at_home_(platform_.limits && platform_.limits->any_at_home()),
      all_(setting.platform.processors(), Allotted{std::vector<bool>(graph_.data())}) {
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if (at_home(k)) all_[k].held.assign(graph_.data(), true);
  }
}

bool CompletionTimes::at_home(std::size_t k) const {
  return any_at_home_ && platform_.limits->gpus[k].at_home;
}

/// Time to send the inputs of the task that were not sent before: to processor k over its link, and
/// over a bus of which all K on it take as much, in both directions: 2 K bytes / bandwidth, as
/// StarPU predicts it (docs/peers.md). So long too takes home what is to be read there and was
/// written elsewhere.
double CompletionTimes::transfer_s(std::size_t k, Index task) const {
  if (!platform_.limits) return 0;
  const Limits& limits = *platform_.limits;
  const double rate = std::min(limits.gpus[k].link_bytes_per_s,
                               limits.bus_rate(limits.gpus[k].bus) /
                                   (2 * static_cast<double>(limits.on_bus(limits.gpus[k].bus))));
  double time = 0;
  for (const Index data : graph_.needed(task)) {
    if (all_[k].held[data]) continue;
    time += limits.latency_s + static_cast<double>(graph_.bytes(data)) / rate;
  }
  return time;
}

ProcessorId CompletionTimes::allot(Index task) {
  std::size_t best = all_.size();
  double best_cost = 0;
  double best_end = 0;
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if (!durations_.runs(k, task)) continue;
    const double transfer = transfer_s(k, task);
    const double end = std::max(all_[k].left_s, transfer) + compute_s(k, task);
    if (best < all_.size() && end + transfer >= best_cost) continue;
    best = k;
    best_cost = end + transfer;
    best_end = end;
  }
  Allotted& to = all_[best];
  to.left_s = best_end;
  ++to.tasks;
  note_accesses(best, task);
  return ProcessorId{static_cast<std::uint32_t>(best)};
}

/// The processor will hold what the task accesses, and nobody else what it writes. What is sent to
/// it, and what is written at home, lies there for all that compute there.
void CompletionTimes::note_accesses(std::size_t by, Index task) {
  graph_.for_each_access(task, [&](Index data, Access access) {
    // A sum of its own, which nobody reads; what comes of it lies at home.
    if (reduces(access)) {
      for (std::size_t k = 0; k < all_.size(); ++k) all_[k].held[data] = at_home(k);
      return;
    }
    const bool sent = !all_[by].held[data] && reads(access);
    all_[by].held[data] = true;
    if (!writes(access) && !(any_at_home_ && sent)) return;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      if (k == by) continue;
      if (at_home(k) && (at_home(by) || !writes(access))) {
        all_[k].held[data] = true;
      } else if (writes(access)) {
        all_[k].held[data] = false;
      }
    }
  });
}

void CompletionTimes::finished(ProcessorId processor, Index task) {
  Allotted& by = all_[raw(processor)];
  --by.tasks;
  // Waits for transfers were counted too: they are over when nothing is left.
  by.left_s = by.tasks == 0 ? 0 : std::max(0.0, by.left_s - compute_s(raw(processor), task));
}

}  // namespace damocles
