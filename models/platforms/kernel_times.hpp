#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/platforms/performance_model.hpp"

namespace damocles {

/// Of a task that a processor cannot run.
inline constexpr double never_s = std::numeric_limits<double>::infinity();
/// The longest time of a task that a platform may give: beside more the time of other tasks is lost
/// to rounding.
inline constexpr double most_kernel_s = 1e6;

/// In place of times: every kernel takes its flops over the processor's speed.
inline constexpr std::string_view kernels_by_flops = "flops";

/// What a task of a kind takes, where that is known better than by its flops.
struct KernelTime {
  enum class Grows { never, with_bytes, with_flops };

  std::string kind;
  double seconds = 0;  ///< factor of the power law; never_s: the processor cannot run such tasks
  Grows grows = Grows::never;
  double exponent = 0;  ///< of what it grows with
  /// Instead of all that: the times of an architecture in a file.
  std::shared_ptr<const PerformanceModel> measured{};
  std::string architecture{};
  /// Instead of a kind and a time: what the workload's file recorded, of all kinds not named.
  bool recorded = false;
  /// Counts only where the workload has tasks of the kind, or one like it was recorded there.
  bool if_named = false;

  /// As measured, or a n^b, n the bytes or flops of the task, or the same for all; nothing where
  /// the file has no time of this size.
  [[nodiscard]] std::optional<MeasuredTime> time_of(const TaskSize& task) const;
  /// Whether tasks of the kind may have different ones.
  [[nodiscard]] bool by_size() const { return grows != Grows::never || measured != nullptr; }

  friend bool operator==(const KernelTime&, const KernelTime&) = default;
};

/// Those of `GEMM:1015us+TRSM:2.1e-13*bytes^1.5+SYRK:cuda0@FILE+POTRF:never+recorded`, in the order
/// written, after them those of `v100`, `h200` or `core` (measured_kernels()); a power law has
/// seconds, B and flop; FILE is one of StarPU's performance models; `recorded` is for all other
/// kinds. `where` names the platform in errors.
/// @throws InvalidInput on a kind without a time or named twice, a time that is not above 0, a file
///         that cannot be read or does not know the architecture
[[nodiscard]] std::vector<KernelTime> parse_kernel_times(std::string_view text,
                                                         const std::string& where);

/// The pieces of `a+b+c`; of a text without a plus, itself.
[[nodiscard]] std::vector<std::string_view> summands(std::string_view text);

}  // namespace damocles
