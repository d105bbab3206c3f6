#include "gpu/cores_beside.hpp"

#include <fmt/format.h>

#include <cassert>
#include <limits>
#include <utility>

namespace damocles {
namespace {

class CoresBeside final : public Device {
 public:
  CoresBeside(std::unique_ptr<Device> others, std::unique_ptr<Device> cores,
              const std::vector<bool>& in_host_memory)
      : others_(std::move(others)), cores_(std::move(cores)) {
    std::uint32_t of_others = 0;
    std::uint32_t of_cores = 0;
    for (const bool home : in_host_memory) {
      places_.push_back({home ? *cores_ : *others_, ProcessorId{home ? of_cores++ : of_others++}});
    }
    assert(of_others == others_->processors() && of_cores == cores_->processors());
  }

  [[nodiscard]] DeviceDescription description() const override {
    const DeviceDescription others = others_->description();
    const DeviceDescription cores = cores_->description();
    DeviceDescription both{.backend = others.backend,
                           .name = fmt::format("{}; {}", others.name, cores.name),
                           .driver = fmt::format("{}; {}", others.driver, cores.driver),
                           .parts = {}};
    for (const Place& place : places_) {
      const auto& parts = (is_core(place) ? cores : others).parts;
      both.parts.push_back(parts.at(raw(place.inside)));
    }
    return both;
  }
  [[nodiscard]] std::size_t processors() const override { return places_.size(); }
  [[nodiscard]] std::size_t at_once() const override {
    return others_->at_once() + cores_->at_once();
  }
  [[nodiscard]] bool computes_in_host_memory(ProcessorId processor) const override {
    const Place& place = places_[raw(processor)];
    return place.device.computes_in_host_memory(place.inside);
  }
  [[nodiscard]] std::size_t lanes() const override { return others_->lanes(); }
  [[nodiscard]] std::size_t loads_ahead(double mean_bytes) const override {
    return others_->loads_ahead(mean_bytes);
  }

  [[nodiscard]] std::byte* allocate_host(std::size_t bytes) override {
    return others_->allocate_host(bytes);
  }
  void release_host(std::byte* at) noexcept override { others_->release_host(at); }
  [[nodiscard]] std::byte* allocate(ProcessorId processor, std::size_t bytes) override {
    const Place& on = places_[raw(processor)];
    return on.device.allocate(on.inside, bytes);
  }
  void release(ProcessorId processor, std::byte* at) noexcept override {
    const Place& on = places_[raw(processor)];
    on.device.release(on.inside, at);
  }
  void clear(ProcessorId processor, std::byte* at, std::size_t bytes) override {
    const Place& on = places_[raw(processor)];
    on.device.clear(on.inside, at, bytes);
  }

  void prepare(const Kernel& kernel) override {
    cores_->prepare(kernel);
    others_->prepare(kernel);
  }
  void start_clock() override {
    cores_->start_clock();
    others_->start_clock();
    // Of several readings the shortest, as a thread may have to wait in any.
    constexpr int readings = 16;
    double shortest_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i < readings; ++i) {
      const double before_s = cores_->now_s();
      const double others_s = others_->now_s();
      const double after_s = cores_->now_s();
      if (after_s - before_s >= shortest_s) continue;
      shortest_s = after_s - before_s;
      cores_begin_s_ = others_s - (before_s + after_s) / 2;
    }
  }
  [[nodiscard]] double now_s() const override { return others_->now_s(); }

  void start_load(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                  double ready_s) override {
    const Place& on = places_[raw(processor)];
    on.device.start_load(on.inside, to, from, bytes, ready_s - begin_s(on));
  }
  Interval finish_load(ProcessorId processor) override {
    const Place& on = places_[raw(processor)];
    return in_one_time(on, on.device.finish_load(on.inside));
  }
  void start_peer_load(ProcessorId lender, ProcessorId processor, std::byte* to,
                       const std::byte* from, std::size_t bytes, double ready_s) override {
    const Place& on = places_[raw(processor)];
    const Place& lends = places_[raw(lender)];
    assert(!is_core(on) && !is_core(lends));  // what lies in host memory is loaded from there
    on.device.start_peer_load(lends.inside, on.inside, to, from, bytes, ready_s - begin_s(on));
  }
  Interval finish_peer_load(ProcessorId processor) override {
    const Place& on = places_[raw(processor)];
    return in_one_time(on, on.device.finish_peer_load(on.inside));
  }
  void start_task(ProcessorId processor, TaskCall call) override {
    const Place& on = places_[raw(processor)];
    call.ready_s -= begin_s(on);
    on.device.start_task(on.inside, std::move(call));
  }
  Interval finish_task(ProcessorId processor) override {
    const Place& on = places_[raw(processor)];
    return in_one_time(on, on.device.finish_task(on.inside));
  }
  void start_write(ProcessorId processor, std::byte* to, const std::byte* from, std::size_t bytes,
                   double ready_s) override {
    const Place& on = places_[raw(processor)];
    on.device.start_write(on.inside, to, from, bytes, ready_s - begin_s(on));
  }
  Interval finish_write(ProcessorId processor) override {
    const Place& on = places_[raw(processor)];
    return in_one_time(on, on.device.finish_write(on.inside));
  }

  void cancel() noexcept override {
    others_->cancel();
    cores_->cancel();
  }

 private:
  struct Place {
    Device& device;
    ProcessorId inside;
  };

  [[nodiscard]] bool is_core(const Place& place) const { return &place.device == cores_.get(); }
  /// Time 0 of the processor's device, by the clock of the others.
  [[nodiscard]] double begin_s(const Place& place) const {
    return is_core(place) ? cores_begin_s_ : 0;
  }
  [[nodiscard]] Interval in_one_time(const Place& place, const Interval& when) const {
    return {when.begin_s + begin_s(place), when.end_s + begin_s(place)};
  }

  std::unique_ptr<Device> others_;
  std::unique_ptr<Device> cores_;
  std::vector<Place> places_;  // shape (p)
  double cores_begin_s_ = 0;
};

}  // namespace

std::unique_ptr<Device> with_cores_beside(std::unique_ptr<Device> others,
                                          std::unique_ptr<Device> cores,
                                          const std::vector<bool>& in_host_memory) {
  return std::make_unique<CoresBeside>(std::move(others), std::move(cores), in_host_memory);
}

}  // namespace damocles
