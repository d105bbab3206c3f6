#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace damocles {

/// Calls work(index) for each index < count, on up to `threads` threads, of which the caller is one
/// (0: as many as there are cores); each thread takes the next index. Where fewer threads can be
/// started, those that could do the work. If a call throws, no further ones begin and the first
/// exception is thrown on, when all threads have stopped.
template <typename Work>
void in_parallel(std::uint64_t count, Work&& work, std::uint64_t threads = 0) {
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
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> helpers;  // joined at the end of the block
    try {
      for (std::uint64_t i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(run);
    } catch (const std::system_error&) {  // a limit on processes or memory
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace damocles
