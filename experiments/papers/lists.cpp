// What `list claims` and `list sentences` show, of the module papers.
#include "experiments/commands/parts.hpp"
#include "experiments/figures/claims.hpp"

namespace damocles {

extern "C" void damocles_list_claims(std::vector<std::vector<std::string>>& rows) {
  for (const auto& claim : claims()) {
    rows.push_back({claim.name, claim.setting, claim.statement});
  }
}

extern "C" void damocles_list_sentences(std::vector<std::vector<std::string>>& rows) {
  for (const auto& claim : claims()) {
    for (const auto& sentence : claim.sentences) {
      rows.push_back({claim.name, to_string(sentence.weight), sentence.place, sentence.text});
    }
  }
}

}  // namespace damocles
