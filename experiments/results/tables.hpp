#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// How a table is set.
struct TableStyle {
  std::size_t width = 0;  ///< columns of the screen; 0: as wide as it comes
  bool colour = false;
};

/// For standard output where `output` is empty: fitted to a terminal, in colour there unless
/// NO_COLOR is set or TERM is dumb; plain and as wide as it comes in a file or pipe.
[[nodiscard]] TableStyle style_for(const std::filesystem::path& output);

/// A table with aligned columns, numbers to the right, words to the left; its first row is the
/// head. Columns without any value are left out. Where it is wider than the screen, words are
/// wrapped within their column; where that does not do, the columns come in several blocks, each of
/// which begins with the first column.
[[nodiscard]] std::string aligned(std::vector<std::vector<std::string>> rows,
                                  const TableStyle& style = {});

/// The same for entries with sentences, as lists have them. Where a column of sentences would be
/// narrower than 40 letters, the sentences stand below the line of their entry, indented.
[[nodiscard]] std::string aligned_entries(std::vector<std::vector<std::string>> rows,
                                          const TableStyle& style);

/// Takes out of such a table the columns in which no row has a value.
void drop_blank_columns(std::vector<std::vector<std::string>>& rows);

/// Takes columns out of such a table, in the order of `first_out`, until it is no wider than
/// `width`.
/// @return the names of those taken out
std::vector<std::string> fit(std::vector<std::vector<std::string>>& rows, std::size_t width,
                             std::span<const std::string_view> first_out);

/// Lines of prose, broken between words where they are wider than the screen.
[[nodiscard]] std::string wrapped(const std::string& lines, const TableStyle& style);

/// The same cells as a Markdown table; the first row is its head.
[[nodiscard]] std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

/// The same as a LaTeX tabular, ruled by the package booktabs.
[[nodiscard]] std::string latex_table(const std::vector<std::vector<std::string>>& rows);

/// A number as a cell of such a table, by a {fmt} format; a dash where there is none.
[[nodiscard]] std::string number_cell(const std::optional<double>& value, const char* format);
/// How much more a value is than a reference, as a share of it: 0 where they are equal, zeros too;
/// infinite where only the reference is 0.
[[nodiscard]] double relative_difference(double value, double reference);
/// A share in per cent with its sign, as +1.6 %; a dash where there is none.
[[nodiscard]] std::string signed_percent(const std::optional<double>& share);

}  // namespace damocles
