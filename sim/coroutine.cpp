#include "sim/coroutine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DAMOCLES_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define DAMOCLES_THREAD_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define DAMOCLES_ADDRESS_SANITIZER
#endif
#ifdef __SANITIZE_THREAD__
#define DAMOCLES_THREAD_SANITIZER
#endif
#ifdef DAMOCLES_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef DAMOCLES_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace damocles {
namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20U;  // as a thread has: a policy may be deep

/// The coroutine that is entered for the first time: the entry of a context takes no pointer.
Coroutine*& entered() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of a thread
  static thread_local Coroutine* coroutine = nullptr;
  return coroutine;
}

std::size_t guard_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Below the stack lies a page that nobody may touch: who needs more stack ends there.
void* make_stack() {
  void* const memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  (void)mprotect(memory, guard_bytes(), PROT_NONE);
  return memory;
}

}  // namespace

Coroutine::Coroutine(std::function<void()> body) : body_(std::move(body)), stack_(make_stack()) {
  inside_.bottom = stack_;
  inside_.size = stack_bytes;
  (void)getcontext(&inside_.context);
  inside_.context.uc_stack.ss_sp = stack_;
  inside_.context.uc_stack.ss_size = stack_bytes;
  inside_.context.uc_link = nullptr;
  makecontext(&inside_.context, &Coroutine::enter, 0);
#ifdef DAMOCLES_THREAD_SANITIZER
  inside_.thread = __tsan_create_fiber(0);
#endif
}

Coroutine::~Coroutine() {
  if (started_ && !ended_) {
    abandoned_ = true;
    change(outside_, inside_, false);
  }
#ifdef DAMOCLES_THREAD_SANITIZER
  __tsan_destroy_fiber(inside_.thread);
#endif
  (void)munmap(stack_, stack_bytes);
}

void Coroutine::resume() {
  if (!started_) entered() = this;
  started_ = true;
  change(outside_, inside_, false);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void Coroutine::pause() {
  change(inside_, outside_, false);
  if (abandoned_) throw Abandoned();
}

/// The first function on the new stack; nobody returns from it.
void Coroutine::enter() {
  Coroutine& self = *entered();
  arrive(self.inside_, self.outside_);
  self.run();
  change(self.inside_, self.outside_, true);
}

void Coroutine::run() {
  try {
    body_();
  } catch (const Abandoned&) {  // NOLINT(bugprone-empty-catch): it is to end
  } catch (...) {
    thrown_ = std::current_exception();
  }
  ended_ = true;
}

/// Goes to the other stack, and on from here when somebody comes back.
void Coroutine::change(Side& from, Side& to, bool for_good) {
#ifdef DAMOCLES_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack, to.bottom, to.size);
#endif
#ifdef DAMOCLES_THREAD_SANITIZER
  from.thread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.thread, 0);
#endif
  (void)for_good;
  (void)swapcontext(&from.context, &to.context);
  arrive(from, to);
}

/// Learns which stack was left: the caller's may be another one each time.
void Coroutine::arrive([[maybe_unused]] Side& here, [[maybe_unused]] Side& left) {
#ifdef DAMOCLES_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(here.fake_stack, &left.bottom, &left.size);
#endif
}

}  // namespace damocles
