// Starts threads that do nothing, to learn how many the system allows.
#include "models/startable_threads.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace damocles {
namespace {

/// Above what libgomp allocates for a team of 4096 threads.
constexpr std::size_t memory_beside_stacks = std::size_t{4} << 20;

/// The stack of OpenMP's threads as the environment gives it, in KiB where no unit follows; 0: the
/// system's own.
std::size_t stack_bytes() {
  for (const char* const name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    const std::size_t number = std::strtoul(text, &end, 10);
    while (std::isspace(static_cast<unsigned char>(*end)) != 0) ++end;
    constexpr std::string_view units = "BKMG";
    const auto unit = *end == '\0' ? 1 : units.find(static_cast<char>(std::toupper(*end)));
    if (end != text && unit != std::string_view::npos) return number << (10 * unit);
  }
  return 0;
}

/// A thread that stands until all may leave.
struct Standing {
  pthread_t thread{};
  pid_t id = 0;
  const std::atomic<bool>* may_leave = nullptr;

  bool start(const pthread_attr_t& attributes) {
    const auto stand = [](void* self) -> void* {
      auto& standing = *static_cast<Standing*>(self);
      standing.id = gettid();
      standing.may_leave->wait(false);
      return nullptr;
    };
    return pthread_create(&thread, &attributes, stand, this) == 0;
  }
  /// Joins it, and waits until the system no longer counts it, which comes a little later.
  void end() const {
    constexpr int most_looks = 10'000;
    pthread_join(thread, nullptr);
    for (int look = 0; look < most_looks && tgkill(getpid(), id, 0) == 0; ++look) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
};

/// Whether the runtime would still find memory of its own.
bool memory_is_left() {
  void* const some = mmap(nullptr, memory_beside_stacks, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return some != MAP_FAILED && munmap(some, memory_beside_stacks) == 0;
}

}  // namespace

std::uint64_t startable_threads(std::uint64_t wanted) {
  std::atomic<bool> may_leave{false};
  std::vector<Standing> threads(wanted, Standing{.may_leave = &may_leave});  // none moves
  pthread_attr_t attributes{};
  pthread_attr_init(&attributes);
  if (const std::size_t bytes = stack_bytes()) pthread_attr_setstacksize(&attributes, bytes);
  std::uint64_t standing = 0;
  while (standing < wanted && threads[standing].start(attributes)) ++standing;
  pthread_attr_destroy(&attributes);
  const bool enough = memory_is_left();
  may_leave.store(true);
  may_leave.notify_all();
  for (std::uint64_t i = 0; i < standing; ++i) threads[i].end();
  return enough ? standing : 0;
}

}  // namespace damocles
