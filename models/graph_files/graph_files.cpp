#include "models/graph_files/graph_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <utility>

#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t most_graph_bytes = 4'000'000'000;

using Reader = Bipartite (*)(std::istream&, const std::string&, const GraphDefaults&);

Reader reader_of(const std::string& path) {
  static constexpr std::array<std::pair<std::string_view, Reader>, 4> readers{{
      {".mtx", read_matrix_market},
      {".hgr", read_hmetis},
      {".json", read_json},
      {".rec", read_tasks_rec},
  }};
  auto ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [known, reader] : readers) {
    if (ending == known) return reader;
  }
  throw InvalidInput(
      fmt::format("file '{}' ends in '{}'; a task graph ends in .mtx (Matrix Market), .hgr "
                  "(hMETIS), .json (our own) or .rec (StarPU's tasks.rec)",
                  path, ending));
}

}  // namespace

Bipartite read_graph(const std::string& path, const GraphDefaults& defaults, std::string* digest) {
  const Reader read = reader_of(path);
  InputFile file(path, {.what = "task graph",
                        .right = "give a file that ends in .mtx, .hgr, .json or .rec",
                        .most_bytes = most_graph_bytes});
  DigestingBuffer digesting(*file.stream().rdbuf());
  std::istream text(&digesting);
  text.exceptions(std::ios::badbit);  // a read that fails, or too much, is told by InputFile
  Bipartite graph = read(text, path, defaults);
  if (digest != nullptr) *digest = digesting.hex();
  return graph;
}

}  // namespace damocles
