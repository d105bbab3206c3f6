#include "experiments/figures/claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/error.hpp"

namespace damocles {
namespace {

/// Whether `text` is `pattern`, where * stands for any letters.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') {
    return !text.empty() && pattern.front() == text.front() &&
           matches(pattern.substr(1), text.substr(1));
  }
  for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
    if (matches(pattern.substr(1), text.substr(skipped))) return true;
  }
  return false;
}

}  // namespace

std::vector<const Claim*> claims_named(const std::string& pattern) {
  std::vector<const Claim*> found;
  for (const auto& claim : claims()) {
    const bool of_paper = claim.name.starts_with(pattern + ".");
    if (of_paper || matches(pattern, claim.name)) found.push_back(&claim);
  }
  if (!found.empty()) return found;
  std::vector<std::string> of_papers;  // fig6: of each paper that has one
  for (const auto& claim : claims()) {
    if (claim.name.ends_with("." + pattern)) of_papers.push_back(claim.name);
  }
  if (!of_papers.empty()) {
    throw InvalidInput(fmt::format(
        "unknown claim '{}'; did you mean '{}'? {}", pattern, fmt::join(of_papers, "' or '"),
        all_names("valid", Table<Claim>::names(), command_to_list(Claim::list))));
  }
  std::vector<std::string> papers;
  for (const auto& claim : claims()) papers.push_back(claim.name.substr(0, claim.name.find('.')));
  const std::string paper = nearest(pattern, papers);
  if (paper.empty() || pattern.find('.') != std::string::npos) Table<Claim>::refuse(pattern);
  throw InvalidInput(
      fmt::format("unknown claim '{}'; did you mean the paper '{}'? {}", pattern, paper,
                  all_names("valid", Table<Claim>::names(), command_to_list(Claim::list))));
}

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::at_a_corner:
      return "holds but at a corner";
    case Verdict::in_direction:
      return "confirmed in direction";
    case Verdict::untestable:
      return "cannot be tested here";
    case Verdict::not_reproduced:
      return "not reproduced here";
    default:
      return "refuted";
  }
}

std::string to_string(Weight weight) { return weight == Weight::headline ? "headline" : "remark"; }

Finding conclude(const std::vector<Sentence>& sentences, const std::vector<Answer>& answers) {
  const Answer* worst = nullptr;
  const Answer* untested = nullptr;
  std::size_t headlines = 0;
  std::size_t confirmed = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (sentences[i].weight != Weight::headline) continue;
    const Answer& answer = answers.at(i);
    ++headlines;
    confirmed += answer.verdict == Verdict::confirmed ? 1 : 0;
    const Answer*& kept = answer.verdict == Verdict::untestable ? untested : worst;
    if (kept == nullptr || answer.verdict > kept->verdict) kept = &answer;
  }
  if (worst == nullptr) worst = untested;
  Finding finding{worst->verdict, worst->reason};
  if (headlines > 1 && confirmed < headlines) {
    if (!finding.reason.empty()) finding.reason += "; ";
    finding.reason += fmt::format("{} of {} headline sentences confirmed", confirmed, headlines);
  }
  return finding;
}

}  // namespace damocles
