// Part of every plug-in: names the sources of damocles that the plug-in was built against. The
// program reads it from the file before it runs any code of the plug-in (experiments/plugins.cpp).
#include <array>
#include <cstddef>
#include <string_view>

#include "damocles_sources.hpp"
#include "damocles_version.hpp"

namespace {

constexpr std::string_view mark = "damocles plug-in built against ";
constexpr std::string_view release = damocles::version;
constexpr std::string_view digest = damocles::sources;

/// The mark, and "0.1.0+1f3870be274f"; what is left of the array is zero.
constexpr auto mark_with_version() {
  std::array<char, mark.size() + release.size() + digest.size() + 2> text{};
  std::size_t end = 0;
  for (const std::string_view part : {mark, release, std::string_view("+"), digest}) {
    for (const char letter : part) text.at(end++) = letter;
  }
  return text;
}

}  // namespace

extern "C" {
extern const std::array<char, mark_with_version().size()> damocles_plugin_version;
constinit const std::array<char, mark_with_version().size()> damocles_plugin_version =
    mark_with_version();
}
