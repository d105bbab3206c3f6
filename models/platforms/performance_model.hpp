#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/digest.hpp"

namespace damocles {

/// What the time of a task may depend on.
struct TaskSize {
  std::uint64_t bytes = 0;  ///< of all data that it accesses: what StarPU calls its size [B]
  double flops = 0;
  std::optional<std::uint32_t> footprint{};  ///< StarPU's hash of the sizes of its data
};

/// A time that was measured or follows from such.
struct MeasuredTime {
  double mean_s = 0;
  double deviation_s = 0;  ///< standard deviation; 0 where it is not known
};

/// What StarPU measured of one codelet, as it keeps it in
/// ~/.starpu/sampling/codelets/45/CODELET.HOST: versions 44 and 45 of the format, in which the
/// second has a line of coefficients of a multiple regression more.
/// Source: StarPU 1.2 to 1.4, src/core/perfmodel/perfmodel_history.c.
class PerformanceModel {
 public:
  /// @throws InvalidInput naming `name` and the line where the text is none
  static PerformanceModel read(std::istream& in, const std::string& name);
  /// The same from a file. @throws InvalidInput also where it cannot be read
  static PerformanceModel of_file(const std::string& path);

  [[nodiscard]] const SourceFile& file() const { return file_; }
  /// "cpu0", "cuda0", "hip0": one device each; of several "cpu0_cuda0", with n cores
  /// "cpu0_cores4".
  [[nodiscard]] std::vector<std::string> architectures() const;
  /// Whether some is meant by `cuda0`, or by `cuda`, which means all single devices of that type.
  [[nodiscard]] bool has(std::string_view architecture) const;

  /// The time of a task of this size there, or nothing.
  ///
  /// The entry of the history with its footprint, by which StarPU looks it up; else one with as
  /// many bytes, of several the one nearest in flops, then the most often measured; else a
  /// regression within 10 % of the sizes it was made from, which lie at least so far apart, from 10
  /// measurements or more: a n^b + c, else alpha n^beta. Of several implementations the fastest, as
  /// StarPU takes it; of several devices the first that has a time.
  [[nodiscard]] std::optional<MeasuredTime> time(std::string_view architecture,
                                                 const TaskSize& task) const;
  /// The sizes in its history there [B], ascending, each once.
  [[nodiscard]] std::vector<std::uint64_t> sizes(std::string_view architecture) const;

 private:
  class Reader;

  struct Entry {
    TaskSize size;
    MeasuredTime time;
    std::uint64_t samples = 0;
  };
  /// factor n^exponent + constant, n in B.
  struct Regression {
    double factor_s = 0;
    double exponent = 0;
    double constant_s = 0;
  };
  struct Implementation {
    std::vector<Entry> history;
    std::vector<Regression> regressions;  ///< that hold, the better one first
    double least_bytes = 0;               ///< for which they hold
    double most_bytes = 0;
  };
  struct Architecture {
    std::string type;  ///< "" where it is more than one core of one device
    std::uint64_t device = 0;
    std::string name;
    std::vector<Implementation> implementations;
  };

  [[nodiscard]] static std::optional<MeasuredTime> time_of(const Implementation& implementation,
                                                           const TaskSize& task);

  SourceFile file_;
  std::vector<Architecture> architectures_;  ///< by type and device
};

}  // namespace damocles
