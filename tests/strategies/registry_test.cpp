#include "strategies/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "tests/error_text.hpp"
#include "tests/strategies/choices.hpp"

namespace damocles::registry_test {
namespace {

const auto flat = Workload::outer(4, 4);
const auto deep = Workload::matrix(3, 3, 3);

std::string refusal(std::string_view text, const Workload& workload) {
  return error_text([&] { static_cast<void>(StrategyChoice::parse(text, workload)); });
}

/// The refusal of a strategy that parses but cannot be made with its options.
std::string make_refusal(std::string_view text) {
  const auto choice = StrategyChoice::parse(text, flat);
  const Platform platform{{1, 1}, 0};
  const NodeMemory memory(2, flat.data());
  return error_text([&] {
    static_cast<void>(
        choice.make({flat, platform, memory, choice.spec, Rng(1, Draw::strategy, 0)}));
  });
}

TEST(Strategies, AreSortedByNameAndNamedOnce) {
  const auto& table = strategies();

  ASSERT_FALSE(table.empty());
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_LT(table[i - 1].name, table[i].name);
}

TEST(Strategies, IncludeThoseOfHpdc14) {
  std::set<std::string> names;
  for (const auto& entry : strategies()) names.insert(entry.name);

  for (const auto* name : {"dynamic", "dynamic-2phases", "random", "sorted"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Strategies, AreDocumentedAndMakeable) {
  std::set<std::string> paper_names;
  for (const auto& entry : strategies()) {
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_TRUE(entry.make) << entry.name;
    for (const auto& option : entry.options) {
      EXPECT_FALSE(option.key.empty() || option.meaning.empty());
    }
    for (const char letter : entry.name) {  // kebab-case
      EXPECT_TRUE(std::islower(letter) != 0 || std::isdigit(letter) != 0 || letter == '-');
    }
    for (const auto& name : entry.paper_names) {
      if (!name.empty()) {
        EXPECT_TRUE(paper_names.insert(name).second) << name << " is taken";
      }
    }
    for (const auto& [name, options] : entry.aliases) {
      EXPECT_TRUE(paper_names.insert(name).second) << name << " is taken";
      EXPECT_EQ(Table<StrategyEntry>::find(name), nullptr) << name << " is a strategy";
      if (left_out_of_build(entry.name)) continue;
      EXPECT_NO_THROW((void)StrategyChoice::parse(name, flat)) << name;
    }
  }
}

/// IPDPS'22 calls by different names what options choose here: its DARTS evicts by LRU.
TEST(StrategyChoice, TakesOptionsThatThePapersNameMeans) {
  const auto text = [](const char* name) { return StrategyChoice::parse(name, flat).spec.text(); };
  EXPECT_EQ(text("DARTS"), "darts:eviction=lru");
  EXPECT_EQ(text("DARTS+LUF"), "darts");
  EXPECT_EQ(text("DARTS+LUF+OPTI-3inputs"), "darts:inputs=3,opti=true");
  EXPECT_EQ(text("mHFP:ready=5"), "hfp:ready=5,eviction=lru");
  EXPECT_EQ(text("darts"), "darts");
}

/// StarPU builds three modular schedulers that decide what another one decides.
TEST(StrategyChoice, TakesOtherNamesThatMeanNoOptions) {
  const auto text = [](const char* name) { return StrategyChoice::parse(name, flat).spec.text(); };
  EXPECT_EQ(text("modular-prio"), "prio");
  EXPECT_EQ(text("modular-prio:priorities=memory"), "prio:priorities=memory");
  EXPECT_EQ(text("modular-random"), "random-by-speed");
  EXPECT_EQ(text("modular-eager-prio"), "modular-prio-prefetching");
}

TEST(StrategyChoice, TakesThePapersNameWhereItFitsTheWorkload) {
  EXPECT_EQ(StrategyChoice::parse("DynamicOuter", flat).entry->name, "dynamic");
  EXPECT_EQ(StrategyChoice::parse("DynamicMatrix", deep).entry->name, "dynamic");
  EXPECT_EQ(StrategyChoice::parse("DynamicOuter2Phases:beta=3", flat).spec.text(),
            "dynamic-2phases:beta=3");
  EXPECT_EQ(
      refusal("DynamicOuter", deep),
      "strategy 'DynamicOuter' is the paper's name for 2 indices, but 'matrix:n=3' has 3; write 'DynamicMatrix'");
  EXPECT_EQ(
      refusal("SortedMatrix", flat),
      "strategy 'SortedMatrix' is the paper's name for 3 indices, but 'outer:n=4' has 2; write 'SortedOuter'");
}

TEST(StrategyChoice, RefusesUnknownNames) {
  const auto message = refusal("dynamic-2phase", flat);

  EXPECT_EQ(message,
            "unknown strategy 'dynamic-2phase'; did you mean 'dynamic-2phases'? "
            "`damocles list strategies` shows all " +
                std::to_string(strategies().size()));
}

TEST(StrategyChoice, RefusesUnknownOptions) {
  EXPECT_EQ(refusal("dynamic-2phases:bta=3", flat),
            "strategy 'dynamic-2phases' has no option 'bta'; did you mean 'beta'? valid: beta, "
            "tasks-left, eviction, buffer, patient");
  EXPECT_EQ(refusal("random:beta=3", flat),
            "strategy 'random' has no option 'beta'; valid: eviction, buffer, patient");
  EXPECT_EQ(refusal("random:3", flat),
            "strategy 'random:3': '3' is not key=value; keys are: eviction, buffer, patient");
}

/// A workload on which the strategy is defined.
Workload workload_for(const StrategyEntry& entry) {
  return why_unsupported(entry, flat).empty() ? flat : deep;
}

/// Between words and numbers: "auto or a number, at least 0" has three.
std::vector<std::string> parts_of(std::string text) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find(" or "); at != std::string::npos; at = text.find(" or ")) {
    text.replace(at, 4, ", ");
  }
  for (std::size_t at = text.find(", "); at != std::string::npos; at = text.find(", ")) {
    parts.push_back(text.substr(0, at));
    text.erase(0, at + 2);
  }
  parts.push_back(text);
  return parts;
}

TEST(StrategyChoice, RefusesAWrongValueOfEveryOptionBeforeAnythingRuns) {
  for (const auto& entry : strategies()) {
    if (left_out_of_build(entry.name)) continue;
    auto options = entry.options;
    for (const auto& option : common_options(entry)) options.push_back(option);
    for (const auto& option : options) {
      if (option.values.text() == "a file name") continue;  // the file is looked for
      for (const std::string wrong : {"nonsense", "-1", "nan", "1e999", "TRUE", "0x10"}) {
        const std::string text = entry.name + ":" + option.key + "=" + wrong;
        const std::string message = refusal(text, workload_for(entry));
        EXPECT_NE(message.find("'" + wrong + "'"), std::string::npos) << text << ": " << message;
        for (const auto& part : parts_of(option.values.text())) {
          EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
        }
      }
    }
  }
}

/// Each option alone has a valid value.
TEST(StrategyChoice, RefusesOptionsThatDoNotGoTogether) {
  const Workload graph = Workload::parse("gemm2d:n=3");
  EXPECT_EQ(
      refusal("portfolio:rank=bytes,use=hfp", graph),
      "strategy 'portfolio:rank=bytes,use=hfp': use says what to take, rank how to choose; give one of them");
  EXPECT_EQ(refusal("pheft:smallest=4,largest=3", graph),
            "strategy 'pheft:smallest=4,largest=3': smallest must be at most largest");
  EXPECT_EQ(
      refusal("hybrid:zones=nrrp", deep),
      "strategy 'hybrid:zones=nrrp': zones must be auto or cuboids on 'matrix:n=3', not 'nrrp'");
}

TEST(StrategyChoice, RefusesAWorkloadWhereTheStrategyIsNotDefined) {
  for (const auto& entry : strategies()) {
    for (const auto& workload : {flat, deep}) {
      if (!entry.unsupported_reason) continue;
      const auto why = entry.unsupported_reason(workload);
      if (why.empty()) continue;
      EXPECT_EQ(refusal(entry.name, workload),
                "strategy '" + entry.name + "' on '" + workload.text() + "': " + why);
    }
  }
}

TEST(DynamicTwoPhases, NeedsToKnowWherePhase2Starts) {
  EXPECT_EQ(
      make_refusal("dynamic-2phases"),
      "strategy 'dynamic-2phases': needs beta=NUMBER or tasks-left=NUMBER; damocles resolves beta=auto");
  EXPECT_EQ(make_refusal("dynamic-2phases:beta=3,tasks-left=4"),
            "strategy 'dynamic-2phases:beta=3,tasks-left=4': give beta or tasks-left, not both");
  for (const std::string option : {"beta", "tasks-left"}) {
    for (const std::string value : {"-1", "nan", "inf", "auto"}) {
      if (option == "beta" && value == "auto") continue;  // for damocles to resolve
      EXPECT_EQ(refusal("dynamic-2phases:" + option + "=" + value, flat),
                "strategy 'dynamic-2phases:" + option + "=" + value + "': " + option + " must be " +
                    (option == "beta" ? "auto or " : "") + "a number, at least 0, not '" + value +
                    "'");
    }
  }
}

}  // namespace
}  // namespace damocles::registry_test
