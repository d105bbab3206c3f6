#include "sim/coroutine.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace damocles::coroutine_test {
namespace {

/// Tells at the end of its life.
class Object {
 public:
  explicit Object(int& destroyed) : destroyed_(destroyed) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  Object(Object&&) = delete;
  Object& operator=(Object&&) = delete;
  ~Object() { ++destroyed_; }

 private:
  int& destroyed_;
};

TEST(Coroutine, RunsInTurnWithWhoResumes) {
  std::string order;
  Coroutine body([&] {
    order += "a";
    body.pause();
    order += "b";
    body.pause();
    order += "c";
  });
  EXPECT_EQ(order, "");
  for (const char* outside : {"1", "2", "3"}) {
    EXPECT_FALSE(body.ended());
    body.resume();
    order += outside;
  }
  EXPECT_TRUE(body.ended());
  EXPECT_EQ(order, "a1b2c3");
}

TEST(Coroutine, MayBeResumedByAnotherThreadEachTime) {
  int steps = 0;
  Coroutine body([&] {
    for (; steps < 5; ++steps) body.pause();
  });
  while (!body.ended()) {
    std::thread([&] { body.resume(); }).join();
    if (!body.ended()) body.resume();
  }
  EXPECT_EQ(steps, 5);
}

TEST(Coroutine, ThrowsWhatItsBodyThrows) {
  Coroutine body([&] {
    body.pause();
    throw std::runtime_error("from inside");
  });
  body.resume();
  EXPECT_THROW(body.resume(), std::runtime_error);
  EXPECT_TRUE(body.ended());
}

TEST(Coroutine, CatchesExceptionsInside) {
  bool caught = false;
  Coroutine body([&] {
    try {
      body.pause();
      throw std::runtime_error("for inside");
    } catch (const std::runtime_error&) {
      caught = true;
    }
  });
  body.resume();
  body.resume();
  EXPECT_TRUE(caught);
}

TEST(Coroutine, UnwindsABodyThatHasNotEnded) {
  int destroyed = 0;
  {
    Coroutine body([&] {
      const Object object(destroyed);
      const auto other = std::make_unique<Object>(destroyed);
      body.pause();
      destroyed = 100;
    });
    body.resume();
    EXPECT_EQ(destroyed, 0);
  }
  EXPECT_EQ(destroyed, 2);
}

TEST(Coroutine, UnwindsWhileAnotherExceptionPasses) {
  int destroyed = 0;
  const auto abandon = [&] {
    Coroutine body([&] {
      const Object object(destroyed);
      body.pause();
    });
    body.resume();
    throw std::runtime_error("outside");
  };
  EXPECT_THROW(abandon(), std::runtime_error);
  EXPECT_EQ(destroyed, 1);
}

TEST(Coroutine, ThatNeverBeganRunsNothing) {
  bool ran = false;
  {
    const Coroutine body([&] { ran = true; });
  }
  EXPECT_FALSE(ran);
}

TEST(Coroutine, RunsOthersInside) {
  std::string order;
  Coroutine outer([&] {
    Coroutine inner([&] {
      order += "a";
      inner.pause();
      order += "c";
    });
    inner.resume();
    order += "b";
    outer.pause();
    inner.resume();
    order += "d";
  });
  outer.resume();
  order += "-";
  outer.resume();
  EXPECT_EQ(order, "ab-cd");
}

}  // namespace
}  // namespace damocles::coroutine_test
