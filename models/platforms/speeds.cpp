#include <fmt/format.h>

#include "models/error.hpp"
#include "models/input_file.hpp"
#include "models/platforms/scenario.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_speeds_bytes = 32'000'000;  // of max_processors numbers

/// The numbers of one line, without its comment.
void add_speeds_of_line(std::string_view line, const std::string& where,
                        std::vector<double>& speeds) {
  constexpr std::string_view between = " \t\r,";
  line = line.substr(0, line.find('#'));
  for (auto at = line.find_first_not_of(between); at != std::string_view::npos;
       at = line.find_first_not_of(between)) {
    line.remove_prefix(at);
    const auto word = line.substr(0, line.find_first_of(between));
    if (speeds.size() == max_processors) {
      throw InvalidInput(fmt::format("{}: more than {} speeds", where, max_processors));
    }
    speeds.push_back(positive_speed(parse_number(word), fmt::format("{}: '{}'", where, word)));
    line.remove_prefix(word.size());
  }
}

Scenario speeds_of_file(const Spec& spec, const std::string& path) {
  constexpr InputKind kind{.what = "speed file",
                           .right = "give a text file with one speed a line",
                           .most_bytes = most_speeds_bytes};
  const std::string text = read_file(path, kind);
  SpeedSource source;
  std::string_view rest = text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const auto end = std::min(rest.find('\n'), rest.size());
    add_speeds_of_line(rest.substr(0, end), fmt::format("speed file '{}', line {}", path, line),
                       source.given);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (source.given.empty()) {
    throw InvalidInput(fmt::format("speed file '{}' has no speeds; {}", path, kind.right));
  }
  source.processors = source.given.size();
  Digest digest;
  digest.add(text);
  return Scenario::of_speeds(spec.text(), std::move(source), SourceFile{path, digest.hex()});
}

Scenario speeds(const Spec& spec) {
  for (const char* const key : {"file", "path"}) {
    if (spec.has(key)) spec.refuse("give the file as speeds:@FILE");
  }
  spec.allow({}, true);
  SpeedSource source;
  for (const auto& value : spec.values()) {
    if (value.starts_with('@')) {
      if (spec.values().size() > 1) spec.refuse("give numbers, or one file, as speeds:@FILE");
      return speeds_of_file(spec, value.substr(1));
    }
    source.given.push_back(positive_speed(parse_number(value),
                                          fmt::format("platform '{}': '{}'", spec.text(), value)));
  }
  if (source.given.empty()) {
    spec.refuse("needs at least one speed, as in speeds:80,100,150, or a file, as speeds:@FILE");
  }
  source.processors = source.given.size();
  return Scenario::of_speeds(spec.text(), std::move(source));
}

const Register speeds_form{PlatformForm{
    .name = "speeds",
    .place = 3,
    .form = {"speeds:80,100,150",
             "these speeds, in tasks per second; speeds:@FILE: those of a text file, separated by "
             "blanks, commas or line ends; # begins a comment"},
    .make = speeds}};

}  // namespace
}  // namespace damocles
