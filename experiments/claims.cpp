#include "experiments/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/error.hpp"

namespace damocles {
namespace {

std::vector<Claim>& table() {
  static std::vector<Claim> all;
  return all;
}

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

RegisterClaims::RegisterClaims(std::vector<Claim> entries) {
  for (auto& entry : entries) {
    const auto at = std::lower_bound(table().begin(), table().end(), entry,
                                     [](const Claim& a, const Claim& b) { return a.id < b.id; });
    table().insert(at, std::move(entry));
  }
}

const std::vector<Claim>& claims() { return table(); }

std::vector<const Claim*> claims_named(const std::string& pattern) {
  std::vector<const Claim*> found;
  std::vector<std::string> ids;
  for (const auto& claim : claims()) {
    if (matches(pattern, claim.id)) found.push_back(&claim);
    ids.push_back(claim.id);
  }
  if (found.empty()) refuse_unknown("claim", pattern, ids);
  return found;
}

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::refuted:
      return "refuted";
    default:
      return "not reproducible here";
  }
}

}  // namespace damocles
