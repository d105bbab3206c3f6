#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

struct Header {
  std::uint64_t hyperedges = 0;
  std::uint64_t vertices = 0;
  bool hyperedge_weights = false;
  bool vertex_weights = false;
  std::size_t line = 0;
};

Header read_header(TextLines& lines) {
  constexpr auto right = "write 'hyperedges vertices' and the format, if any: 1, 10 or 11";
  if (!lines.next_content()) {
    lines.refuse_at(lines.number() + 1, fmt::format("the file ends here; {}", right));
  }
  const auto& words = lines.words();
  if (words.size() != 2 && words.size() != 3) {
    lines.refuse(fmt::format("'{}'; {}", shown(lines.text()), right));
  }
  Header header;
  header.line = lines.number();
  header.hyperedges = lines.whole(words[0], "the number of hyperedges", 0, most_items);
  header.vertices = lines.whole(words[1], "the number of vertices", 1, most_items);
  if (words.size() == 2) return header;
  const auto format = words[2];
  if (format != "0" && format != "1" && format != "10" && format != "11") {
    lines.refuse(fmt::format(
        "format '{}'; write 0, 1 (weights of hyperedges), 10 (of vertices) or 11 (both)",
        shown(format)));
  }
  header.hyperedge_weights = format == "1" || format == "11";
  header.vertex_weights = format == "10" || format == "11";
  return header;
}

/// The next line of a list, where all `count` must be there.
void expect(TextLines& lines, std::string_view what, std::uint64_t item, std::uint64_t count) {
  if (lines.next_content()) return;
  lines.refuse(fmt::format("the file ends after {} of {} {}; write the rest", item, count, what));
}

/// The next hyperedge. Without weights, a blank line is a hyperedge that has no vertices.
void expect_hyperedge(TextLines& lines, const Header& header, std::uint64_t edge) {
  if (header.hyperedge_weights) {
    expect(lines, "hyperedges", edge, header.hyperedges);
    return;
  }
  do {
    if (lines.next()) continue;
    lines.refuse(fmt::format("the file ends after {} of {} hyperedges; write the rest", edge,
                             header.hyperedges));
  } while (lines.text().starts_with('%'));
}

/// The size of the data item of a hyperedge: its weight, which may have a fraction, in units [B].
std::uint64_t weighted_bytes(const TextLines& lines, std::string_view word,
                             std::optional<std::uint64_t> unit) {
  const std::uint64_t most = most_bytes / std::max<std::uint64_t>(1, unit.value_or(1));
  if (parse_integer(word)) {
    return unit.value_or(1) * lines.whole(word, "the hyperedge's weight", 1, most);
  }
  const auto weight = signed_number(word);
  if (!weight || !(*weight > 0) || !(*weight <= static_cast<double>(most))) {
    lines.refuse(fmt::format("the hyperedge's weight is '{}'; write a number from 1 to {}",
                             shown(word), most));
  }
  const double bytes = std::round(*weight * static_cast<double>(unit.value_or(1)));
  if ((!unit && bytes != *weight) || bytes < 1) {
    lines.refuse(
        fmt::format("the hyperedge's weight is '{}', which is no whole number of bytes; "
                    "give the size of weight 1, as bytes=1MB",
                    shown(word)));
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

TaskGraph read_hmetis(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  TextLines lines(in, name);
  const Header header = read_header(lines);
  const double flop_unit = defaults.task_flops.value_or(1);

  TaskGraph::Parts parts;
  std::vector<std::pair<Index, Index>> entries;  // grows with the file, whatever the header says
  for (std::uint64_t edge = 0; edge < header.hyperedges; ++edge) {
    expect_hyperedge(lines, header, edge);
    const auto& words = lines.words();
    std::size_t first = 0;
    parts.bytes.push_back(header.hyperedge_weights
                              ? weighted_bytes(lines, words[first++], defaults.data_bytes)
                              : defaults.bytes());
    for (; first < words.size(); ++first) {
      const auto vertex = lines.whole(words[first], "the vertex", 1, header.vertices);
      entries.emplace_back(static_cast<Index>(vertex - 1), static_cast<Index>(edge));
    }
  }
  for (std::uint64_t v = 0; header.vertex_weights && v < header.vertices; ++v) {
    expect(lines, "weights of vertices", v, header.vertices);
    const auto& words = lines.words();
    const auto weight = words.size() == 1 ? signed_number(words[0]) : std::nullopt;
    if (!weight || !(*weight >= 0) || !(*weight * flop_unit <= most_flops)) {
      lines.refuse(fmt::format("the vertex's weight is '{}'; write one number from 0 to {}",
                               shown(lines.text()), most_flops / flop_unit));
    }
    parts.flops.push_back(*weight * flop_unit);
  }
  if (lines.next_content()) {
    lines.refuse(fmt::format(
        "more than the lines announced on line {}; correct one of them (a blank line is a hyperedge without vertices)",
        header.line));
  }
  check_count(lines, header.line, "vertices", header.vertices, entries.size() + parts.flops.size());
  if (!header.vertex_weights) parts.flops.assign(header.vertices, defaults.flops(header.vertices));
  set_inputs(parts, header.vertices, entries);
  return finished(std::move(parts), name);
}

void write_hgr(const TaskGraph& graph, std::ostream& out) {
  fmt::print(out, "% hyperedge = data, its weight in bytes; vertex = task, its weight in flops\n");
  fmt::print(out, "{} {} 11\n", graph.data(), graph.tasks());
  for (std::size_t d = 0; d < graph.data(); ++d) {
    const auto data = static_cast<Index>(d);
    fmt::print(out, "{}", graph.bytes(data));
    for (const Index task : graph.users(data)) fmt::print(out, " {}", task + 1);
    fmt::print(out, "\n");
  }
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    fmt::print(out, "{}\n", graph.flops(static_cast<Index>(t)));
  }
}

namespace {

const Register hmetis_format{GraphFormat{
    .name = ".hgr", .place = 2, .title = "hMETIS", .read = read_hmetis, .write = write_hgr}};

}  // namespace
}  // namespace damocles
