#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/record.hpp"

namespace damocles {

enum class Format { table, csv, json };

/// @throws InvalidInput on another word than table, csv, json
[[nodiscard]] Format format_named(const std::string& name);

/// The header and one line for these records; summary columns where any record has one.
[[nodiscard]] std::string csv_header(bool summary);
[[nodiscard]] std::string csv_line(const Record& record, bool summary);
/// One line of any other table: values with a comma, a quote or a line break stand in quotes.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& values);
[[nodiscard]] bool has_summary(const std::vector<Record>& records);

/// All records as CSV, as `{"command":…, "version":…, "records":[…]}`, or as a table for eyes.
[[nodiscard]] std::string to_csv(const std::vector<Record>& records);
[[nodiscard]] std::string to_json(const std::vector<Record>& records, const std::string& command);
[[nodiscard]] std::string to_table(const std::vector<Record>& records);

/// Reads CSV that csv_line wrote. A last line without its end is what a killed run left: dropped.
/// @throws InvalidInput naming file and line where a row does not fit the header
[[nodiscard]] std::vector<Record> read_csv(const std::filesystem::path& path);

/// One row a (source, model, strategy, workload, platform): means, n, sd and 95 % confidence
/// interval of the volume ratio (Student's t). Other values keep where all rows agree.
[[nodiscard]] std::vector<Record> summarise(const std::vector<Record>& records);

/// A table with aligned columns: numbers to the right, words to the left.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// The same cells as a Markdown table; the first row is its head.
[[nodiscard]] std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

/// A number as a cell of such a table, by a {fmt} format; a dash where there is none.
[[nodiscard]] std::string shown(const std::optional<double>& value, const char* format);

/// Writes `text` to standard output where `named` is empty, else to the file, whole or not at all;
/// a device or FIFO is written through, links are followed. @throws InvalidInput where it cannot be
void write_output(const std::filesystem::path& named, const std::string& text);
/// Refuses early, before hours of work, a path that write_output could not write.
void check_writable(const std::filesystem::path& named);

}  // namespace damocles
