#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "strategies/strategy.hpp"

namespace damocles {

/// Does what another strategy does: every virtual of Strategy goes on to it.
class Forwarding : public Strategy {
 public:
  void request(ProcessorId processor, Grant& grant) override { to_->request(processor, grant); }
  void on_loaded(ProcessorId processor, DataId data) override { to_->on_loaded(processor, data); }
  void on_arrived(ProcessorId processor, DataId data) override { to_->on_arrived(processor, data); }
  void on_evicted(ProcessorId processor, DataId data) override { to_->on_evicted(processor, data); }
  void on_started(ProcessorId processor, TaskId task) override { to_->on_started(processor, task); }
  void on_finished(ProcessorId processor, TaskId task) override {
    to_->on_finished(processor, task);
  }
  std::optional<ProcessorId> on_ready(TaskId task) override { return to_->on_ready(task); }
  void prefetch_hints(ProcessorId processor, std::vector<DataId>& loads) override {
    to_->prefetch_hints(processor, loads);
  }
  [[nodiscard]] bool consume_wakeup() override { return to_->consume_wakeup(); }
  [[nodiscard]] bool exhausted() const override { return to_->exhausted(); }
  [[nodiscard]] bool may_grant(ProcessorId processor) const override {
    return to_->may_grant(processor);
  }
  [[nodiscard]] const boost::dynamic_bitset<>* all_it_may_grant() const override {
    return to_->all_it_may_grant();
  }
  [[nodiscard]] std::span<const ProcessorId> helpers(ProcessorId processor,
                                                     TaskId task) const override {
    return to_->helpers(processor, task);
  }
  [[nodiscard]] bool waits_for_inputs() const override { return to_->waits_for_inputs(); }
  [[nodiscard]] std::uint64_t inspected_items() const override { return to_->inspected_items(); }
  [[nodiscard]] std::uint32_t reserved_uses(ProcessorId processor, DataId data) const override {
    return to_->reserved_uses(processor, data);
  }
  [[nodiscard]] std::uint64_t next_use(ProcessorId processor, DataId data) override {
    return to_->next_use(processor, data);
  }
  [[nodiscard]] bool knows_all_uses() const override { return to_->knows_all_uses(); }
  [[nodiscard]] std::optional<double> planned_makespan_s() const override {
    return to_->planned_makespan_s();
  }
  [[nodiscard]] std::optional<DataId> farthest_use(
      ProcessorId processor, const std::function<bool(DataId)>& may_go) override {
    return to_->farthest_use(processor, may_go);
  }

 protected:
  explicit Forwarding(std::unique_ptr<Strategy> to) : to_(std::move(to)) {}

 private:
  std::unique_ptr<Strategy> to_;
};

}  // namespace damocles
