#pragma once

#include <toml++/toml.h>

#include <string>

#include "models/input_file.hpp"

namespace damocles {

/// A TOML file of ours: at most 1 MB, tables and lists at most 16 deep, keys of at most 16 parts,
/// no NUL.
/// These are checked before toml++ (3.3) sees the text, as it follows dots by recursion without a
/// bound, and copies what it has at each.
/// @throws InvalidInput naming file and line
[[nodiscard]] toml::table read_toml(const std::string& path, const InputKind& kind);

/// The same of a text; `where` is what errors call it: "platform file 'x.toml'".
[[nodiscard]] toml::table parse_toml(std::string_view text, std::string_view where);

inline constexpr std::uint64_t most_toml_bytes = 1'000'000;

}  // namespace damocles
