#include "models/platforms/performance_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <tuple>

#include "models/error.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/input_file.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_model_bytes = 100'000'000;
constexpr double microsecond = 1e-6;
/// StarPU's, by their numbers (enum starpu_worker_archtype); those between, "", changed their
/// meaning between versions.
constexpr std::array<std::string_view, 8> device_types{"cpu", "cuda", "opencl", "",
                                                       "",    "",     "",       "hip"};

std::string device_type(std::uint64_t number) {
  const bool known = number < device_types.size() && !device_types[number].empty();
  return known ? std::string(device_types[number]) : fmt::format("type{}_", number);
}
/// From fewer measurements no regression is trusted (STARPU_CALIBRATE_MINIMUM).
constexpr double least_samples = 10;
constexpr double longest_us = 1e12;

}  // namespace

/// The lines of a file, comments left out.
class PerformanceModel::Reader {
 public:
  Reader(std::istream& in, const std::string& name) : lines_(in, name) {}

  std::vector<Architecture> read() {
    const std::uint64_t version = number("the version of the format");
    if (version != 44 && version != 45) {
      lines_.refuse(
          fmt::format("version {} of StarPU's performance models; give 44 or 45", version));
    }
    has_coefficients_ = version == 45;
    std::vector<Architecture> result;
    for (std::uint64_t left = number("the number of combinations"); left > 0; --left) {
      result.push_back(architecture());
    }
    if (next()) lines_.refuse("more text after the last combination; correct their number");
    return result;
  }

 private:
  /// Goes to the next line that has words.
  bool next() {
    while (lines_.next()) {
      split_words(lines_.text().substr(0, lines_.text().find('#')), words_);
      if (!words_.empty()) return true;
    }
    return false;
  }
  void need(std::string_view what) {
    if (!next()) lines_.refuse(fmt::format("the file ends before {}", what));
  }
  std::uint64_t number(std::string_view what) {
    need(what);
    if (words_.size() != 1) refuse(what, "one whole number");
    return lines_.whole(words_.front(), what, 0, std::numeric_limits<std::uint32_t>::max());
  }
  [[noreturn]] void refuse(std::string_view what, std::string_view right) const {
    lines_.refuse(fmt::format("'{}' is not {}; write {}", shown(lines_.text()), what, right));
  }
  /// A number of 0 or more; NaN where the file says so.
  [[nodiscard]] double real(std::size_t at, std::string_view what, double most) const {
    if (words_[at] == "nan" || words_[at] == "-nan") return std::nan("");
    const auto value = signed_number(words_[at]);
    if (!value || !(*value >= 0 && *value <= most)) {
      lines_.refuse(
          fmt::format("{} is '{}'; write a number from 0 to {:g}", what, shown(words_[at]), most));
    }
    return *value;
  }
  /// Any number, or NaN.
  [[nodiscard]] double coefficient(std::size_t at) const {
    if (words_[at] == "nan" || words_[at] == "-nan") return std::nan("");
    const auto value = signed_number(words_[at]);
    if (!value) refuse("the coefficients of a regression", "numbers or nan");
    return *value;
  }

  Architecture architecture() {
    Architecture result;
    const std::uint64_t devices = number("the number of devices");
    for (std::uint64_t device = 0; device < devices; ++device) {
      const std::uint64_t type = number("the type of a device");
      const std::uint64_t id = number("the number of a device");
      const std::uint64_t cores = number("the number of cores");
      const std::string word = device_type(type);
      result.name += fmt::format("{}{}{}{}", device > 0 ? "_" : "", word, id,
                                 cores > 1 ? fmt::format("_cores{}", cores) : "");
      result.type = devices == 1 && cores <= 1 ? word : "";
      result.device = id;
    }
    for (std::uint64_t left = number("the number of implementations"); left > 0; --left) {
      result.implementations.push_back(implementation());
    }
    return result;
  }

  Implementation implementation() {
    Implementation result;
    const std::uint64_t entries = number("the number of entries");
    regressions(result);
    for (std::uint64_t at = 0; at < entries; ++at) {
      const Entry one = entry();
      if (one.samples > 0) result.history.push_back(one);
    }
    return result;
  }

  void regressions(Implementation& result) {
    need("a linear regression");
    if (words_.size() != 9) refuse("a linear regression", "its 9 numbers");
    const double alpha = coefficient(4);
    const double beta = coefficient(5);
    const double samples = coefficient(6);
    const double least = coefficient(7);
    const double most = coefficient(8);
    need("a non-linear regression");
    if (words_.size() != 3) refuse("a non-linear regression", "its 3 numbers");
    const Regression power{coefficient(0) * microsecond, coefficient(1),
                           coefficient(2) * microsecond};
    if (has_coefficients_) need("the coefficients of a multiple regression");
    if (!(least < 0.9 * most) || !(samples >= least_samples)) return;
    result.least_bytes = 0.9 * least;
    result.most_bytes = 1.1 * most;
    for (const Regression& one : {power, Regression{alpha * microsecond, beta, 0}}) {
      if (std::isfinite(one.factor_s + one.exponent + one.constant_s)) {
        result.regressions.push_back(one);
      }
    }
  }

