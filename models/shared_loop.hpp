// What models/parallel.cpp and its module for OpenMP tell each other of a loop.
#pragma once

#include <cstdint>

namespace damocles {

inline constexpr std::uint64_t most_loop_threads = 4096;

/// A loop of which threads share the calls; no call throws.
struct SharedLoop {
  std::uint64_t count = 0;
  std::uint64_t threads = 0;  ///< the caller among them; 0: as many as OpenMP says
  void (*make)(void* calls, std::uint64_t index) noexcept = nullptr;
  void* calls = nullptr;
};

extern "C" void damocles_share_loop(const SharedLoop& loop) __attribute__((weak));

}  // namespace damocles
