#include "experiments/figures/policy_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

using Run = PolicyRuns::Run;

constexpr std::size_t runs_a_policy = 3;
/// Two means that differ by less are alike.
constexpr double alike = 0.02;

/// Confirmed, or not reproduced: the handbook names no machine, so that ours may be another.
Answer on_this_machine(bool holds, std::string asked, std::string ours) {
  Answer answer = holds_or_not(holds, std::move(asked), std::move(ours));
  if (holds) return answer;
  answer.verdict = Verdict::not_reproduced;
  answer.reason = "not on this machine; the handbook names none";
  return answer;
}

}  // namespace

PolicyRuns::PolicyRuns(const std::vector<Record>& records) {
  for (const Record& row : records) {
    if (!row.makespan_s || !row.bytes_loaded) continue;
    runs_[{row.workload + " on " + row.platform, row.strategy}].push_back(
        {*row.makespan_s, row.makespan_ratio.value_or(0), *row.bytes_loaded,
         row.energy_j.value_or(0)});
  }
}

const std::vector<Run>& PolicyRuns::runs(const PolicyCase& of, const std::string& policy) const {
  static const std::vector<Run> none;
  const auto at = runs_.find({of.workload + " on " + of.platform, policy});
  return at == runs_.end() ? none : at->second;
}

double PolicyRuns::mean(const PolicyCase& of, const std::string& policy,
                        double Run::*member) const {
  const auto& all = runs(of, policy);
  double sum = 0;
  for (const Run& run : all) sum += run.*member;
  return all.empty() ? 0 : sum / static_cast<double>(all.size());
}

PolicyCheck at_most(double most, const std::string& what, double Run::*member, const PolicyCase& of,
                    const std::string& a, const std::string& b) {
  return {{{of, a}, {of, b}}, [=](const PolicyRuns& runs) {
            const double mine = runs.mean(of, a, member);
            const double other = runs.mean(of, b, member);
            return on_this_machine(other > 0 && mine <= most * other,
                                   fmt::format("{} of {} at most {:.3g} times those of {}: {}",
                                               what, a, most, b, of.name),
                                   fmt::format("{:.3g} times", other > 0 ? mine / other : 0));
          }};
}

PolicyCheck ends_before(const PolicyCase& of, const std::string& a, const std::string& b) {
  return at_most(1 - alike, "makespans", &Run::makespan_s, of, a, b);
}

PolicyCheck moves_fewer(const PolicyCase& of, const std::string& a, const std::string& b) {
  return at_most(1 - alike, "bytes", &Run::bytes, of, a, b);
}

PolicyCheck ends_near_the_bound(const PolicyCase& of, const std::string& policy, double share) {
  return {{{of, policy}}, [=](const PolicyRuns& runs) {
            const double over = runs.mean(of, policy, &Run::over_bound);
            return on_this_machine(over > 0 && over <= 1 + share,
                                   fmt::format("{} ends within {} of the bound on any schedule: {}",
                                               policy, percent(share), of.name),
                                   fmt::format("{:+.1f} %", 100 * (over - 1)));
          }};
}

namespace {

PolicyCheck runs_are(bool same, const PolicyCase& of, const std::string& a, const std::string& b) {
  return {{{of, a}, {of, b}}, [=](const PolicyRuns& runs) {
            const bool equal = runs.runs(of, a) == runs.runs(of, b);
            return on_this_machine(equal == same && !runs.runs(of, a).empty(),
                                   fmt::format("{} and {} make {} runs: {}", a, b,
                                               same ? "the same" : "other", of.name),
                                   equal ? "the same" : "others");
          }};
}

}  // namespace

PolicyCheck same_runs(const PolicyCase& of, const std::string& a, const std::string& b) {
  return runs_are(true, of, a, b);
}

PolicyCheck other_runs(const PolicyCase& of, const std::string& a, const std::string& b) {
  return runs_are(false, of, a, b);
}

PolicyCheck all_checks(const std::vector<PolicyCheck>& checks) {
  PolicyCheck all;
  for (const auto& check : checks) {
    all.asks.insert(all.asks.end(), check.asks.begin(), check.asks.end());
  }
  all.answer = [checks](const PolicyRuns& runs) {
    Answer worst;
    std::string asked;
    std::string ours;
    for (const auto& check : checks) {
      const Answer one = check.answer(runs);
      asked += (asked.empty() ? "" : "; ") + one.asked;
      ours += (ours.empty() ? "" : "; ") + one.ours;
      if (one.verdict > worst.verdict) worst = one;
    }
    worst.asked = asked;
    worst.ours = ours;
    return worst;
  };
  return all;
}

PolicyCheck untested(const std::string& why) {
  return {{}, [why](const PolicyRuns&) { return Answer{Verdict::untestable, why}; }};
}

Claim policy_claim(const std::string& name, const std::string& statement,
                   const std::string& setting,
                   const std::vector<std::pair<Sentence, PolicyCheck>>& tests) {
  Claim claim{name, statement, setting, {}, {}, {}};
  for (const auto& [sentence, check] : tests) claim.sentences.push_back(sentence);
  claim.experiments = [tests](std::uint64_t seed) {
    std::vector<Experiment> experiments;
    std::set<std::string> asked;
    for (const auto& [sentence, check] : tests) {
      for (const auto& [of, policy] : check.asks) {
        if (!asked.insert(of.workload + of.platform + policy).second) continue;
        experiments.push_back({.workload = Workload::parse(of.workload),
                               .scenario = Scenario::parse(of.platform),
                               .strategies = {policy},
                               .replicates = runs_a_policy,
                               .seed = seed});
      }
    }
    return experiments;
  };
  claim.judge = [tests](const std::vector<Record>& records, std::uint64_t) {
    const PolicyRuns runs(records);
    Answers answers;
    for (const auto& [sentence, check] : tests) answers.sentences.push_back(check.answer(runs));
    return answers;
  };
  return claim;
}

}  // namespace damocles
