#include <algorithm>

#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"

namespace damocles {
namespace {

/// A line a task: the data it reads, from 0.
TaskGraph read_adjacency(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  TextLines lines(in, name);
  TaskGraph::Parts parts;
  std::size_t data = 0;
  while (lines.next_content()) {
    std::vector<TaskGraph::Index> reads;
    for (const auto word : lines.words()) {
      const auto read = lines.whole(word, "the data", 0, most_empty);
      reads.push_back(static_cast<TaskGraph::Index>(read));
      data = std::max<std::size_t>(data, read + 1);
    }
    parts.add_task(reads, defaults.flops());
  }
  parts.bytes.assign(data, defaults.bytes());
  return finished(std::move(parts), name);
}

const Register adjacency_format{
    GraphFormat{.name = ".adj", .place = 100, .title = "adjacency lists", .read = read_adjacency}};

}  // namespace
}  // namespace damocles
