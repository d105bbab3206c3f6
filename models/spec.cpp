#include "models/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "models/error.hpp"
#include "models/leading_number.hpp"
#include "models/unknown_key.hpp"

namespace damocles {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const auto last = text.find_last_not_of(" \t\r\n");
  return std::string(text.substr(first, last - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

constexpr std::string_view quoted_path = "path=\"";

/// Where the value of a key ends that begins as `path="`: behind its last quote; 0 where it does
/// not.
std::size_t end_of_quoted_path(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || !text.substr(first).starts_with(quoted_path)) return 0;
  for (auto at = text.find('"', first + quoted_path.size()); at != std::string_view::npos;
       at = text.find('"', at + 1)) {
    const auto next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next == std::string_view::npos || text[next] == ',') return at + 1;
  }
  return 0;
}

/// The keys of a spec: what commas separate, but for those in the quotes of a path.
std::vector<std::string> split_keys(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const auto at = text.find(',', end_of_quoted_path(text));
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// A path as `path=` takes it: in quotes where a part of it would be read as another key.
std::string path_in_spec(const std::string& path) {
  const bool more_than_one = path.find(',') != std::string::npos;
  const bool quoted = trimmed(path) != path || path.starts_with('"') ||
                      (more_than_one && path.find_first_of("= ") != std::string::npos);
  return quoted ? fmt::format("\"{}\"", path) : path;
}

/// Whether all of the text was read.
bool read_in_full(std::string_view text, const std::from_chars_result& read) {
  return !text.empty() && read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

/// Whether a text begins as `key=` does.
bool begins_with_key(std::string_view text) {
  const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_- \t");
  return end != std::string_view::npos && end > 0 && text[end] == '=';
}

/// Refuses `gpus=k=1` and `gpus,k=1`: the name ends with a colon.
void refuse_keys_without_colon(std::string_view text, std::string_view what) {
  const auto at = text.find_first_of("=,:");
  if (at == 0 || at == std::string_view::npos || text[at] == ':' ||
      !begins_with_key(text.substr(at + 1))) {
    return;
  }
  throw InvalidInput(fmt::format("{} '{}': write a colon after the name: {}:{}", what, text,
                                 text.substr(0, at), text.substr(at + 1)));
}

/// Refuses `p=37`: an option without a name.
void refuse_key_without_name(std::string_view text, std::string_view what) {
  const std::string key = trimmed(text);
  if (!begins_with_key(key) || key.find_first_of("./") != std::string::npos) return;
  throw InvalidInput(fmt::format("{} '{}': options stand behind a name; write NAME:{} (`{}`)", what,
                                 text, key, command_to_list(fmt::format("{}s", what))));
}

/// Refuses `k=1:memory=5data`. A file may be called so.
void refuse_colon_between_keys(std::string_view part, std::string_view text,
                               std::string_view what) {
  const auto at = part.find(':');
  if (at == std::string_view::npos || !begins_with_key(part.substr(at + 1)) ||
      part.starts_with("path=") || part.starts_with("placement=")) {
    return;
  }
  throw InvalidInput(fmt::format("{} '{}': separate keys with commas: {},{}", what, text,
                                 part.substr(0, at), part.substr(at + 1)));
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  if (!read_in_full(text, leading_number(text, value)) || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  std::uint64_t value = 0;
  if (!read_in_full(text, std::from_chars(text.data(), text.data() + text.size(), value))) {
    return std::nullopt;
  }
  return value;
}

Spec Spec::parse(std::string_view text, std::string_view what) {
  Spec spec;
  spec.what_ = what;
  const auto colon = text.find(':');
  spec.name_ = trimmed(text.substr(0, colon));
  if (spec.name_.empty()) {
    throw InvalidInput(
        fmt::format("{} '{}' has no name; write name or name:key=value,key=value", what, text));
  }
  refuse_keys_without_colon(text, what);
  refuse_key_without_name(text, what);
  if (colon == std::string_view::npos) return spec;
  for (const auto& part : split_keys(text.substr(colon + 1))) {
    refuse_colon_between_keys(part, text, what);
    const auto equals = part.find('=');
    if (end_of_quoted_path(part) == part.size() && !part.empty() && !spec.has("path")) {
      spec.set("path", part.substr(quoted_path.size(), part.size() - quoted_path.size() - 1));
      continue;
    }
    if (part.empty()) {
      throw InvalidInput(fmt::format(
          "{} '{}': an option is empty; leave out its comma, or colon, or write key=value", what,
          text));
    }
    if (equals == 0 || equals + 1 == part.size()) {
      throw InvalidInput(fmt::format("{} '{}': '{}' is not key=value", what, text, part));
    }
    if (equals == std::string::npos) {
      // A path may hold commas; what follows it without a key is more of it.
      if (!spec.order_.empty() && spec.order_.back() == "path") {
        spec.options_["path"] += "," + part;
      } else {
        spec.values_.push_back(part);
      }
      continue;
    }
    const auto key = trimmed(std::string_view(part).substr(0, equals));
    if (spec.has(key)) {
      throw InvalidInput(fmt::format("{} '{}' gives '{}' twice; give it once", what, text, key));
    }
    spec.set(key, trimmed(std::string_view(part).substr(equals + 1)));
  }
  spec.given_ = text;
  return spec;
}

std::string Spec::text() const {
  std::vector<std::string> parts = values_;
  for (const auto& key : order_) {
    const std::string& value = options_.at(key);
    parts.push_back(key + "=" + (key == "path" ? path_in_spec(value) : value));
  }
  return parts.empty() ? name_ : fmt::format("{}:{}", name_, fmt::join(parts, ","));
}

Spec Spec::renamed(std::string name) const {
  Spec result = *this;
  result.name_ = std::move(name);
  result.given_.clear();
  return result;
}

Spec Spec::keyed(const std::string& key) const {
  if (values_.empty() || has(key)) return *this;
  Spec result = *this;
  result.values_.clear();
  result.given_.clear();
  result.order_.insert(result.order_.begin(), key);
  result.options_[key] = fmt::format("{}", fmt::join(values_, ","));
  return result;
}

void Spec::set(const std::string& key, const std::string& value) {
  given_.clear();
  if (!has(key)) order_.push_back(key);
  options_[key] = value;
}

void Spec::refuse(std::string_view why) const {
  throw InvalidInput(fmt::format("{} '{}': {}", what_, given_.empty() ? text() : given_, why));
}

void Spec::allow(std::span<const std::string> keys, bool positional) const {
  for (const auto& key : order_) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      const bool has_spread = std::find(keys.begin(), keys.end(), "spread") != keys.end();
      throw UnknownKey(key, fmt::format("{} '{}' has no option '{}'; {}{}", what_, name_, key,
                                        valid_names(key, keys, command_to_list(name_)),
                                        has_spread ? "" : set_elsewhere(key)));
    }
  }
  if (!positional && !values_.empty()) {
    // What a workload or a platform is of stands first: its size.
    const bool sized = !keys.empty() && what_ != "strategy" && !has(keys.front());
    refuse(
        fmt::format("'{}' is not key=value; {}{}", values_.front(),
                    sized ? fmt::format("did you mean {}={}? ", keys.front(), values_.front()) : "",
                    all_names("keys are", keys, command_to_list(name_))));
  }
}

std::optional<std::string> Spec::word(std::string_view key) const {
  const auto found = options_.find(key);
  return found == options_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> Spec::number(std::string_view key, double lowest, double highest) const {
  const auto text = word(key);
  if (!text) return std::nullopt;
  const auto value = parse_number(*text);
  if (!value || *value < lowest || *value > highest) {
    refuse(std::isinf(highest) || highest > 1e300
               ? fmt::format("{} must be a number, at least {}", key, lowest)
               : fmt::format("{} must be a number from {} to {}", key, lowest, highest));
  }
  return *value + 0.0;  // of -0, 0
}

std::optional<std::uint64_t> Spec::integer(std::string_view key, std::uint64_t lowest,
                                           std::uint64_t highest) const {
  const auto text = word(key);
  if (!text) return std::nullopt;
  const auto value = parse_integer(*text);
  if (!value || *value < lowest || *value > highest) {
    refuse(fmt::format("{} must be a whole number from {} to {}", key, lowest, highest));
  }
  return value;
}

std::vector<std::string> split_specs(std::string_view list) {
  std::vector<std::string> specs;
  for (const auto& part : split(list, ',')) {
    const bool option = part.find('=') != std::string::npos &&
                        (part.find(':') == std::string::npos || part.find('=') < part.find(':'));
    const bool continues = !specs.empty() && specs.back().find(':') != std::string::npos &&
                           (option || parse_number(part).has_value());
    if (continues) {
      specs.back() += "," + part;
    } else {
      specs.push_back(part);
    }
  }
  return specs;
}

std::vector<std::string> once_each(std::vector<std::string> names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    names.erase(std::remove(std::next(name), names.end(), *name), names.end());
  }
  return names;
}

}  // namespace damocles
