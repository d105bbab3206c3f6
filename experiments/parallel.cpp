#include "experiments/parallel.hpp"

#include <omp.h>

#include <atomic>
#include <exception>
#include <mutex>

#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace damocles {
namespace {

/// GCC's OpenMP runtime starts and joins threads in a way the thread sanitizer does not see; an
/// Order tells it that what came before arrive() is seen after follow().
class Order {
 public:
#ifdef __SANITIZE_THREAD__
  void arrive() { __tsan_release(this); }
  void follow() { __tsan_acquire(this); }
#else
  void arrive() {}
  void follow() {}
#endif
};

}  // namespace

// Not watched itself: the runtime hands it its variables in the same unseen way. What body does is.
#ifdef __SANITIZE_THREAD__
__attribute__((no_sanitize("thread")))
#endif
void for_each_in_parallel(std::size_t count, int threads,
                          const std::function<void(std::size_t)>& body) {
  std::exception_ptr failure;
  std::mutex failing;
  std::atomic<bool> failed = false;
  std::atomic<std::size_t> next = 0;
  Order start;
  Order end;
  start.arrive();
#pragma omp parallel num_threads(threads > 0 ? threads : omp_get_max_threads())
  {
    start.follow();
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (!failed) failure = std::current_exception();
        failed = true;
      }
    }
    end.arrive();
  }
  end.follow();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace damocles
