// The parallel loop: who makes the calls, and what happens if one throws.
#include "models/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "models/shared_loop.hpp"
#include "models/startable_threads.hpp"

namespace damocles::parallel_test {
namespace {

/// Waits until the condition holds, and gives up after a minute.
template <typename Condition>
bool comes_true(Condition&& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(InParallel, VisitsEachIndexOnce) {
  for (const std::uint64_t count : {0, 1, 2, 3, 100}) {
    for (const std::uint64_t threads : {0, 1, 2, 4, 3, 100'000}) {
      std::vector<int> visits(count, 0);
      in_parallel(
          count, [&](std::uint64_t i) { ++visits[i]; }, threads);
      EXPECT_EQ(visits, std::vector<int>(count, 1)) << threads;
    }
  }
}

TEST(InParallel, StartsNoMoreThreadsThanAskedFor) {
  for (const std::size_t threads : {1, 3, 2, 4}) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    in_parallel(
        1000,
        [&](std::uint64_t) {
          const std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        },
        threads);
    EXPECT_LE(seen.size(), threads);
  }
}

/// Static schedules would leave half of the calls to the thread that waits for them.
TEST(InParallel, GivesTheNextIndexToAThreadThatIsFree) {
  std::atomic<int> others{0};
  bool all_came = false;
  in_parallel(
      100,
      [&](std::uint64_t i) {
        if (i == 0) {
          all_came = comes_true([&] { return others == 99; });
        } else {
          ++others;
        }
      },
      2);
  EXPECT_TRUE(all_came);
}

TEST(InParallel, ThrowsWhatItsBodyThrew) {
  const auto body = [](std::uint64_t i) {
    if (i == 17) throw std::runtime_error("seventeen");
  };
  for (const std::uint64_t threads : {1, 4}) {
    EXPECT_THROW(in_parallel(100, body, threads), std::runtime_error);
  }
  in_parallel(
      100, [](std::uint64_t) {}, 4);  // and the next loop knows nothing of it
}

TEST(InParallel, BeginsNoCallAfterOneThrew) {
  std::atomic<int> begun{0};
  std::atomic<int> running{0};
  const auto body = [&](std::uint64_t) {
    ++begun;
    ++running;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --running;
    throw std::runtime_error("each");
  };
  EXPECT_THROW(in_parallel(100'000, body, 4), std::runtime_error);
  EXPECT_EQ(running, 0);
  EXPECT_LE(begun, 4);  // at most one call a thread
}

TEST(InParallel, MakesTheCallsOfALoopInsideOnTheSameThread) {
  std::atomic<int> calls{0};
  std::atomic<int> elsewhere{0};
  const auto inner = [&](std::thread::id outer) {
    return [&, outer](std::uint64_t) {
      ++calls;
      if (std::this_thread::get_id() != outer) ++elsewhere;
    };
  };
  in_parallel(
      8, [&](std::uint64_t) { in_parallel(10, inner(std::this_thread::get_id()), 4); }, 4);
  EXPECT_EQ(calls, 80);
  EXPECT_EQ(elsewhere, 0);
}

TEST(InParallel, ThrowsOutOfALoopInside) {
  const auto inner = [](std::uint64_t i) {
    if (i == 3) throw std::runtime_error("three");
  };
  EXPECT_THROW(in_parallel(
                   8, [&](std::uint64_t) { in_parallel(10, inner, 4); }, 4),
               std::runtime_error);
}

TEST(InParallel, LeavesItsThreadsToALoopInsideIfItHasOneCall) {
  std::atomic<int> here{0};
  std::atomic<int> met{0};
  const auto meet = [&](std::uint64_t) {
    ++here;
    if (comes_true([&] { return here == 2; })) ++met;
  };
  in_parallel(
      1, [&](std::uint64_t) { in_parallel(2, meet, 2); }, 4);
  EXPECT_EQ(met, 2);
}

TEST(InParallel, RunsInAChildOfAProcessThatRanIt) {
  std::atomic<int> calls{0};
  const auto count = [&](std::uint64_t) { ++calls; };
  in_parallel(100, count, 4);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    in_parallel(100, count, 4);
    _exit(calls == 200 ? 0 : 1);
  }
  in_parallel(100, count, 4);
  EXPECT_EQ(calls, 200);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// The time that a processor spends on this process, whoever else uses the machine.
TEST(InParallel, LeavesNoThreadThatWaitsAtFullSpeed) {
  if (&damocles_share_loop != nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr) {
    GTEST_SKIP() << "OpenMP is linked, and has read its environment before the program began";
  }
  std::atomic<int> calls{0};
  in_parallel(
      100, [&](std::uint64_t) { ++calls; }, 4);
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 50);
  EXPECT_EQ(calls, 100);
}

TEST(StartableThreads, AreAllThatAreWantedWhereNothingLimitsThem) {
  for (const std::uint64_t wanted : {0, 1, 3}) EXPECT_EQ(startable_threads(wanted), wanted);
}

TEST(InParallel, StopsWhenAskedFromOutside) {
  for (const std::uint64_t threads : {1, 4}) {
    std::atomic<bool> asked{false};
    std::atomic<std::uint64_t> calls{0};
    const StoppableLoops here(asked);
    in_parallel(
        10, [&](std::uint64_t) { ++calls; }, threads);
    EXPECT_EQ(calls, 10U);
    const auto ask = [&](std::uint64_t) {
      ++calls;
      asked = true;
    };
    EXPECT_THROW(in_parallel(100'000, ask, threads), LoopStopped);
    EXPECT_LE(calls, 10 + threads);
  }
  in_parallel(10, [](std::uint64_t) {});  // nobody asks any more
}

TEST(LoopsOnThisThread, StartNoOther) {
  std::atomic<int> elsewhere{0};
  const auto look = [&, here = std::this_thread::get_id()](std::uint64_t) {
    if (std::this_thread::get_id() != here) ++elsewhere;
  };
  {
    const LoopsOnThisThread loops;
    in_parallel(100, look, 4);
  }
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
}  // namespace damocles::parallel_test
