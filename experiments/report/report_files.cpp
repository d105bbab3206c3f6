// Files of a report: what they are, and what they hold.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/explain/explained_recording.hpp"
#include "experiments/explain/explanation_output.hpp"
#include "experiments/explain/findings.hpp"
#include "experiments/report/report.hpp"
#include "experiments/report/run_picture.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/stated_digest.hpp"
#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"
#include "models/platforms/memory_limits.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

using Json = nlohmann::ordered_json;

constexpr InputKind report_input{
    "file of a report", "give what a command wrote with -o, --record or --trace", 2'000'000'000};

[[noreturn]] void refuse_report_file(const std::string& file, std::string_view why) {
  throw InvalidInput(fmt::format(
      "'{}' {}; give results (CSV, JSON), a recording (--record), a trace (--trace x.json), or an explanation (explain -o x.json)",
      file, why));
}

/// As cells of CSV have it: nothing for null, numbers as they are written.
std::string cell_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Rows of one object each, under the names of all.
ReportTable rows_of_objects(const std::string& file, const std::vector<Json>& objects) {
  ReportTable table{.file = file, .header = {}, .rows = {}};
  for (const Json& object : objects) {
    if (!object.is_object()) refuse_report_file(file, "has a record that is no object");
    for (const auto& [name, value] : object.items()) {
      const auto known = std::find(table.header.begin(), table.header.end(), name);
      if (known == table.header.end()) table.header.push_back(name);
    }
  }
  for (const Json& object : objects) {
    auto& row = table.rows.emplace_back();
    for (const std::string& name : table.header) {
      row.push_back(object.contains(name) ? cell_of(object[name]) : "");
    }
  }
  return table;
}

ReportTable rows_of_csv(const std::string& file, const std::string& text) {
  ReportTable table{.file = file, .header = {}, .rows = {}};
  CsvReader rows(text, file);
  if (!rows.next(table.header)) refuse_report_file(file, "is empty");
  for (std::vector<std::string> row; rows.next(row);) {
    if (row.size() != table.header.size()) {
      throw InvalidInput(fmt::format(
          "{}:{}: {}, but the header has {}; write one value for each column", file, rows.line(),
          counted(row.size(), "value"), counted(table.header.size(), "column")));
    }
    table.rows.push_back(row);
  }
  return table;
}

/// What a file of JSON says it is; "" where it does not.
std::string kind_in(const Json& json) {
  if (!json.is_object() || !json.contains("damocles")) return "";
  return cell_of(json["damocles"]);
}

/// Whether the columns are those of `beta` or of `trajectory`, which are no records.
bool is_other_table(const std::vector<std::string>& header) {
  const auto has = [&](std::string_view name) {
    return std::find(header.begin(), header.end(), name) != header.end();
  };
  return has("recommended_beta") || has("quantity");
}

void add_result_table(ReportContents& contents, ReportTable table) {
  std::string text = csv_line(table.header);
  for (const auto& row : table.rows) text += csv_line(row);
  if (!is_other_table(table.header)) table.records = parse_csv(text, table.file);
  if (!table.records.empty()) contents.files.back().version = table.records.front().version;
  contents.files.back().kind = table.records.empty() ? "table" : "results";
  contents.tables.push_back(std::move(table));
}

/// What is JSON on every line, of results as --format jsonl writes them.
std::vector<Json> lines_of_json(const std::string& text) {
  std::vector<Json> objects;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) objects.push_back(Json::parse(text.substr(at, end - at), nullptr, false));
    at = end + 1;
  }
  return objects;
}

ReportPart part_of_explanation(const std::string& file, const Json& json) {
  ReportPart part{json.dump()};
  if (!json.contains("runs") || !json["runs"].is_array()) {
    refuse_report_file(file, "has no list \"runs\", so it is no explanation");
  }
  for (const Json& run : json["runs"]) {
    if (!run.is_object() || !run.contains("findings") || !run["findings"].is_array()) {
      refuse_report_file(file, "has a run without \"findings\", so it is no explanation");
    }
    for (const Json& finding : run["findings"]) part.findings.push_back(cell_of(finding));
  }
  return part;
}

void add_json(ReportContents& contents, const std::string& file, const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const std::string kind = kind_in(json);
  if (kind == "decisions") {
    contents.files.back().kind = "recording";
    add_recorded_run(contents, file);
  } else if (kind == "explanation") {
    contents.files.back().kind = "explanation";
    check_digest(fmt::format("explanation '{}'", file), text);
    contents.explanations.push_back(part_of_explanation(file, json));
  } else if (!kind.empty()) {
    refuse_report_file(
        file,
        fmt::format("is of the unknown kind '{}'; known are 'decisions' and 'explanation'", kind));
  } else if (json.is_object() && json.contains("traceEvents")) {
    contents.files.back().kind = "trace";
    check_digest(fmt::format("trace '{}'", file), text);
    add_traced_runs(contents, file, text);
  } else if (json.is_object() && json.contains("records") && json["records"].is_array()) {
    add_result_table(contents, rows_of_objects(file, json["records"].get<std::vector<Json>>()));
    contents.files.back().version = cell_of(json.value("version", Json()));
  } else {
    const std::vector<Json> lines = lines_of_json(text);
    const auto broken = [](const Json& line) { return line.is_discarded() || !line.is_object(); };
    if (lines.empty() || std::any_of(lines.begin(), lines.end(), broken)) {
      refuse_report_file(file, json.is_discarded() ? "is no JSON" : "is no JSON of Damocles");
    }
    add_result_table(contents, rows_of_objects(file, lines));
  }
}

}  // namespace

void add_recorded_run(ReportContents& contents, const std::string& file) {
  ExplainedRun run = explained_recording(
      file, {.check = [](const Experiment&) {},
             .instead =
                 [](const Record& record) {
                   return fmt::format(
                       "give a trace of such a run: `damocles {} {} --trace trace.json`",
                       record.source == "executed" ? "run" : "simulate", same_request(record));
                 }});
  RunPicture picture = picture_of(traced_run(run.workload, run.platform, run.record, run.events));
  picture.measured = run.measured;
  const auto memory = memory_bytes(*run.platform.machine, run.workload);
  for (std::size_t p = 0; p < picture.processors.size(); ++p) {
    if (memory[p] < home_bytes) picture.processors[p].memory_bytes = memory[p];
  }
  Explanation why = explain(run);
  picture.path = why.path.links;
  const ExplainedAnswer answer{std::move(run), std::move(why)};
  Json explanation = explanation_object({answer});
  // The picture has the links, and of a long path a part of them; here are its sums.
  explanation["runs"][0]["critical_path"].erase("links");
  contents.runs.push_back({picture_json(picture, std::move(explanation)),
                           findings(answer.run, answer.why), shown_run(picture)});
}

ReportContents read_report_files(const std::vector<std::string>& names) {
  ReportContents contents{.title = ""};
  for (const std::string& name : names) {
    const std::string text = read_file(name, report_input);
    Digest digest;
    digest.add(text);
    contents.files.push_back({name, "", digest.full_hex()});
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) refuse_report_file(name, "is empty");
    if (text[first] == '{' || text[first] == '[') {
      add_json(contents, name, text);
    } else {
      add_result_table(contents, rows_of_csv(name, text));
    }
  }
  return contents;
}

}  // namespace damocles
