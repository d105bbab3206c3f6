// Reports: results and runs on one page of HTML that needs nothing else.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// A table of results as its file has it.
struct ReportTable {
  std::string file;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<Record> records{};  ///< the rows; none where the columns are another command's
};

/// A run on the page, as far as others are compared with it.
struct ShownRun {
  std::string strategy;
  std::string workload;
  std::string platform;
  bool measured = false;  ///< its times are those of an executed run, else simulated
  double makespan_s = 0;
  std::optional<double> loads{};
};

/// What the page's scripts are given as JSON: a run, or an explanation of runs.
struct ReportPart {
  std::string json;
  std::vector<std::string> findings{};  ///< what it says, in sentences
  std::optional<ShownRun> run{};        ///< of a run
};

/// A file that the report was made from.
struct ReportFile {
  std::string name;
  std::string kind;       ///< "results", "recording", ...
  std::string digest;     ///< SHA-256, 64 hexadecimal digits
  std::string version{};  ///< of the program that wrote it, where the file says so
};

/// All that a page shows.
struct ReportContents {
  std::string title;
  std::vector<ReportTable> tables{};
  std::vector<ReportPart> runs{};
  std::vector<ReportPart> explanations{};
  std::vector<ReportFile> files{};
};

/// Reads files that other commands wrote: results (CSV, JSON, JSON Lines), tables of `beta` and
/// `trajectory`, recordings, traces (JSON) and explanations. Recorded decisions are carried out
/// again in virtual time, so that the page can show and explain every event.
/// @throws InvalidInput naming the file and what is wrong in it
[[nodiscard]] ReportContents read_report_files(const std::vector<std::string>& names);

/// The part of the contents that a file without rows gives: a recording, a trace, an explanation.
void add_recorded_run(ReportContents& contents, const std::string& file);
void add_traced_runs(ReportContents& contents, const std::string& file, const std::string& text);

/// What a table says in words. Of results: the best strategy at each point, and how far predicted
/// and executed loads are from simulated ones. Of a table of `beta`: the threshold to use.
[[nodiscard]] std::vector<std::string> findings_of_table(const ReportTable& table);

/// One sentence on two runs: how long each took, and what it loaded. On their times only where both
/// are measured or both are simulated.
[[nodiscard]] std::string comparison_of(const ShownRun& one, const ShownRun& other);

/// HTML with its styles, scripts and data inside; it loads nothing.
[[nodiscard]] std::string report_page(const ReportContents& contents);

}  // namespace damocles