  /// Hash, size, flops, mean, deviation, sum, sum of squares, number; old ones have no flops.
  Entry entry() {
    need("an entry of the history");
    const std::size_t flops = words_.size() == 8 ? 1 : 0;
    if (words_.size() != 7 + flops) refuse("an entry of the history", "its 8 values");
    Entry result;
    result.size.footprint = parse_footprint(words_[0]);
    if (!result.size.footprint) {
      lines_.refuse(
          fmt::format("the footprint is '{}'; write up to 8 hexadecimal digits", shown(words_[0])));
    }
    result.size.bytes = lines_.whole(words_[1], "the size", 0, most_bytes);
    if (flops > 0) result.size.flops = real(2, "the number of flops", most_flops);
    if (std::isnan(result.size.flops)) result.size.flops = 0;
    result.time.mean_s = real(2 + flops, "the mean time", longest_us) * microsecond;
    result.time.deviation_s = real(3 + flops, "the deviation", longest_us) * microsecond;
    result.samples = lines_.whole(words_[6 + flops], "the number of measurements", 0,
                                  std::numeric_limits<std::uint32_t>::max());
    if (std::isnan(result.time.mean_s)) result.samples = 0;
    if (std::isnan(result.time.deviation_s)) result.time.deviation_s = 0;
    return result;
  }

  TextLines lines_;
  std::vector<std::string_view> words_;  // of this line
  bool has_coefficients_ = false;
};

PerformanceModel PerformanceModel::read(std::istream& in, const std::string& name) {
  PerformanceModel result;
  result.file_.path = name;
  result.architectures_ = Reader(in, name).read();
  std::stable_sort(result.architectures_.begin(), result.architectures_.end(),
                   [](const Architecture& a, const Architecture& b) {
                     return std::tie(a.type, a.device) < std::tie(b.type, b.device);
                   });
  return result;
}

PerformanceModel PerformanceModel::of_file(const std::string& path) {
  const std::string text = read_file(
      path, {.what = "performance-model file",
             .right = "give one of StarPU's, as ~/.starpu/sampling/codelets/45/CODELET.HOST",
             .most_bytes = most_model_bytes});
  std::istringstream in(text);
  PerformanceModel result = read(in, path);
  Digest digest;
  digest.add(text);
  result.file_.digest = digest.hex();
  return result;
}

std::vector<std::string> PerformanceModel::architectures() const {
  std::vector<std::string> result;
  for (const Architecture& one : architectures_) result.push_back(one.name);
  return result;
}

bool PerformanceModel::has(std::string_view architecture) const {
  return std::any_of(architectures_.begin(), architectures_.end(), [&](const Architecture& one) {
    return one.name == architecture || one.type == architecture;
  });
}

std::optional<MeasuredTime> PerformanceModel::time(std::string_view architecture,
                                                   const TaskSize& task) const {
  for (const Architecture& one : architectures_) {
    if (one.name != architecture && one.type != architecture) continue;
    std::optional<MeasuredTime> fastest;
    for (const Implementation& implementation : one.implementations) {
      const auto found = time_of(implementation, task);
      if (found && (!fastest || found->mean_s < fastest->mean_s)) fastest = found;
    }
    if (fastest) return fastest;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> PerformanceModel::sizes(std::string_view architecture) const {
  std::set<std::uint64_t> result;
  for (const Architecture& one : architectures_) {
    if (one.name != architecture && one.type != architecture) continue;
    for (const Implementation& implementation : one.implementations) {
      for (const Entry& entry : implementation.history) result.insert(entry.size.bytes);
    }
  }
  return {result.begin(), result.end()};
}

std::optional<MeasuredTime> PerformanceModel::time_of(const Implementation& implementation,
                                                      const TaskSize& task) {
  const auto order = [&](const Entry& entry) {
    return std::tuple(entry.size.footprint != task.footprint,
                      std::abs(entry.size.flops - task.flops), -static_cast<double>(entry.samples));
  };
  const Entry* nearest = nullptr;
  for (const Entry& entry : implementation.history) {
    if (entry.size.bytes != task.bytes && entry.size.footprint != task.footprint) continue;
    if (nearest == nullptr || order(entry) < order(*nearest)) nearest = &entry;
  }
  if (nearest != nullptr) return nearest->time;
  const auto n = static_cast<double>(task.bytes);
  if (!(n >= implementation.least_bytes && n <= implementation.most_bytes)) return std::nullopt;
  for (const Regression& one : implementation.regressions) {
    const double mean_s = one.factor_s * std::pow(n, one.exponent) + one.constant_s;
    if (mean_s >= 0 && std::isfinite(mean_s)) return MeasuredTime{mean_s};
  }
  return std::nullopt;
}

}  // namespace damocles
