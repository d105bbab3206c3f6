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

std::string paper_of(const std::string& claim) { return claim.substr(0, claim.find('.')); }

std::string digits_of(std::string text) {
  std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
  return text;
}

/// Of a paper that is there: its claims. Another number is another figure, and no slip.
void refuse_claim_of_paper(const std::string& pattern) {
  const std::string paper = in_lower_case(paper_of(pattern));
  std::vector<std::string> names;
  std::vector<std::string> behind;  // without the paper
  for (const auto& claim : claims()) {
    if (paper_of(claim.name) != paper || paper.size() == pattern.size()) continue;
    names.push_back(claim.name);
    behind.push_back(claim.name.substr(paper.size() + 1));
  }
  if (names.empty()) return;
  const std::string guess = nearest(pattern, names);
  const bool same_number = digits_of(guess) == digits_of(pattern);
  throw InvalidInput(
      fmt::format("unknown claim '{}'; {}{} has {}", pattern,
                  guess.empty() || !same_number ? "" : fmt::format("did you mean '{}'? ", guess),
                  paper, fmt::join(behind, ", ")));
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
  refuse_claim_of_paper(pattern);
  std::vector<std::string> papers;
  for (const auto& claim : claims()) papers.push_back(paper_of(claim.name));
  const std::string paper = nearest(paper_of(pattern), papers);
  if (paper.empty()) Table<Claim>::refuse(pattern);
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
