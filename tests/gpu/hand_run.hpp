#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/host/host_kernels.hpp"
#include "gpu/memory/store.hpp"
#include "models/rng.hpp"
#include "tests/gpu/plain_device.hpp"

namespace damocles {

/// A run as the executor makes it, but one task after the other: tasks in random order on random
/// processors, each with sums of its own, which are added up at the end in random order.
class HandRun {
 public:
  static constexpr std::uint64_t processors = 3;
  /// Changes what a task is about to compute; false leaves the task out.
  using Meddle = std::function<bool(TaskCall&)>;

  HandRun(const std::string& text, const ArithmeticOptions& options)
      : workload(Workload::parse(text)),
        arithmetic(Arithmetic::of(workload, options, 5)),
        store(arithmetic, device_) {}

  void compute(const Meddle& meddle = [](TaskCall&) { return true; }) {
    std::vector<std::uint64_t> order(arithmetic.tasks());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    rng_.shuffle(std::span(order));
    for (const std::uint64_t task : order) compute(TaskId{task}, meddle);
    std::vector<std::pair<std::uint64_t, const std::byte*>> sums;
    for (const auto& [key, sum] : sums_) sums.emplace_back(std::get<1>(key), sum.data());
    rng_.shuffle(std::span(sums));
    for (const auto& [tile, sum] : sums) store.add(tile, sum);
  }

  /// A number of an output tile, for damage.
  template <typename Number>
  Number& number(std::uint64_t tile, std::size_t at) {
    return reinterpret_cast<Number*>(store.output(tile))[at];
  }

 private:
  PlainDevice device_;  // outlives the store
  Rng rng_{1, Draw::test, 0};
  std::map<std::tuple<std::uint64_t, std::uint64_t, TaskOutput::Where>, std::vector<std::byte>>
      sums_;  // of (processor, tile): of tasks that read C, and of those that do not

  void compute(TaskId task, const Meddle& meddle) {
    TaskCall call;
    call.task = task;
    workload.for_each_input(task, [&](DataId data) {
      call.inputs.push_back({store.data(data), arithmetic.data_bytes(data)});
    });
    const auto [where, tile] = arithmetic.output(task);
    if (where == TaskOutput::Where::none) return run_on_host(arithmetic.kernel(), call);
    if (where == TaskOutput::Where::fresh) {
      call.output = store.output(tile);
      if (!meddle(call)) return;
      run_on_host(arithmetic.kernel(), call);
      return store.arrived(tile);
    }
    auto& sum = sums_[{rng_.below(processors), tile, where}];
    const bool first = sum.empty();
    if (first && where == TaskOutput::Where::input) {
      sum.assign(call.inputs[2].at, call.inputs[2].at + call.inputs[2].bytes);  // the load of C
    }
    sum.resize(arithmetic.output_bytes(), std::byte{0xff});
    if (where == TaskOutput::Where::input) call.inputs[2].at = sum.data();
    call.output = sum.data();
    call.accumulate = where == TaskOutput::Where::input || !first;
    if (meddle(call)) {
      run_on_host(arithmetic.kernel(), call);
    } else if (!call.accumulate) {
      sum.assign(sum.size(), std::byte{0});  // the processor counts the task as done
    }
  }

 public:
  Workload workload;
  Arithmetic arithmetic;
  Store store;
};

}  // namespace damocles
