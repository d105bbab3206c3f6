#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/arithmetic.hpp"
#include "gpu/device.hpp"

namespace damocles {

/// All data and all results, in host memory that the device can copy from and to.
///
/// Results are poisoned (every byte 0xff, a NaN) before the run, and every arrival is counted.
class Store {
 public:
  /// @throws InvalidInput if the host has not that much memory free
  Store(const Arithmetic& arithmetic, Device& device);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] const std::byte* data(DataId data) const;
  /// Where the output tile belongs.
  [[nodiscard]] std::byte* output(std::uint64_t tile);
  [[nodiscard]] const std::byte* output(std::uint64_t tile) const;

  /// The whole tile arrived at output(tile).
  void arrived(std::uint64_t tile);
  /// A processor's partial sum of the tile: the first takes the place of the poison, the others are
  /// added. From any thread.
  void add(std::uint64_t tile, const std::byte* sum);
  /// How often the tile arrived, or sums were added to it.
  [[nodiscard]] std::uint32_t arrivals(std::uint64_t tile) const;
};

}  // namespace damocles
