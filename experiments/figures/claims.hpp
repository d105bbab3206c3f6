#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/studies/study.hpp"
#include "models/table.hpp"

namespace damocles {

/// What our runs say to a sentence, or to a claim; from the best to the worst.
enum class Verdict {
  confirmed,
  at_a_corner,     ///< holds but at a few points, which are named
  in_direction,    ///< the sign is the printed one, the size is not; by which factor is named
  untestable,      ///< a mechanism that it speaks of is absent here
  not_reproduced,  ///< the authors' machine shows it and ours does not; the cause is named
  refuted,         ///< fails in the authors' own setting
};
[[nodiscard]] std::string to_string(Verdict verdict);

/// What a figure stands or falls with, or what is said in passing.
enum class Weight { headline, remark };
[[nodiscard]] std::string to_string(Weight weight);

/// One sentence of a paper, shortened.
struct Sentence {
  std::string text;
  std::string place;  ///< section, as 3.4 or V-B e
  Weight weight = Weight::headline;
};

/// What becomes of a sentence.
struct Answer {
  Verdict verdict = Verdict::confirmed;
  std::string reason{};    ///< the factor, the corner, the cause; empty where confirmed
  std::string asked{};     ///< the check
  std::string measured{};  ///< what it gives on the authors' own raw data; empty where none exist
  std::string ours{};      ///< what it gives on our runs
};

/// What becomes of a claim.
struct Answers {
  std::vector<Answer> sentences;       ///< one for each of the claim's, in their order
  std::vector<std::string> also = {};  ///< numbers that decide nothing
  /// By model, for a figure that marks it on its axis.
  std::map<std::string, double> best_beta = {};
};

/// One claim of a paper, a figure or a number: how it is put to the test, and what it says.
struct Claim {
  static constexpr const char* what = "claim";
  static constexpr const char* list = "claims";
  std::string name;       ///< as hpdc14.fig6
  std::string statement;  ///< what the paper says, in one line
  std::string setting;    ///< workload, platform, runs
  std::vector<Sentence> sentences;
  /// The rows that answer it; empty where the analysis alone does.
  std::function<std::vector<Experiment>(std::uint64_t seed)> experiments;
  std::function<Answers(const std::vector<Record>& records, std::uint64_t seed)> judge;
};

/// The verdict of a claim, and what it rests on.
struct Finding {
  Verdict verdict;
  std::string reason;  ///< of the first sentence that decides; how many headlines are confirmed
};

/// The rule: the worst verdict among its headline sentences that can be tested, in the order of
/// Verdict; untestable where none can. Remarks never decide; a claim has a headline sentence.
[[nodiscard]] Finding conclude(const std::vector<Sentence>& sentences,
                               const std::vector<Answer>& answers);

/// Every claim, by name.
[[nodiscard]] inline const std::vector<Claim>& claims() { return Table<Claim>::entries(); }
/// The claims meant by a name, by a pattern with *, or by the name of a paper, as hpdc14. @throws
/// InvalidInput where it means none
[[nodiscard]] std::vector<const Claim*> claims_named(const std::string& pattern);

}  // namespace damocles
