// A function that pauses in the middle: for a run that waits for decisions from outside.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>

namespace damocles {

/// A function on a stack of its own, which runs and pauses in turn with whoever resumes it.
/// Boost.Context does the same, but would be one more library that every build needs.
///
/// All happens on the thread that resumes, which may be another one each time. A body that has not
/// ended is unwound at the end of the coroutine's life: pause() throws Abandoned, which only the
/// coroutine catches. The stack takes memory as it is touched, and is as large as a thread's.
class Coroutine {
 public:
  /// Thrown in a body that is to end.
  struct Abandoned {};

  /// @throws std::bad_alloc where there is no room for a stack
  explicit Coroutine(std::function<void()> body);
  Coroutine(const Coroutine&) = delete;
  Coroutine& operator=(const Coroutine&) = delete;
  Coroutine(Coroutine&&) = delete;
  Coroutine& operator=(Coroutine&&) = delete;
  ~Coroutine();

  /// Runs the body until it pauses or ends. @pre it has not ended, and does not run
  /// @throws what the body throws, which thereby ends
  void resume();
  /// Goes back to who resumed the body. @pre called by the body
  void pause();
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  /// What a switch of stacks tells the sanitizers.
  struct Side {
    ucontext_t context{};
    const void* bottom = nullptr;  // of its stack
    std::size_t size = 0;          // of that [B]
    void* fake_stack = nullptr;    // of the address sanitizer
    void* thread = nullptr;        // of the thread sanitizer
  };

  static void enter();
  static void change(Side& from, Side& to, bool for_good);
  static void arrive(Side& here, Side& left);
  void run();

  std::function<void()> body_;
  void* stack_;
  std::exception_ptr thrown_;
  Side inside_;
  Side outside_;
  bool started_ = false;
  bool abandoned_ = false;
  bool ended_ = false;
};

}  // namespace damocles
