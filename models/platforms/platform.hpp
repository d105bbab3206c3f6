#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/digest.hpp"
#include "models/ids.hpp"
#include "models/precision.hpp"

namespace damocles {

/// How several transfers share the bus.
enum class BusSharing {
  fair,  ///< max-min fair, each capped by its processor's link
  fifo,  ///< one after the other, in the order in which they were asked for
};

/// One processor with a memory of its own.
struct GpuModel {
  double flops_per_s = 0;
  std::uint64_t memory_bytes = 0;  ///< 0: given as a number of data
  std::uint64_t memory_data = 0;
  double link_bytes_per_s = 0;  ///< of its own link to the bus
};

/// Processors with little memory, fed by one bus from the memory that holds all data.
struct Limits {
  std::vector<GpuModel> gpus;
  double bus_bytes_per_s = 0;
  double latency_s = 0;   ///< of each transfer, before its bytes flow
  double request_s = 0;   ///< more of it, where the next task waits for the transfer
  double decision_s = 0;  ///< of each data or task that a decision looks at
  double overhead_s = 0;  ///< of each task, beside its flops
  /// A copy takes this part of its own time (copy_s) from the tasks that its processor computes
  /// meanwhile, as where both take the same cores or the same memory [1].
  double interference = 0;
  BusSharing sharing = BusSharing::fair;
  std::uint64_t depth = 0;  ///< tasks in a processor's buffer, the running one included; 0: the
                            ///< strategy's own, or prefetch_depth()
  bool write_back = false;  ///< outputs travel back
  /// Where outputs travel back: a task waits for room for its output, and for outputs before it to
  /// be home; else they lie in room that is free, and leave when nothing else travels.
  bool outputs_take_memory = true;
  std::uint64_t copy_streams = 2;  ///< of a processor: 2, one a direction; 1 for both
  bool duplex = false;             ///< each direction has the bandwidth of the bus
  /// A task takes up to this part longer, at random [1]; absent: see jitter_of().
  std::optional<double> jitter{};
  /// Some rate is a preset's, as nobody gave it: seconds are those of its machine, not of this one.
  bool preset_rates = false;
  /// What the GFlop/s are of, where they are a preset's.
  std::optional<Precision> preset_precision{};

  /// What holds where the platform does not say: 0.7 % where processors are alike, which would else
  /// stay in step for ever; else none. As far apart are the kernel times of four V100 of one
  /// machine (541.9 to 545.7 us, StarPU's models).
  [[nodiscard]] double jitter_of() const;
  /// What a task takes on a processor to itself [s]: flops over rate, and the overhead.
  [[nodiscard]] double task_s(std::size_t processor, double flops) const {
    return flops / gpus[processor].flops_per_s + overhead_s;
  }
  /// What a copy takes on a bus to itself [s].
  [[nodiscard]] double copy_s(std::size_t processor, double bytes) const;
};

/// The processors of one run. Without limits memory and bandwidth are infinite (the model of
/// HPDC'14).
struct Platform {
  /// Tasks a processor computes in one second, each > 0; with limits, flop/s.
  std::vector<double> speeds;
  /// dyn.x scenarios: after each task speed <- max(1, speed (1 + u)), u uniform in [-drift, drift].
  double drift = 0;
  std::optional<Limits> limits{};

  [[nodiscard]] std::size_t processors() const { return speeds.size(); }
  /// [tasks/s], or [flop/s] with limits
  [[nodiscard]] double mean_speed() const;
  /// s_k / sum of s_i: sums to 1.
  [[nodiscard]] std::vector<double> relative_speeds() const;
};

/// What platforms are drawn from: a name with parameters, or a TOML file.
///
/// `homogeneous:p=`, `uniform:p=,lo=,hi=`, `speeds:s,s,...`, and section 3.5 of HPDC'14: `unif.1`
/// U[80,120], `unif.2` U[50,150], `set.3` of {80,100,150}, `set.5` of {40,80,100,150,200}, `dyn.5`
/// and `dyn.20` (U[80,120], then +-5 % or +-20 % after each task), each with p=. Those that draw
/// take `draw=`: then every replicate has the speeds of that draw.
/// `gpus:k=,memory=,...`: processors with limited memory on one bus (COLOC'21, IPDPS'22).
class Scenario {
 public:
  /// @throws InvalidInput on unknown names or keys, p < 1, speeds that are not positive numbers,
  ///         or a TOML file that cannot be read or has other keys
  static Scenario parse(std::string_view text);
  static Scenario homogeneous(std::uint64_t processors);
  /// These processors with limited memory; `text` names them.
  static Scenario of_limits(std::string text, Limits limits);
  /// The valid forms, for `damocles list platforms`.
  static const std::vector<std::array<std::string, 2>>& forms();

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The file behind text(), where there is one.
  [[nodiscard]] const std::optional<SourceFile>& source() const { return source_; }
  [[nodiscard]] std::size_t processors() const { return processors_; }
  /// Limited memory and bandwidth, or nothing.
  [[nodiscard]] const std::optional<Limits>& limits() const { return limits_; }
  /// Whether replicates differ in their speeds.
  [[nodiscard]] bool random() const { return (lo_ < hi_ || set_.size() > 1) && !fixed_draw_; }

  /// The platform of one replicate: a function of (seed, replicate) alone.
  [[nodiscard]] Platform draw(std::uint64_t seed, std::uint64_t replicate) const;

 private:
  Scenario() = default;
  static Scenario from_file(const std::string& path);
  static Scenario of_named_file(const std::string& path);  // and what was in it

  std::string text_;
  std::optional<SourceFile> source_{};
  std::size_t processors_ = 0;
  std::vector<double> given_;  // fixed speeds, or empty
  std::vector<double> set_;    // drawn from these, or empty
  double lo_ = 0;              // drawn uniformly in (lo, hi]
  double hi_ = 0;
  double drift_ = 0;
  bool fixed_draw_ = false;
  std::uint64_t draw_ = 0;
  std::optional<Limits> limits_;
};

}  // namespace damocles
