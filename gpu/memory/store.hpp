#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/device.hpp"

namespace damocles {

/// All data and all results, in host memory that the device can copy from and to.
///
/// Results are poisoned (every byte 0xff, a NaN) before the run, and every arrival is counted. The
/// device must outlive the store.
class Store {
 public:
  /// Fills and poisons on all cores. @throws InvalidInput if the host has not that much memory free
  Store(const Arithmetic& arithmetic, Device& device);
  ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Forgets all results, before another run; data that tasks write are as they were at first.
  void renew();

  [[nodiscard]] const std::byte* data(DataId data) const { return data_.get() + begin(raw(data)); }
  /// Where the data belongs, for a new version of it.
  [[nodiscard]] std::byte* place(DataId data) { return data_.get() + begin(raw(data)); }
  /// Where the output tile belongs.
  [[nodiscard]] std::byte* output(std::uint64_t tile) {
    return outputs_.get() + tile * output_stride_;
  }
  [[nodiscard]] const std::byte* output(std::uint64_t tile) const {
    return outputs_.get() + tile * output_stride_;
  }

  /// The whole tile arrived at output(tile). From any thread.
  void arrived(std::uint64_t tile) { ++arrivals_[tile]; }
  /// A processor's partial sum of the tile: the first takes the place of the poison, the others are
  /// added. From any thread.
  void add(std::uint64_t tile, const std::byte* sum);
  /// A processor's sum of what tasks reduce into the data: added word by word to what is there,
  /// modulo 2^64 as checksum tasks add. From any thread.
  void add_words(DataId data, const std::byte* sum);
  /// Held while something is added to the data.
  [[nodiscard]] std::mutex& adding_to(DataId data) { return adding_[raw(data) % adding_.size()]; }
  /// How often the tile arrived, or sums were added to it.
  [[nodiscard]] std::uint32_t arrivals(std::uint64_t tile) const { return arrivals_[tile]; }

 private:
  struct Release {
    Device* device;
    void operator()(std::byte* at) const noexcept { device->release_host(at); }
  };
  using Memory = std::unique_ptr<std::byte[], Release>;  // NOLINT(*-avoid-c-arrays)

  [[nodiscard]] std::size_t begin(std::uint64_t data) const {
    return begins_.empty() ? data * data_stride_ : begins_[data];
  }

  void fill();

  Arithmetic arithmetic_;
  std::size_t data_stride_ = 0;      // where all data have one size
  std::vector<std::size_t> begins_;  // else where each begins, and the end of the last
  std::size_t output_bytes_;
  std::size_t output_stride_;
  Memory data_;
  Memory outputs_;
  std::vector<std::atomic<std::uint32_t>> arrivals_;  // shape (outputs)
  std::array<std::mutex, 64> adding_;  // tile or data t is added to under lock t mod 64
};

}  // namespace damocles
