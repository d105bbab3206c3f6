#include "gpu/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <limits>
#include <mutex>
#include <system_error>
#include <vector>

#include "models/error.hpp"
#include "models/median.hpp"

namespace damocles {
namespace {

constexpr std::size_t least_repetitions = 5;
constexpr std::size_t small_copy_bytes = 64;
/// Several times a cache.
constexpr std::size_t most_source_bytes = std::size_t{128} << 20U;

/// The inputs and the output of one task on one processor, and where they come from.
class Spot {
 public:
  Spot(const Arithmetic& arithmetic, const Workload& workload, Device& device,
       ProcessorId processor)
      : device_(device),
        processor_(processor),
        bytes_(*arithmetic.uniform_bytes()),
        sources_(std::clamp<std::size_t>(most_source_bytes / bytes_, 1, arithmetic.data())),
        source_(device.allocate_host(sources_ * bytes_)) {
    std::size_t inputs = 0;
    workload.for_each_input(TaskId{0}, [&](DataId) { ++inputs; });
    for (std::size_t i = 0; i < sources_; ++i) {
      arithmetic.fill(DataId{i}, {source_ + i * bytes_, bytes_});
    }
    for (std::size_t i = 0; i < inputs; ++i) {
      inputs_.push_back(device.allocate(processor, bytes_));
      device.start_load(processor, inputs_.back(), source_, bytes_, 0);
      device.finish_load(processor);
    }
    output_ = device.allocate(processor, arithmetic.output_bytes());
    returned_ = device.allocate_host(bytes_);
  }
  ~Spot() {
    for (std::byte* const input : inputs_) device_.release(processor_, input);
    device_.release(processor_, output_);
    device_.release_host(source_);
    device_.release_host(returned_);
  }
  Spot(const Spot&) = delete;
  Spot& operator=(const Spot&) = delete;

  double compute(std::mutex& starting) {
    {
      const std::lock_guard lock(starting);
      TaskCall call{.inputs = {}, .written = {}, .output = output_, .ready_s = device_.now_s()};
      for (std::byte* const input : inputs_) call.inputs.push_back({input, bytes_});
      device_.start_task(processor_, std::move(call));
    }
    const Interval when = device_.finish_task(processor_);
    return when.end_s - when.begin_s;
  }
  double copy(std::mutex& starting, std::size_t bytes) {
    {
      const std::lock_guard lock(starting);
      // As in a run, not the same data again and again, which the caches of the host would hold.
      next_ = (next_ + 1) % sources_;
      device_.start_load(processor_, inputs_[next_ % inputs_.size()], source_ + next_ * bytes_,
                         bytes, device_.now_s());
    }
    const Interval when = device_.finish_load(processor_);
    return when.end_s - when.begin_s;
  }
  /// A copy in, and one out at the same time.
  double exchange(std::mutex& starting) {
    constexpr int copies = 4;  // one after the other in each direction, so that both are busy
    {
      const std::lock_guard lock(starting);
      for (int i = 0; i < copies; ++i) {
        device_.start_load(processor_, inputs_.front(), source_, bytes_, device_.now_s());
        device_.start_write(processor_, returned_, inputs_.back(), bytes_, device_.now_s());
      }
    }
    double begin_s = std::numeric_limits<double>::infinity();
    double end_s = 0;
    for (int i = 0; i < copies; ++i) {
      for (const Interval when :
           {device_.finish_load(processor_), device_.finish_write(processor_)}) {
        begin_s = std::min(begin_s, when.begin_s);
        end_s = std::max(end_s, when.end_s);
      }
    }
    return (end_s - begin_s) / copies;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  Device& device_;
  ProcessorId processor_;
  std::size_t bytes_;
  std::size_t sources_;  // data of the workload, as many as are worth it
  std::byte* source_;
  std::size_t next_ = 0;
  std::vector<std::byte*> inputs_;
  std::byte* output_ = nullptr;
  std::byte* returned_ = nullptr;  // in host memory
};

/// The processors of a device, each ready to repeat one thing.
class Stand {
 public:
  Stand(const Arithmetic& arithmetic, const Workload& workload, Device& device, double each_s)
      : device_(device), each_s_(each_s) {
    if (arithmetic.kernel().kind == Kernel::Kind::empty || !arithmetic.uniform_bytes()) {
      throw InvalidInput(
          fmt::format("calibration needs tasks that compute and data of one size; '{}' has not",
                      workload.text()));
    }
    device.prepare(arithmetic.kernel());
    device.start_clock();
    for (std::size_t p = 0; p < device.processors(); ++p) {
      spots_.emplace_back(arithmetic, workload, device, ProcessorId{static_cast<std::uint32_t>(p)});
    }
  }

  using Repeat = std::function<double(Spot&, std::mutex&)>;

