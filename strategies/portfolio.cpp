#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "orders/portfolio_candidates.hpp"
#include "strategies/eviction/eviction_choice.hpp"
#include "strategies/parts/foresight.hpp"
#include "strategies/parts/forwarding.hpp"

namespace damocles {
namespace {

/// A candidate as it is written in an option, where a colon would start options of its own.
std::string in_option(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ':' || c == '='; }, '-');
  return name;
}

std::vector<std::string> all_in_option() {
  std::vector<std::string> all;
  for (const char* const candidate : portfolio_candidates) all.push_back(in_option(candidate));
  return all;
}

std::string use_and_rank(const Spec& spec, const Workload& /*workload*/) {
  return spec.has("use") && spec.has("rank")
             ? "use says what to take, rank how to choose; give one of them"
             : "";
}

/// The strategy that a simulated run shows to be best here: each candidate is simulated on the
/// platform, then the best is made and does everything.
///
/// What is simulated is `portfolio:use=CANDIDATE`, so a candidate runs as it will run here, its own
/// eviction policy included, and nothing is simulated within a simulation. Costs what making and
/// simulating all candidates costs, once a run.
/// Source: ours.
class Portfolio final : public Forwarding, public EvictionChoice {
 public:
  explicit Portfolio(const StrategyContext& context) : Portfolio(context, chosen(context)) {}

  [[nodiscard]] std::string eviction() const override { return choice_.eviction(); }

 private:
  Portfolio(const StrategyContext& context, StrategyChoice choice)
      : Forwarding(choice.make({context.workload, context.platform, context.memory, choice.spec,
                                context.rng, context.memory_bytes})),
        choice_(std::move(choice)) {}

  struct Candidate {
    std::string name;
    Foreseen run;
  };

  static StrategyChoice chosen(const StrategyContext& context) {
    const bool by_bytes = word_of(context.spec, "rank", "makespan") == "bytes";
    const auto use = context.spec.word("use");
    const std::string name = use ? named(*use) : best(simulated(context), by_bytes);
    return StrategyChoice::parse(name, context.workload);
  }

  static std::string named(const std::string& use) {
    return *std::find_if(portfolio_candidates.begin(), portfolio_candidates.end(),
                         [&](const char* candidate) { return use == in_option(candidate); });
  }

  static std::vector<Candidate> simulated(const StrategyContext& context) {
    std::string common;
    for (const char* const key : {"buffer", "eviction", "patient"}) {
      if (const auto word = context.spec.word(key)) common += fmt::format(",{}={}", key, *word);
    }
    std::vector<Candidate> result;
    for (const char* const name : portfolio_candidates) {
      const auto one = StrategyChoice::parse(
          context.spec.name() + ":use=" + in_option(name) + common, context.workload);
      result.push_back({name, foresight()(context.workload, context.platform, one)});
    }
    return result;
  }

  static std::string best(std::vector<Candidate> all, bool by_bytes) {
    double fastest_s = std::numeric_limits<double>::infinity();
    for (const Candidate& one : all) fastest_s = std::min(fastest_s, one.run.makespan_s);
    if (!by_bytes) {
      std::erase_if(all, [&](const Candidate& one) {
        return one.run.makespan_s > portfolio_slower_at_most * fastest_s;
      });
    }
    const auto best =
        std::min_element(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
          return std::pair(a.run.moved, a.run.makespan_s) <
                 std::pair(b.run.moved, b.run.makespan_s);
        });
    return best->name;
  }

  StrategyChoice choice_;
};

const Register portfolio_entry{StrategyEntry{
    .name = "portfolio",
    .source = "ours",
    .summary = "Simulate several strategies and use the best",
    .options =
        {{"rank",
          "what to choose by: makespan (default): within 1 % of the fastest, the fewest bytes moved; bytes: "
          "the fewest bytes moved",
          OptionValues::words({"makespan", "bytes"})},
         {"use", "take this candidate and simulate none", OptionValues::words(all_in_option())}},
    .make = make<Portfolio>,
    .misfit = use_and_rank,
    .loads_implicit = true,
    .eviction = "chosen",
    .loads_ahead = true,
    .whole_graph = true}};

}  // namespace
}  // namespace damocles
