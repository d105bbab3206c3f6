#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/record.hpp"

namespace damocles {

/// The header and one line for these records; summary columns where any record has one.
[[nodiscard]] std::string csv_header(bool summary);
[[nodiscard]] std::string csv_line(const Record& record, bool summary);
/// One line of any other table: values with a comma, a quote or a line break stand in quotes.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& values);
[[nodiscard]] bool has_summary(const std::vector<Record>& records);

/// The columns that stand in a file of records; those of a summary only where it has some.
[[nodiscard]] std::vector<const Column*> written_columns(bool summary);

/// All records as CSV.
[[nodiscard]] std::string to_csv(const std::vector<Record>& records);

/// Reads CSV that csv_line wrote. A last line without its end is what a killed run left: dropped.
/// @throws InvalidInput naming file and line where a row does not fit the header
[[nodiscard]] std::vector<Record> read_csv(const std::filesystem::path& path);

}  // namespace damocles
