#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "models/ids.hpp"
#include "models/precision.hpp"

namespace damocles {

/// What every task of a workload computes on the bytes of its inputs.
struct Kernel {
  enum class Kind {
    /// output (m x n) = x (m x k) y (k x n), or += where the call accumulates; x and y are the
    /// first two inputs; tiles are stored row by row
    product,
    /// output = fold of all 64-bit words of all inputs, see folded_word(); a last word of fewer
    /// than
    /// 8 bytes is filled up with zeros. 8 bytes. Of a task that writes data the fold is in all of
    /// them, see written_word()
    checksum,
    /// nothing: neither reads nor writes; for measuring the executor itself
    empty,
  };
  Kind kind = Kind::product;
  Precision precision = Precision::fp32;  ///< of a product, as all that follow
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
};

/// One step of the checksum: the fold starts at 0 and takes the words of the inputs in order; the
/// word at index i of the input at position q of the task contributes
/// mix(word + 0x9e3779b97f4a7c15 (q + 1) + i), and contributions are added modulo 2^64, so threads
/// may share the work in any order.
[[nodiscard]] constexpr std::uint64_t folded_word(std::uint64_t word, std::uint64_t position,
                                                  std::uint64_t index) {
  std::uint64_t z = word + 0x9e3779b97f4a7c15U * (position + 1) + index;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;  // the finaliser of splitmix64
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// What a checksum task writes: the word at index i of the data that is at position q among those
/// that the task accesses. So whoever reads an old version, or one that was not written to its end,
/// has another fold, and so have all that read what it writes.
[[nodiscard]] constexpr std::uint64_t written_word(std::uint64_t fold, std::uint64_t position,
                                                   std::uint64_t index) {
  return folded_word(fold, ~position, index);
}

/// What a checksum task that commutes on a data item, or reduces into it, adds to it: so much times
/// added_word(index) to the word at each index, modulo 2^64 (a last word of fewer bytes: modulo
/// what these hold). In whatever order tasks add, the sum is the same, and one that is lost or
/// added twice shows.
[[nodiscard]] constexpr std::uint64_t added_factor(std::uint64_t fold, std::uint64_t position) {
  return folded_word(fold, ~position, ~std::uint64_t{0});
}
[[nodiscard]] constexpr std::uint64_t added_word(std::uint64_t index) {
  return folded_word(0, 0, index) | 1U;  // odd, so that no factor is lost
}

/// What the parts of a checksum share: whoever adds the last part of the fold writes.
struct PartsOfFold {
  std::atomic<std::uint64_t> sum{0};
  std::atomic<std::size_t> added{0};
};

/// One task as a device runs it. Addresses are the device's own.
struct TaskCall {
  struct Input {
    const std::byte* at;
    std::size_t bytes;
  };
  struct Written {
    std::byte* at = nullptr;
    std::size_t bytes = 0;
    std::uint64_t position = 0;    ///< among the data that the task accesses
    bool adds = false;             ///< to what is there, see added_factor(); else it overwrites
    bool fresh = false;            ///< what is there counts as zeros
    std::mutex* shared = nullptr;  ///< held to add, where others may add at the same time
  };
  TaskId task{};
  std::vector<Input> inputs;     ///< in the order in which the workload names them
  std::vector<Written> written;  ///< data that a checksum task writes; may be among the inputs
  std::byte* output = nullptr;   ///< nullptr where there is none; may be one of the inputs
  bool accumulate = false;       ///< output += instead of =
  double ready_s = 0;            ///< when it could start: the end of what it waited for [s]
  double paced_s = 0;            ///< it takes at least this long [s]; 0: as long as it takes
  /// Of a task that several processors compute together: which of so many parts this is.
  std::size_t part = 0;
  std::size_t parts = 1;
  std::shared_ptr<PartsOfFold> fold{};  ///< of a checksum in parts
};

}  // namespace damocles
