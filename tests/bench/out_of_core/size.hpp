#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "models/error.hpp"
#include "models/precision.hpp"
#include "models/quantity.hpp"
#include "models/workload.hpp"

namespace damocles {

/// Working set over memory limit.
inline constexpr double oversubscription = 4;

/// One size: tile x k panels in `memory_bytes`.
struct Size {
  std::uint64_t tile;
  std::uint64_t k;
  std::uint64_t memory_bytes;

  static Size parse(const std::string& text) {
    const auto first = text.find(':');
    const auto last = text.rfind(':');
    const auto number = [&](std::size_t from, std::size_t to) -> std::optional<std::uint64_t> {
      const std::string digits = text.substr(from, to - from);
      if (digits.empty() || digits.size() > 6) return std::nullopt;
      if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
      return std::stoull(digits);
    };
    if (first != std::string::npos && first != last) {
      const auto tile = number(0, first);
      const auto k = number(first + 1, last);
      const auto memory = parse_quantity(text.substr(last + 1), Unit::bytes);
      if (tile.value_or(0) > 0 && k.value_or(0) > 0 && memory.value_or(0) > 0) {
        return {*tile, *k, static_cast<std::uint64_t>(*memory)};
      }
    }
    throw InvalidInput(fmt::format("size '{}': give TILE:K:MEMORY, as 2048:24576:2400MB", text));
  }
  /// Inputs of four times the memory. @param precision  as of a workload: single, double, ...
  [[nodiscard]] Workload workload(const std::string& precision) const {
    const std::uint64_t panel =
        tile * k * element_bytes(precision_of(precision).value_or(Precision::fp32));
    const double panels =
        oversubscription * static_cast<double>(memory_bytes) / static_cast<double>(panel);
    return Workload::parse(fmt::format("gemm2d:n={},tile={},k={},precision={}",
                                       static_cast<std::uint64_t>(std::ceil(panels / 2)), tile, k,
                                       precision));
  }
};

}  // namespace damocles
