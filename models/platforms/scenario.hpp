#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/digest.hpp"
#include "models/platforms/key_text.hpp"
#include "models/platforms/platform.hpp"
#include "models/spec.hpp"
#include "models/table.hpp"

namespace damocles {

class Scenario;
class Workload;

/// A form of platforms, in a file of its own: its keys, and what it means.
struct PlatformForm {
  static constexpr const char* what = "platform";
  static constexpr const char* list = "platforms";
  std::string name;
  int place = 0;  ///< in lists
  /// How it is written, and what it then is: a row of `damocles list platforms`.
  std::array<std::string, 2> form;
  Scenario (*make)(const Spec&);
  /// Its keys, where they are too many for `form`.
  std::vector<KeyText> (*keys)() = nullptr;
};

/// Speeds of processors: given, or drawn anew for each replicate.
struct SpeedSource {
  std::size_t processors = 0;
  std::vector<double> given{};  ///< fixed speeds [tasks/s], shape (processors), or empty
  std::vector<double> set{};    ///< drawn from these, or empty
  double lo = 0;                ///< drawn uniformly in (lo, hi]
  double hi = 0;
  double drift = 0;                     ///< Platform::drift
  std::optional<std::uint64_t> draw{};  ///< every replicate has the speeds of this draw
};

/// What platforms are drawn from: a name with parameters, or a TOML file.
///
/// `homogeneous:p=`, `uniform:p=,lo=,hi=`, `uniform:p=,mean=,spread=`, `speeds:s,s,...`,
/// `speeds:@FILE`, and section 3.5 of HPDC'14: `unif.1`
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
  static Scenario of_speeds(std::string text, SpeedSource speeds,
                            std::optional<SourceFile> source = {});
  /// These processors with limited memory; `text` names them, and `source` is the file they were
  /// read from, where they were.
  static Scenario of_machine(std::string text, MachineModel machine,
                             std::optional<SourceFile> source = {});
  /// The valid forms, for `damocles list platforms`.
  static const std::vector<std::array<std::string, 2>>& forms();

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The file behind text(), where there is one.
  [[nodiscard]] const std::optional<SourceFile>& source() const { return source_; }
  /// Files that it names in turn: those of times by kind of task.
  [[nodiscard]] std::vector<SourceFile> times_files() const {
    return machine_ ? machine_->times_files() : std::vector<SourceFile>{};
  }
  [[nodiscard]] std::size_t processors() const { return speeds_.processors; }
  /// Limited memory and bandwidth, or nothing.
  [[nodiscard]] const std::optional<MachineModel>& machine() const { return machine_; }
  /// Whether replicates differ in their speeds.
  [[nodiscard]] bool random() const {
    return (speeds_.lo < speeds_.hi || speeds_.set.size() > 1) && !speeds_.draw;
  }

  /// The same for the tasks of one workload: processors without times have those of their kernels,
  /// where the tasks are such (use_measured_kernels).
  [[nodiscard]] Scenario for_tasks_of(const Workload& workload) const;

  /// The platform of one replicate: a function of (seed, replicate) alone.
  [[nodiscard]] Platform draw(std::uint64_t seed, std::uint64_t replicate) const;

 private:
  Scenario() = default;
  static Scenario of_named_file(const std::string& path);  // and what was in it

  std::string text_;
  std::optional<SourceFile> source_{};
  SpeedSource speeds_;
  std::optional<MachineModel> machine_;
};

/// Speeds or GPUs of a TOML file. @throws InvalidInput naming the line
[[nodiscard]] Scenario read_scenario(const std::string& path);

inline constexpr std::uint64_t max_processors = 1'000'000;
// So that sums of speeds and of times stay finite.
inline constexpr double min_speed = 1e-15;
inline constexpr double max_speed = 1e15;

/// `p`, which most forms need. @throws InvalidInput where it is missing or not in [1, 10^6]
[[nodiscard]] std::size_t processor_count(const Spec& spec);
/// `draw`, of forms that draw.
[[nodiscard]] std::optional<std::uint64_t> fixed_draw(const Spec& spec);
/// @throws InvalidInput naming `where` if there is no number in [min_speed, max_speed]
[[nodiscard]] double positive_speed(std::optional<double> speed, const std::string& where);

}  // namespace damocles
