#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace damocles {

/// What a random stream is for. The number is part of the key, so streams never overlap.
enum class Draw : std::uint64_t {
  speeds = 1,
  drift = 2,
  start_order = 3,
  strategy = 4,
  test = 5,
  workload = 6,
  eviction = 7,
  values = 8,
  verification = 9,
  duration = 10,
  prediction = 11
};

/// One stream of random numbers, keyed by (seed, purpose, replicate, substream).
///
/// Philox4x64-10 (Salmon et al., SC'11, as in Random123): the i-th number is a function of the key
/// and i alone, so a run is repeated by its key on any number of threads. The distributions are our
/// own because the standard ones differ between libraries.
class Rng {
 public:
  Rng(std::uint64_t seed, Draw purpose, std::uint64_t replicate, std::uint64_t substream = 0)
      : key_{{seed, static_cast<std::uint64_t>(purpose)}}, counter_{{0, replicate, substream, 0}} {}

  /// 64 random bits.
  std::uint64_t next() {
    if (used_ == block_.size()) refill();
    return block_[used_++];
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  /// Uniform integer in [0, bound), unbiased (Lemire, ACM TOMACS 2019). @pre bound > 0
  std::uint64_t below(std::uint64_t bound) {
    Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t floor = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < floor) {
        product = static_cast<Wide>(next()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

  /// Fisher–Yates: every order of `items` equally likely.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  using Philox = r123::Philox4x64;

  void refill() {
    const auto block = Philox{}(counter_, key_);
    block_ = {block[0], block[1], block[2], block[3]};
    ++counter_[0];
    used_ = 0;
  }

  Philox::key_type key_;
  Philox::ctr_type counter_;
  std::array<std::uint64_t, 4> block_{};
  std::size_t used_ = 4;
};

}  // namespace damocles
