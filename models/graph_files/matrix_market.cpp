#include <fmt/format.h>

#include <algorithm>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// The first line: what stands in each entry, and which entries are left out.
struct Banner {
  std::size_t words = 2;  ///< of an entry: row, column and values
  bool pattern = false;   ///< entries need no value; some files have one nevertheless
  bool expanded = false;  ///< (i, j) stands for (j, i) too
  bool diagonal = true;   ///< entries (i, i) are allowed that are not 0
};

/// Of the words of an entry: whether its values are there, and all 0.
bool is_zero(const std::vector<std::string_view>& words) {
  return words.size() > 2 && std::all_of(words.begin() + 2, words.end(), [](std::string_view one) {
           return signed_number(one) == 0.0;
         });
}

Banner read_banner(TextLines& lines) {
  constexpr auto right = "%%MatrixMarket matrix coordinate real general";
  if (!lines.next()) lines.refuse_at(1, fmt::format("the file is empty; write {}", right));
  const auto& words = lines.words();
  // One '%' is what network-repository files have.
  const auto first = words.empty() ? "" : in_lower_case(words[0]);
  if ((first != "%%matrixmarket" && first != "%matrixmarket") || words.size() != 5) {
    lines.refuse(
        fmt::format("'{}' is no Matrix Market banner; write {}", shown(lines.text()), right));
  }
  if (in_lower_case(words[1]) != "matrix") {
    lines.refuse(fmt::format("object '{}'; write matrix", shown(words[1])));
  }
  if (in_lower_case(words[2]) == "array") {
    lines.refuse(
        "format 'array' is a dense matrix, of which every task reads all; write coordinate");
  }
  if (in_lower_case(words[2]) != "coordinate") {
    lines.refuse(fmt::format("format '{}'; write coordinate", shown(words[2])));
  }
  Banner banner;
  const auto field = in_lower_case(words[3]);
  banner.pattern = field == "pattern";
  if (field == "real" || field == "integer" || field == "unsigned-integer") {
    banner.words = 3;
  } else if (field == "complex") {
    banner.words = 4;
  } else if (!banner.pattern) {
    lines.refuse(fmt::format(
        "field '{}'; write pattern, real, integer, unsigned-integer or complex", shown(words[3])));
  }
  const auto symmetry = in_lower_case(words[4]);
  banner.expanded =
      symmetry == "symmetric" || symmetry == "hermitian" || symmetry == "skew-symmetric";
  banner.diagonal = symmetry != "skew-symmetric";
  if (!banner.expanded && symmetry != "general") {
    lines.refuse(fmt::format("symmetry '{}'; write general, symmetric, skew-symmetric or hermitian",
                             shown(words[4])));
  }
  return banner;
}

}  // namespace

TaskGraph read_matrix_market(std::istream& in, const std::string& name,
                             const GraphDefaults& defaults) {
  TextLines lines(in, name);
  const Banner banner = read_banner(lines);
  if (!lines.next_content()) lines.refuse("the file ends here; write 'rows columns entries'");
  if (lines.words().size() != 3) {
    lines.refuse(fmt::format("'{}'; write 'rows columns entries'", shown(lines.text())));
  }
  const auto rows = lines.whole(lines.words()[0], "the number of rows", 1, most_items);
  const auto columns = lines.whole(lines.words()[1], "the number of columns", 0, most_items);
  const auto count = lines.whole(lines.words()[2], "the number of entries", 0, most_items);
  const std::size_t size_line = lines.number();
  if (banner.expanded && rows != columns) {
    lines.refuse(fmt::format("a symmetric matrix of {} rows and {} columns; write as many of both",
                             rows, columns));
  }

  std::vector<std::pair<Index, Index>> entries;  // grows with the file, whatever the header says
  for (std::uint64_t entry = 0; entry < count; ++entry) {
    if (!lines.next_content()) {
      lines.refuse(
          fmt::format("the file ends after {} of {} entries; write the rest", entry, count));
    }
    const auto& words = lines.words();
    const bool valued_pattern = banner.pattern && words.size() == 3 && signed_number(words[2]);
    if (words.size() != banner.words && !valued_pattern) {
      lines.refuse(fmt::format("'{}' has {} words; write row, column and {} values",
                               shown(lines.text()), words.size(), banner.words - 2));
    }
    const auto row = static_cast<Index>(lines.whole(words[0], "the row", 1, rows) - 1);
    const auto column = static_cast<Index>(lines.whole(words[1], "the column", 1, columns) - 1);
    if (row == column && !banner.diagonal && !is_zero(words)) {
      lines.refuse(
          "a skew-symmetric matrix has zeros on its diagonal; write 0, or take the entry out");
    }
    entries.emplace_back(row, column);
    if (banner.expanded && row != column) entries.emplace_back(column, row);
  }
  if (lines.next_content()) {
    lines.refuse(fmt::format("more than the {} entries announced on line {}; correct one of them",
                             count, size_line));
  }
  check_count(lines, size_line, "rows", rows, entries.size());
  check_count(lines, size_line, "columns", columns, entries.size());

  TaskGraph::Parts parts;
  parts.bytes.assign(columns, defaults.bytes(columns));
  parts.flops.assign(rows, defaults.flops(rows));
  set_inputs(parts, rows, entries);
  return finished(std::move(parts), name);
}

namespace {

const Register matrix_market_format{
    GraphFormat{.name = ".mtx", .place = 1, .title = "Matrix Market", .read = read_matrix_market}};

}  // namespace
}  // namespace damocles
