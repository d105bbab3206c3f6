#include "models/platforms/kernel_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/error.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using Grows = KernelTime::Grows;

/// No kernel computes more than a high power of what it reads.
constexpr double most_exponent = 10;

std::optional<double> kernel_seconds(std::optional<double> time_s) {
  return time_s && *time_s > 0 && *time_s <= most_kernel_s ? time_s : std::nullopt;
}

/// `cuda0@FILE`
KernelTime measured_time(std::string kind, std::string_view text, const std::string& where) {
  const auto at = text.find('@');
  KernelTime result{std::move(kind)};
  result.architecture = text.substr(0, at);
  const std::string path(text.substr(at + 1));
  try {
    result.measured = std::make_shared<PerformanceModel>(PerformanceModel::of_file(path));
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: times: {}", where, error.what()));
  }
  if (!result.measured->has(result.architecture)) {
    const auto known = result.measured->architectures();
    throw InvalidInput(fmt::format("{}: times: file '{}' has none of '{}'; it has {}{}", where,
                                   path, result.architecture, known.empty() ? "none" : "those of ",
                                   fmt::join(known, ", ")));
  }
  return result;
}

/// `1015us`, `never`, `2.1e-13*bytes^1.5`, `1ns*flops`.
std::optional<KernelTime> kernel_time(std::string kind, std::string_view text) {
  if (text == "never") return KernelTime{std::move(kind), never_s};
  const auto times = text.find('*');
  const std::string_view number = text.substr(0, times);
  // The factor of a power law has a unit of its own, which nobody writes: s/B^b.
  const bool bare = times != std::string_view::npos && lacks_unit(number);
  const auto factor =
      kernel_seconds(bare ? parse_number(number) : parse_quantity(number, Unit::seconds));
  if (!factor) return std::nullopt;
  KernelTime result{std::move(kind), *factor};
  if (times == std::string_view::npos) return result;
  const std::string_view power = text.substr(times + 1);
  const auto hat = power.find('^');
  const std::string_view base = power.substr(0, hat);
  if (base != "bytes" && base != "flops") return std::nullopt;
  result.grows = base == "bytes" ? Grows::with_bytes : Grows::with_flops;
  const auto exponent = hat == std::string_view::npos ? std::optional<double>(1)
                                                      : parse_number(power.substr(hat + 1));
  if (!exponent || !(*exponent > 0) || *exponent > most_exponent) return std::nullopt;
  result.exponent = *exponent;
  return result;
}

}  // namespace

std::optional<MeasuredTime> KernelTime::time_of(const TaskSize& task) const {
  if (measured) return measured->time(architecture, task);
  if (grows == Grows::never) return MeasuredTime{seconds};
  const double n = grows == Grows::with_bytes ? static_cast<double>(task.bytes) : task.flops;
  return MeasuredTime{seconds * std::pow(n, exponent)};
}

std::vector<std::string_view> summands(std::string_view text) {
  std::vector<std::string_view> result;
  for (auto end = text.find('+'); end != std::string_view::npos; end = text.find('+')) {
    result.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  result.push_back(text);
  return result;
}

std::vector<KernelTime> parse_kernel_times(std::string_view text, const std::string& where) {
  std::vector<KernelTime> times;
  std::vector<KernelTime> of_all;  // after those of a kind, which are looked at first
  for (const std::string_view one : summands(text)) {
    if (const auto* const kernels = measured_kernels_of(one);
        kernels != nullptr && of_all.empty()) {
      of_all = kernels->times();
      continue;
    }
    const auto colon = std::min(one.find(':'), one.size());
    const std::string kind(one.substr(0, colon));
    const std::string_view given = one.substr(std::min(colon + 1, one.size()));
    const bool again = std::any_of(times.begin(), times.end(),
                                   [&](const KernelTime& other) { return other.kind == kind; });
    const bool named = !kind.empty() && !again;
    if (named && given.find('@') != std::string_view::npos) {
      times.push_back(measured_time(kind, given, where));
      continue;
    }
    if (named && one == "recorded") {
      times.push_back(KernelTime{.kind = kind, .recorded = true});
      continue;
    }
    const auto time = kernel_time(kind, given);
    if (named && !time && lacks_unit(given)) {
      throw InvalidInput(
          fmt::format("{}: {}", where, quantity_error("times of " + kind, given, Unit::seconds)));
    }
    if (!named || !time) {
      throw InvalidInput(fmt::format(
          "{}: times must be v100, h200, core, flops, recorded, or KIND:VALUE+KIND:VALUE, where VALUE is a time above 0, never, a "
          "power of bytes or flops, or cuda@FILE, as GEMM:1015us+POTRF:never+TRSM:2.1e-13*bytes^1.5+SYRK:"
          "cuda@FILE, not '{}'",
          where, text));
    }
    times.push_back(*time);
  }
  times.insert(times.end(), of_all.begin(), of_all.end());
  return times;
}

}  // namespace damocles
