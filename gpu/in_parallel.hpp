#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace damocles {

/// Calls work(index) for each index < count, on as many threads as there are cores; each thread
/// takes the next index. If a call throws, no further ones begin and the first exception is thrown
/// on.
template <typename Work>
void in_parallel(std::uint64_t count, Work&& work) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (auto index = next++; index < count && !failed; index = next++) work(index);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  };
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> helpers;  // joined at the end of the block, or where one won't start
    for (std::uint64_t i = 1; i < std::min(cores, count); ++i) helpers.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace damocles
