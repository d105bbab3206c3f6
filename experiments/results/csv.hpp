#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// The columns of this group and of those before it.
[[nodiscard]] std::vector<const Column*> written_columns(Group widest);
/// Those of every row, and of each other group of which some record has a value.
[[nodiscard]] std::vector<const Column*> written_columns(const std::vector<Record>& records);

/// All, but for those of movements and of energies where no record has one: of files that are added
/// to, once whole.
[[nodiscard]] std::vector<const Column*> lasting_columns(const std::vector<Record>& records);

/// The header and one line of these columns.
[[nodiscard]] std::string csv_header(const std::vector<const Column*>& written);
[[nodiscard]] std::string csv_line(const Record& record, const std::vector<const Column*>& written);
/// The same of the columns of this group and of those before it.
[[nodiscard]] std::string csv_header(Group widest);
[[nodiscard]] std::string csv_line(const Record& record, Group widest);
/// One line of any other table (RFC 4180, lines end in LF): values with a comma, a quote or a line
/// break stand in quotes, quotes within them twice.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& values);

/// All records as CSV.
[[nodiscard]] std::string to_csv(const std::vector<Record>& records);

/// Takes CSV apart, row by row: RFC 4180, so that quoted values may hold commas, quotes, line
/// breaks and any other byte. Lines end in LF or CRLF; empty lines, and the mark (BOM) that
/// spreadsheets put before everything, are skipped.
///
/// Ours, because neither CSV library of Debian 12 keeps this contract. fast-cpp-csv-parser splits
/// the file into lines first, so no value may hold a line break, and it fixes the number of columns
/// at compile time. libcsv ends a row at a lone CR and does not tell the line of a row: that of
/// an error would need one call a byte, and counting of our own around it. That is as long as this
/// reader.
class CsvReader {
 public:
  /// `where` is what errors call the text, which must outlive this.
  CsvReader(std::string_view text, std::string where);
  /// Reads the next row; false where there is none. @throws InvalidInput on a misplaced quote
  bool next(std::vector<std::string>& values);
  /// The line on which that row began, from 1.
  [[nodiscard]] std::size_t line() const { return row_line_; }
  /// Whether the text ended within quotes.
  [[nodiscard]] bool open_quote() const { return open_quote_; }

 private:
  void quoted(std::string& value);
  bool end_of_row();

  std::string_view text_;
  std::string where_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
  bool open_quote_ = false;
};

/// The records of CSV text under any of our columns, in any order.
/// @throws InvalidInput naming file and line where a row does not fit the header
[[nodiscard]] std::vector<Record> parse_csv(std::string_view text, const std::string& where);

/// Reads a CSV file of records. @throws InvalidInput as parse_csv
[[nodiscard]] std::vector<Record> read_csv(const std::filesystem::path& path);

}  // namespace damocles
