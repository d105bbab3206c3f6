#include "models/graph_files/graph_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_graph_bytes = 4'000'000'000;

/// "a, b or c"
std::string one_of(const std::vector<std::string>& words) {
  const auto last = words.end() - 1;
  return fmt::format("{} or {}", fmt::join(words.begin(), last, ", "), *last);
}

}  // namespace

const GraphFormat* graph_format_of(const std::string& path) {
  const auto ending = in_lower_case(std::filesystem::path(path).extension().string());
  for (const GraphFormat& format : Table<GraphFormat>::entries()) {
    const auto& also = format.also;
    if (format.name == ending || std::find(also.begin(), also.end(), ending) != also.end()) {
      return &format;
    }
  }
  return nullptr;
}

std::string endings_with_titles() {
  std::vector<std::string> words;
  for (const GraphFormat& format : Table<GraphFormat>::entries()) {
    words.push_back(fmt::format("{} ({})", format.name, format.title));
  }
  return one_of(words);
}

TaskGraph read_graph(const std::string& path, const GraphDefaults& defaults, std::string* digest) {
  const GraphFormat* const format = graph_format_of(path);
  if (format == nullptr) {
    throw InvalidInput(fmt::format("file '{}' ends in '{}'; a task graph ends in {}", path,
                                   in_lower_case(std::filesystem::path(path).extension().string()),
                                   endings_with_titles()));
  }
  const std::string right = "give a file that ends in " + one_of(Table<GraphFormat>::names());
  InputFile file(path, {.what = "task graph", .right = right, .most_bytes = most_graph_bytes});
  DigestingBuffer digesting(*file.stream().rdbuf());
  std::istream text(&digesting);
  text.exceptions(std::ios::badbit);  // a read that fails, or too much, is told by InputFile
  TaskGraph graph = format->read(text, path, defaults);
  if (digest != nullptr) *digest = digesting.hex();
  return graph;
}

}  // namespace damocles
