#include "models/graph_files/graph_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"
#include "models/platforms/bus_sampling.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_graph_bytes = 4'000'000'000;

constexpr std::size_t beginning_bytes = 65536;

const std::string& ending_of(const GraphFormat& format) {
  return format.ending.empty() ? format.name : format.ending;
}

/// Of the formats that share the ending of `usual` the one that the file begins as.
const GraphFormat& told_by_beginning(const GraphFormat& usual, const std::string& path,
                                     const InputKind& kind) {
  std::string beginning;
  for (const GraphFormat& format : Table<GraphFormat>::entries()) {
    if (format.begins == nullptr || format.ending != usual.name) continue;
    if (beginning.empty()) {
      InputFile file(path, kind);
      beginning.resize(beginning_bytes);
      file.stream().read(beginning.data(), beginning_bytes);
      beginning.resize(static_cast<std::size_t>(file.stream().gcount()));
    }
    if (format.begins(beginning)) return format;
  }
  return usual;
}

/// "a, b or c"
std::string one_of(const std::vector<std::string>& words) {
  const auto last = words.end() - 1;
  return fmt::format("{} or {}", fmt::join(words.begin(), last, ", "), *last);
}

}  // namespace

std::vector<std::string> graph_endings() {
  std::vector<std::string> endings;
  for (const GraphFormat& format : Table<GraphFormat>::entries()) {
    if (format.ending.empty()) endings.push_back(format.name);
  }
  return endings;
}

const GraphFormat* graph_format_of(const std::string& path) {
  const std::string ending = in_lower_case(std::filesystem::path(path).extension().string());
  const GraphFormat* const format = Table<GraphFormat>::find(ending);
  return format != nullptr && format->ending.empty() ? format : nullptr;
}

std::string endings_with_titles() {
  std::vector<std::string> words;
  for (const GraphFormat& format : Table<GraphFormat>::entries()) {
    words.push_back(fmt::format("{} ({})", ending_of(format), format.title));
  }
  return one_of(words);
}

TaskGraph read_graph(const std::string& path, const GraphDefaults& defaults, std::string* digest) {
  const GraphFormat* const format = graph_format_of(path);
  if (format == nullptr && is_bus_sampling(path)) throw InvalidInput(bus_sampling_advice(path));
  if (format == nullptr) {
    throw InvalidInput(fmt::format("file '{}' ends in '{}'; a task graph ends in {}", path,
                                   in_lower_case(std::filesystem::path(path).extension().string()),
                                   endings_with_titles()));
  }
  const std::string right = "give a file that ends in " + one_of(graph_endings());
  const InputKind kind{.what = "task graph", .right = right, .most_bytes = most_graph_bytes};
  const GraphFormat& told = told_by_beginning(*format, path, kind);
  InputFile file(path, kind);
  DigestingBuffer digesting(*file.stream().rdbuf());
  std::istream text(&digesting);
  text.exceptions(std::ios::badbit);  // a read that fails, or too much, is told by InputFile
  TaskGraph graph = told.read(text, path, defaults);
  if (digest != nullptr) *digest = digesting.hex();
  return graph;
}

}  // namespace damocles
