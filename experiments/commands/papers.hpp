// What the module papers offers (models/modules.hpp): the commands `reproduce` and `measured`, and
// the lists of claims. Its sources are figures/, measured/ and papers/; no other call needs them,
// so a first build does not wait for them.
#pragma once

#include <string>
#include <vector>

namespace damocles {
class Command;

/// Adds the claims, or the sentences, to the rows of a list; nothing where the module is not built.
void add_claims(std::vector<std::vector<std::string>>& rows);
void add_sentences(std::vector<std::vector<std::string>>& rows);

/// Refuses, with what builds it. @throws InvalidInput where the module is not built
void need_papers(const std::string& what);

extern "C" {
void damocles_set_up_reproduce(Command& command) __attribute__((weak));
void damocles_set_up_measured(Command& command) __attribute__((weak));
void damocles_list_claims(std::vector<std::vector<std::string>>& rows) __attribute__((weak));
void damocles_list_sentences(std::vector<std::vector<std::string>>& rows) __attribute__((weak));
}

}  // namespace damocles
