// Tables of results: the best first, equal rows folded, and a sentence below.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/tables.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// What a user may ask of a table of results.
struct TableChoice {
  std::string sort{};                  ///< column to sort by; "": the one that decides
  std::size_t top = 0;                 ///< rows shown; 0: all
  std::vector<std::string> columns{};  ///< shown in this order; none: those that matter and fit
  bool wide = false;                   ///< all columns, however wide
  bool fold = false;                   ///< show one row for strategies that hardly differ
  std::vector<std::string> usual{};    ///< of such strategies one of these is named, if any
};

/// Records as a table for people.
///
/// The records are of one workload and platform, one for each strategy or prediction. Simulated
/// ones are sorted by makespan where memory is limited, else by loads. Executed ones are sorted by
/// bytes loaded, as measured times differ from call to call. Predictions keep their order. What all
/// records share stands above the table: sizes, lower bounds, the number of runs. The best strategy
/// stands below, with its distance from the lower bound and from a usual default.
struct ResultTable {
  std::string heading;
  std::vector<std::vector<std::string>> cells;  ///< the first row is the head
  std::string closing;
};

/// In the order in which they are left out where the screen is narrow; other columns stay.
inline constexpr std::array<std::string_view, 15> first_left_out{
    "n",     "ci95",       "sd",      "eviction",     "planned_makespan_s",
    "beta",  "energy_j",   "home_ms", "MB summed",    "MB written",
    "error", "scheduling", "gflops",  "scheduling_s", "volume_ratio"};

/// @throws InvalidInput on a column that does not exist, or that cannot be sorted by
[[nodiscard]] ResultTable result_table(std::vector<Record> records, const TableChoice& choice);
/// Refuses such columns before anything runs. @throws InvalidInput
void check_columns(const TableChoice& choice);

/// How many of its first rows a table shows.
[[nodiscard]] std::size_t shown_rows(const TableChoice& choice);
/// Takes out all rows but the first `most`, and says so below; 0: takes out none.
void keep_first_rows(ResultTable& table, std::size_t most);

/// For a terminal or a text file: columns that do not fit are left out, in the order of
/// `first_out`, and named below.
[[nodiscard]] std::string table_text(const ResultTable& table, const TableChoice& choice,
                                     const TableStyle& style,
                                     std::span<const std::string_view> first_out = first_left_out);

/// Whether a greater value of this column is a better one, so that it stands first.
[[nodiscard]] bool greatest_first(std::string_view column);
/// The column by which records are ranked, see ResultTable; "" where they keep their order.
[[nodiscard]] std::string_view deciding_column(const std::vector<Record>& records);
/// What all records share: sizes, lower bounds, the number of runs; and `order`, in words. Ends in
/// an empty line.
[[nodiscard]] std::string heading_of(const std::vector<Record>& records, const std::string& order);
/// How the column sorts, in words: "fastest first".
[[nodiscard]] std::string order_in_words(std::string_view column);
/// Sorts by a column of numbers: the least first, of rates the greatest. Failed runs, and records
/// without a value, come last.
void rank(std::vector<Record>& records, std::string_view column);
/// Of records that follow each other and hardly differ keeps one, a usual strategy where there is
/// one, and adds to its name how many more there are: "dmda (+2)".
/// @return lines that name the others
std::string fold(std::vector<Record>& records, const std::vector<std::string>& usual);
/// "best: darts, 1.0 % above the lower bound; ...", which names no strategy but of the first
/// `shown` rows; "" where nothing ran.
/// @param ranked  by `column`, makespan_s or loads; folded where the table is
[[nodiscard]] std::string best_line(const std::vector<Record>& ranked, std::string_view column,
                                    std::size_t shown = std::numeric_limits<std::size_t>::max());

}  // namespace damocles
