#include "models/graph_files/graph_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"
#include "models/platforms/bus_sampling.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_graph_bytes = 4'000'000'000;

constexpr std::size_t beginning_bytes = 65536;

/// The first bytes of a file, or of standard input where the path is "-".
std::string beginning_of(const std::string& path, const InputKind& kind) {
  if (path == "-") return standard_input(kind).substr(0, beginning_bytes);
  InputFile file(path, kind);
  std::string beginning(beginning_bytes, '\0');
  file.stream().read(beginning.data(), beginning_bytes);
  beginning.resize(static_cast<std::size_t>(file.stream().gcount()));
  return beginning;
}

/// The format that shares this ending and as which the file begins, or nothing.
const GraphFormat* told_by_beginning(const std::string& ending, const std::string& path,
                                     const InputKind& kind) {
  std::optional<std::string> beginning;
  for (const GraphFormat& format : Table<GraphFormat>::entries()) {
    const auto& also = format.also_called;
    const bool shares =
        format.ending == ending || std::find(also.begin(), also.end(), ending) != also.end();
    if (format.begins == nullptr || !shares) continue;
    if (!beginning) beginning = beginning_of(path, kind);
    if (format.begins(*beginning)) return &format;
  }
  return nullptr;
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
    if (!format.ending.empty()) continue;
    endings.push_back(format.name);
    endings.insert(endings.end(), format.also.begin(), format.also.end());
  }
  return endings;
}

std::string endings_in_words() { return one_of(graph_endings()) + ", each also packed as .gz"; }

const GraphFormat* graph_format_of(const std::string& path) {
  const auto ending = in_lower_case(std::filesystem::path(path).extension().string());
  for (const GraphFormat& format : Table<GraphFormat>::entries()) {
    if (!format.ending.empty()) continue;
    const auto& also = format.also;
    if (format.name == ending || std::find(also.begin(), also.end(), ending) != also.end()) {
      return &format;
    }
  }
  return nullptr;
}

namespace {

/// Without the .gz of a packed file.
std::string unpacked_path(const std::string& path) {
  auto file = std::filesystem::path(path);
  if (in_lower_case(file.extension().string()) == ".gz") file.replace_extension();
  return file.string();
}

}  // namespace

const GraphFormat* format_of_graph_file(const std::string& path) {
  return graph_format_of(unpacked_path(path));
}

namespace {

/// The endings of all formats, as ".mtx (Matrix Market), .hgr (hMETIS) or ...".
std::string endings_with_titles() {
  std::vector<std::string> words;
  for (const GraphFormat& format : Table<GraphFormat>::entries()) {
    std::vector<std::string> endings{format.ending.empty() ? format.name : format.ending};
    endings.insert(endings.end(), format.also.begin(), format.also.end());
    words.push_back(fmt::format("{} ({})", fmt::join(endings, " or "), format.title));
  }
  return one_of(words);
}

/// "1 task has", "2 tasks have"
std::string have(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}", counted(count, what), count == 1 ? "has" : "have");
}

}  // namespace

std::vector<std::string> Assumed::notes(const std::string& file) const {
  std::vector<std::string> texts;
  if (tasks > 0) {
    texts.push_back(fmt::format("{} no flops; {:.3g} GFlop assumed each (flops= gives another)",
                                have(tasks, "task"), usual_task_flops / 1e9));
  }
  if (idle_tasks > 0) {
    texts.push_back(
        fmt::format("{} no flops, but others have; 0 assumed each (flops= gives another)",
                    have(idle_tasks, "task")));
  }
  if (data > 0) {
    texts.push_back(fmt::format("{} no size; {:.3g} MB assumed each (bytes= gives another)",
                                have(data, "data item"),
                                static_cast<double>(usual_data_bytes) / 1e6));
  }
  texts.insert(texts.end(), others.begin(), others.end());
  for (std::string& text : texts) text = fmt::format("file '{}': {}", file, text);
  return texts;
}

namespace {

/// The format that was named, that of the ending, or that as which the file begins.
const GraphFormat& format_of(const std::string& path, const std::string& named,
                             const InputKind& kind) {
  if (!named.empty()) {
    if (const GraphFormat* const format = graph_format_of("x." + named)) return *format;
    std::vector<std::string> words;
    for (const std::string& ending : graph_endings()) words.push_back(ending.substr(1));
    throw InvalidInput(fmt::format("format={}; write {}", named, one_of(words)));
  }
  if (path == "-") {
    throw InvalidInput(
        "standard input has no ending that says its format; write one, as file:path=-,format=json");
  }
  if (const GraphFormat* const format = format_of_graph_file(path)) return *format;
  if (is_bus_sampling(path)) throw InvalidInput(bus_sampling_advice(path));
  std::error_code unknown;  // such as a folder that may not be read
  if (std::filesystem::is_directory(path, unknown)) {
    throw InvalidInput(fmt::format("'{}' is a folder; give a task graph file", path));
  }
  const auto ending =
      in_lower_case(std::filesystem::path(unpacked_path(path)).extension().string());
  if (std::filesystem::is_regular_file(path, unknown)) {
    if (const GraphFormat* const told = told_by_beginning(ending, path, kind)) return *told;
  }
  throw InvalidInput(fmt::format(
      "file '{0}' ends in '{1}'; a task graph ends in {2}, each also packed as .gz; for another ending name the format, as in file:path={0},format=dot",
      path, in_lower_case(std::filesystem::path(path).extension().string()),
      endings_with_titles()));
}

}  // namespace

TaskGraph read_graph(const std::string& path, const GraphDefaults& defaults, SourceFile* source,
                     const std::string& format_name) {
  const InputKind kind{.what = "task graph",
                       .right = "give a task graph file; `damocles list file` shows the formats",
                       .most_bytes = most_graph_bytes};
  const GraphFormat& usual = format_of(path, format_name, kind);
  const GraphFormat* const told = told_by_beginning(usual.name, path, kind);
  const GraphFormat& format = told != nullptr ? *told : usual;
  std::istringstream standard;
  std::optional<InputFile> file;
  if (path == "-") {
    standard.str(standard_input(kind));
  } else {
    file.emplace(path, kind);
  }
  DigestingBuffer digesting(file ? *file->stream().rdbuf() : *standard.rdbuf());
  std::istream text(&digesting);
  text.exceptions(std::ios::badbit);  // a read that fails, or too much, is told by InputFile
  Assumed assumed;
  GraphDefaults said = defaults;
  said.assumed = &assumed;
  TaskGraph graph = format.read(text, path, said);
  if (source != nullptr) *source = {path, digesting.hex(), assumed.notes(path)};
  return graph;
}

}  // namespace damocles
