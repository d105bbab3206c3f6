// The one place that knows how a status is spelt in result files.
#include "models/runs/status.hpp"

#include <fmt/format.h>

#include <array>

namespace damocles {
namespace {

struct Spelling {
  Status::Kind kind;
  std::string_view word;
  bool has_reason;  ///< whether ": " and a reason may follow
};

constexpr std::array<Spelling, 7> spellings{
    {{Status::Kind::none, "", false},
     {Status::Kind::ok, "ok", false},
     {Status::Kind::unverified, "unverified", false},
     {Status::Kind::infeasible, "infeasible", true},
     {Status::Kind::failed, "failed", true},
     {Status::Kind::no_model, "no model", true},
     {Status::Kind::outside_domain, "outside the formula's domain", false}}};

constexpr std::string_view not_finite = " is not finite";
constexpr std::string_view colon = ": ";

}  // namespace

std::string status_text(const Status& status) {
  for (const auto& [kind, word, has_reason] : spellings) {
    if (kind != status.kind) continue;
    return status.reason.empty() ? std::string(word)
                                 : fmt::format("{}{}{}", word, colon, status.reason);
  }
  return status.kind == Status::Kind::not_finite ? fmt::format("{}{}", status.reason, not_finite)
                                                 : status.reason;
}

Status parse_status(std::string_view text) {
  for (const auto& [kind, word, has_reason] : spellings) {
    if (text == word) return {kind};
    if (!has_reason || !text.starts_with(word)) continue;
    const std::string_view rest = text.substr(word.size());
    if (rest.starts_with(colon)) return {kind, std::string(rest.substr(colon.size()))};
  }
  if (!text.ends_with(not_finite)) return {Status::Kind::other, std::string(text)};
  return {Status::Kind::not_finite, std::string(text.substr(0, text.size() - not_finite.size()))};
}

}  // namespace damocles
