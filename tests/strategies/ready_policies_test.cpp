// The rules of dmdas, lws and heft, worked out by hand on a chain and a fan of tasks.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/error_text.hpp"
#include "tests/strategies/fan.hpp"

namespace damocles::ready_policies_test {
namespace {

using Ids = TaskIds;

TEST(Dmdas, TakesTheHighestPriorityOfItsOwnList) {
  Fan fan("dmdas", {9, 1, 4, 3, 2});

  fan.first_runs_on(0);

  // Shared out in turn: 1 and 3 to GPU 0, 2 and 4 to GPU 1.
  EXPECT_EQ(fan.granted(0), (Ids{3, 1}));
  EXPECT_EQ(fan.granted(1), (Ids{2, 4}));
}

TEST(Dmdas, TakesOfOnePriorityWhatLacksLeast) {
  Fan fan("dmdas", {9, 1, 1, 1, 1});

  fan.first_runs_on(0);
  fan.memory().load(ProcessorId{0}, DataId{3});

  EXPECT_EQ(fan.granted(0), (Ids{3, 1}));
}

TEST(Dmdas, ComparesOnlyTheTasksOfItsWindow) {
  for (const auto& [strategy, first] : {std::pair{"dmdas:window=1", 1U}, {"dmdas:window=2", 3U}}) {
    Fan fan(strategy, {9, 1, 1, 1, 1});
    fan.first_runs_on(0);
    fan.memory().load(ProcessorId{0}, DataId{3});

    EXPECT_EQ(fan.granted(0).front(), first) << strategy;
  }
}

TEST(Lws, KeepsTasksWhereTheOneBeforeRanAndStealsFromTheNextNeighbour) {
  Fan fan("lws", {9, 1, 4, 3, 2});

  fan.first_runs_on(1);

  EXPECT_EQ(fan.granted(0), (Ids{2, 3, 4, 1}));  // stolen, the highest priority first
  EXPECT_EQ(fan.granted(1), Ids{});
}

TEST(Eager, GrantsInTheOrderInWhichTasksBecomeReady) {
  Fan fan("eager", {9, 1, 4, 3, 2});

  fan.first_runs_on(1);

  EXPECT_EQ(fan.granted(0), (Ids{1, 2, 3, 4}));
}

TEST(Heft, WaitsForTheNextTaskOfItsOwnList) {
  Fan fan("heft", {});

  // Placed in turn behind task 0, on GPU 0: 1 and 3 there, 2 and 4 on GPU 1.
  EXPECT_EQ(fan.granted(0), Ids{});
  fan.first_runs_on(0);
  EXPECT_EQ(fan.granted(0), (Ids{1, 3}));
  EXPECT_EQ(fan.granted(1), (Ids{2, 4}));
}

TEST(ReadyPolicies, HintAtPushAtMissingInputsInRunOrder) {
  // On GPU 0 tasks 1 and 3, each with data of its own; of dmdas's the latter has the higher
  // priority.
  for (const auto& [name, order] : {std::pair<std::string, Ids>{"dmda", {1, 3}},
                                    {"dmdar", {1, 3}},
                                    {"dm", {1, 3}},
                                    {"dmdap", {3, 1}},
                                    {"dmdas", {3, 1}},
                                    {"heft", {1, 3}}}) {
    for (const bool at_push : {false, true}) {
      Fan fan(name + (at_push ? ":prefetch=push" : ""), {9, 1, 4, 3, 2});
      fan.first_runs_on(0);

      EXPECT_EQ(fan.hints(0), at_push ? order : Ids{}) << name;
    }
  }
}

TEST(ReadyPolicies, RefuseAnotherMomentForHints) {
  for (const std::string name : {"dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "heft"}) {
    EXPECT_EQ(error_text([&] { Fan(name + ":prefetch=pop", {}); }),
              "strategy '" + name + ":prefetch=pop': prefetch must be push or grant, not 'pop'");
  }
}

TEST(Heft, HintsAtDataThatStayUntilTheirTaskIsGranted) {
  Fan plain("heft", {});
  Fan fan("heft:prefetch=push", {});
  for (Fan* const one : {&plain, &fan}) one->first_runs_on(0);

  Grant grant;
  (*fan).request(ProcessorId{0}, grant);

  EXPECT_EQ(grant.loads, std::vector<DataId>{DataId{3}});  // beside task 1
  EXPECT_EQ((*fan).reserved_uses(ProcessorId{0}, DataId{3}), 1U);
  EXPECT_EQ((*fan).reserved_uses(ProcessorId{0}, DataId{1}), 0U);
  EXPECT_EQ((*plain).reserved_uses(ProcessorId{0}, DataId{3}), 0U);
}

TEST(Darts, TakesTheHighestPriorityWhereNothingIsFree) {
  Fan fan("darts", {9, 1, 4, 3, 2});

  fan.first_runs_on(0);

  EXPECT_EQ(fan.granted(1).front(), 2U);
}

}  // namespace
}  // namespace damocles::ready_policies_test