  /// Median time of each processor, one after the other.
  std::vector<double> alone(const Repeat& repeat) {
    std::vector<double> result;
    for (Spot& spot : spots_) result.push_back(repeated(spot, repeat));
    return result;
  }
  /// Median time of each processor, all at once; with its wait for the others where they take
  /// turns, which a median of short tasks does not show.
  std::vector<double> together(const Repeat& repeat) {
    std::vector<std::future<double>> times;  // each waits for its thread when it goes
    try {
      for (Spot& spot : spots_) {
        times.push_back(std::async(std::launch::async,
                                   [this, &spot, &repeat] { return repeated(spot, repeat); }));
      }
    } catch (const std::system_error&) {
      throw DeviceError(fmt::format("only {} of {} threads could be started; use fewer processors",
                                    times.size(), spots_.size()));
    }
    std::vector<double> result;
    for (auto& time : times) result.push_back(time.get());
    const double turns =
        static_cast<double>(spots_.size()) / static_cast<double>(device_.at_once());
    for (double& time : result) time *= turns;
    return result;
  }
  [[nodiscard]] std::size_t bytes() const { return spots_.front().bytes(); }

 private:
  double repeated(Spot& spot, const Repeat& repeat) {
    (void)repeat(spot, starting_);  // the first is slower than the others
    std::vector<double> times;
    const double until_s = device_.now_s() + each_s_;
    while (times.size() < least_repetitions || device_.now_s() < until_s) {
      times.push_back(repeat(spot, starting_));
    }
    return median(std::move(times));
  }

  Device& device_;
  double each_s_;
  std::deque<Spot> spots_;
  std::mutex starting_;
};

/// A long copy to processor 0 and a short one to processor 1 that begins meanwhile.
class TwoCopies {
 public:
  explicit TwoCopies(Device& device)
      : device_(device),
        from_(device.allocate_host(most_source_bytes)),
        long_to_(device.allocate(ProcessorId{0}, most_source_bytes)),
        short_to_(device.allocate(ProcessorId{1}, small_copy_bytes)) {}
  ~TwoCopies() {
    device_.release(ProcessorId{1}, short_to_);
    device_.release(ProcessorId{0}, long_to_);
    device_.release_host(from_);
  }
  TwoCopies(const TwoCopies&) = delete;
  TwoCopies& operator=(const TwoCopies&) = delete;

  /// Whether the short one waits for the long one: it ends in its last quarter, or later.
  bool take_turns() {
    const double now_s = device_.now_s();
    device_.start_load(ProcessorId{0}, long_to_, from_, most_source_bytes, now_s);
    device_.start_load(ProcessorId{1}, short_to_, from_, small_copy_bytes, now_s);
    const double short_end_s = device_.finish_load(ProcessorId{1}).end_s;
    const Interval whole = device_.finish_load(ProcessorId{0});
    return short_end_s >= whole.begin_s + 0.75 * (whole.end_s - whole.begin_s);
  }

 private:
  Device& device_;
  std::byte* from_;
  std::byte* long_to_;
  std::byte* short_to_;
};

/// What most of several pairs of copies do.
BusSharing measured_sharing(Device& device) {
  if (device.processors() < 2) return BusSharing::fair;
  constexpr int trials = 5;
  TwoCopies copies(device);
  int turns = 0;
  for (int trial = 0; trial < trials; ++trial) turns += copies.take_turns() ? 1 : 0;
  return 2 * turns > trials ? BusSharing::fifo : BusSharing::fair;
}

double compute(Spot& spot, std::mutex& starting) { return spot.compute(starting); }
double copy(Spot& spot, std::mutex& starting) { return spot.copy(starting, spot.bytes()); }
double exchange(Spot& spot, std::mutex& starting) { return spot.exchange(starting); }

double summed_rate(double amount, const std::vector<double>& times) {
  double rate = 0;
  for (const double time : times) rate += amount / time;
  return rate;
}

}  // namespace

double Calibration::peak_flops_per_s() const { return summed_rate(task_flops, task_s); }

Calibration calibrate(const Arithmetic& arithmetic, const Workload& workload, Device& device,
                      double each_s) {
  Stand stand(arithmetic, workload, device, each_s);
  Calibration result;
  result.task_flops = arithmetic.flops(TaskId{0});
  result.task_alone_s = stand.alone(compute);
  result.task_s = stand.together(compute);
  const auto tiny = [&](Spot& spot, std::mutex& starting) {
    return spot.copy(starting, std::min(small_copy_bytes, spot.bytes()));
  };
  result.latency_s = median(stand.alone(tiny));
  const auto bytes = static_cast<double>(stand.bytes());
  for (const double time : stand.alone(copy)) {
    result.link_bytes_per_s.push_back(bytes / std::max(time - result.latency_s, time / 2));
  }
  result.bus_bytes_per_s = summed_rate(bytes, stand.together(copy));
  result.sharing = measured_sharing(device);
  // Several processors on one GPU would share its way to host memory, which no machine model has.
  if (device.processors() == 1 && arithmetic.sends_results()) {
    result.output_places = device.output_places();
  }
  if (result.output_places > 0) {
    const double time = stand.alone(exchange).front();
    result.both_ways_bytes_per_s = 2 * bytes / std::max(time - result.latency_s, time / 2);
  }
  result.loads_ahead = device.loads_ahead(workload.graph().mean_bytes());
  return result;
}

double measure_peak(const Arithmetic& arithmetic, const Workload& workload, Device& device,
                    double each_s) {
  Stand stand(arithmetic, workload, device, each_s);
  return summed_rate(arithmetic.flops(TaskId{0}), stand.together(compute));
}

}  // namespace damocles
