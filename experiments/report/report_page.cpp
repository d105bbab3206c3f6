// The page of a report: HTML, styles, scripts and data in one file.

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "experiments/origin.hpp"
#include "experiments/report/report.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/studies/summary.hpp"
#include "models/named_units.hpp"

namespace damocles {

// The files of page/, compiled in.
extern const char* const report_uplot_licence;
extern const char* const report_uplot_style;
extern const char* const report_style;
extern const char* const report_uplot;
extern const char* const report_parts;
extern const char* const report_tables;
extern const char* const report_specs;
extern const char* const report_charts;
extern const char* const report_results;
extern const char* const report_path;
extern const char* const report_gantt;
extern const char* const report_grid;
extern const char* const report_runs;
extern const char* const report_main;

namespace {

using Json = nlohmann::ordered_json;

/// HTML's own signs, harmless.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

/// JSON that no parser of HTML can take for the end of a script: a name may hold "</script>".
std::string without_tags(const std::string& json) {
  std::string result;
  result.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') {
      result += "\\u003c";
    } else {
      result += letter;
    }
  }
  return result;
}

/// "AMD EPYC 7763, 16 threads, Linux 6.1.0": where the report was written.
std::string this_machine() {
  std::string processor = "unknown processor";
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    const auto colon = line.find(": ");
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    processor = line.substr(colon + 2);
    break;
  }
  utsname system{};
  const bool known = uname(&system) == 0;
  return fmt::format(
      "{}, {} threads, {}", processor, std::thread::hardware_concurrency(),
      known ? fmt::format("{} {}", &system.sysname[0], &system.release[0]) : "unknown system");
}

/// Of replicates the means, as --summary has them; null where there are none.
Json json_of_means(const std::vector<Record>& records) {
  if (std::none_of(records.begin(), records.end(),
                   [](const Record& one) { return one.replicate.has_value(); })) {
    return nullptr;
  }
  const std::vector<Record> means = summarise(records);
  if (means.size() == records.size()) return nullptr;
  Json header = Json::array();
  const auto written = written_columns(means);
  for (const Column* const column : written) header.push_back(std::string(column->name));
  Json rows = Json::array();
  for (const Record& mean : means) {
    Json& row = rows.emplace_back(Json::array());
    for (const Column* const column : written) row.push_back(cell(mean, *column));
  }
  return {{"header", header}, {"rows", rows}};
}

/// The columns of results under names that a reader takes for what they are: `n`, of replicates, is
/// called runs; and without `mean` where it repeats the volume_ratio.
void clarify(Json& header, Json& rows) {
  const auto place_of = [&](const char* name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  if (const std::size_t n = place_of("n"); n < header.size()) header[n] = "runs";
  const std::size_t mean = place_of("mean");
  const std::size_t ratio = place_of("volume_ratio");
  if (mean == header.size() || ratio == header.size()) return;
  const Json no_text = "";
  const auto repeats = [&](const Json& row) {
    return row[mean] == no_text || row[mean] == row[ratio];
  };
  if (!std::all_of(rows.begin(), rows.end(), repeats)) return;
  header.erase(mean);
  for (Json& row : rows) row.erase(mean);
}

Json json_of_tables(const ReportContents& contents) {
  Json tables = Json::array();
  for (const ReportTable& table : contents.tables) {
    Json json{{"file", table.file},
              {"header", table.header},
              {"rows", table.rows},
              {"means", json_of_means(table.records)}};
    if (!table.records.empty()) {
      clarify(json["header"], json["rows"]);
      if (!json["means"].is_null()) clarify(json["means"]["header"], json["means"]["rows"]);
    }
    tables.push_back(std::move(json));
  }
  return tables;
}

/// Units by their names: how many of which base each is.
Json json_of_units() {
  Json units = Json::object();
  for (const NamedUnit& unit : named_units()) {
    units[unit.name] = {{"base", unit.base}, {"factor", unit.factor}};
  }
  return units;
}

Json json_of_files(const ReportContents& contents) {
  Json files = Json::array();
  for (const ReportFile& file : contents.files) {
    files.push_back({{"name", file.name},
                     {"kind", file.kind},
                     {"sha256", file.digest},
                     {"version", file.version}});
  }
  return files;
}

Json summary_of_contents(const ReportContents& contents) {
  Json summary = Json::array();
  for (const ReportTable& table : contents.tables) {
    const std::string of = contents.tables.size() > 1 ? table.file + ": " : "";
    for (const auto& finding : findings_of_table(table)) summary.push_back(of + finding);
  }
  for (const auto* const parts : {&contents.explanations, &contents.runs}) {
    for (const ReportPart& part : *parts) {
      if (!part.findings.empty()) summary.push_back(part.findings.front());
    }
  }
  if (contents.runs.size() == 2) {
    summary.push_back(comparison_of(*contents.runs[0].run, *contents.runs[1].run));
  }
  return summary;
}

std::string data_block(const ReportContents& contents) {
  const Json head{{"title", contents.title},
                  {"version", program_version()},
                  {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))},
                  {"machine", this_machine()},
                  {"summary", summary_of_contents(contents)},
                  {"files", json_of_files(contents)},
                  {"units", json_of_units()},
                  {"tables", json_of_tables(contents)}};
  std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  // Whole texts, not parsed again: a run may take tens of megabytes.
  const auto add = [&](const char* name, const std::vector<ReportPart>& parts) {
    text += fmt::format(",\"{}\":[", name);
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? "," : "") + parts[i].json;
    text += "]";
  };
  add("explanations", contents.explanations);
  add("runs", contents.runs);
  return without_tags(text + "}");
}

}  // namespace

std::string report_page(const ReportContents& contents) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>" +
      escaped(contents.title) + "</title>\n";
  for (const char* const style : {report_uplot_style, report_style}) {
    page += std::string("<style>\n") + style + "</style>\n";
  }
  page +=
      "</head>\n<body>\n<main id=\"report\"><noscript>This report needs JavaScript; it loads "
      "nothing from anywhere.</noscript></main>\n<script type=\"application/json\" id=\"data\">" +
      data_block(contents) + "</script>\n";
  for (const char* const script :
       {report_uplot, report_parts, report_tables, report_specs, report_charts, report_results,
        report_path, report_gantt, report_grid, report_runs, report_main}) {
    page += std::string("<script>\n") + script + "</script>\n";
  }
  return page + "<!-- uPlot, which draws the lines:\n" + report_uplot_licence +
         "-->\n</body>\n</html>\n";
}

}  // namespace damocles
