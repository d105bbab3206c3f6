#include "models/graph_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <utility>

#include "models/digest.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

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
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InvalidInput(fmt::format("cannot read '{}': it is a folder; name a file in it", path));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw InvalidInput(fmt::format("cannot read '{}'; check that it is there and readable", path));
  }
  DigestingBuffer digesting(*in.rdbuf());
  std::istream text(&digesting);
  Bipartite graph = read(text, path, defaults);
  if (text.bad()) throw InvalidInput(fmt::format("cannot read all of '{}'", path));
  if (digest != nullptr) *digest = digesting.hex();
  return graph;
}

}  // namespace damocles
