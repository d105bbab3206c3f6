// `damocles cite`: what to cite for the rows of a store, and the commands that made them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

#include "experiments/commands/command.hpp"
#include "experiments/results/output_file.hpp"
#include "experiments/results/store.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"
#include "strategies/registry.hpp"

namespace damocles {

extern const char* const citation;  ///< CITATION.cff, embedded by CMake

namespace {

/// What CITATION.cff says of the program.
struct Citation {
  std::string title;
  std::string version;
  std::string date;  ///< of its release, 2026-11-21
  std::vector<std::string> authors;

  [[nodiscard]] std::string year() const { return date.substr(0, date.find('-')); }
};

/// The text behind the first colon, without blanks and quotes.
std::string value_behind_colon(const std::string& line) {
  std::string value = line.substr(std::min(line.find(':') + 1, line.size()));
  const auto is_around = [](char letter) { return letter == ' ' || letter == '"'; };
  while (!value.empty() && is_around(value.back())) value.pop_back();
  value.erase(value.begin(), std::find_if_not(value.begin(), value.end(), is_around));
  return value;
}

/// Reads of the YAML what our file has: keys at the begin of a line, and authors with one name.
Citation parsed_citation(const std::string& text) {
  Citation result;
  std::istringstream lines(text);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) section = line.substr(0, line.find(':'));
    if (section == "title") result.title = value_behind_colon(line);
    if (section == "version") result.version = value_behind_colon(line);
    if (section == "date-released") result.date = value_behind_colon(line);
    if (section == "authors" && line.starts_with("  - name:")) {
      result.authors.push_back(value_behind_colon(line));
    }
  }
  return result;
}

/// The strategies of the rows without their options, each with the paper it is from.
std::map<std::string, std::string> sources_of_strategies(ResultStore& store) {
  std::map<std::string, std::string> sources;
  store.each_row([&](const Record& row) {
    const std::string name = row.strategy.substr(0, row.strategy.find(':'));
    if (name.empty() || sources.contains(name)) return;
    const auto known = std::find_if(strategies().begin(), strategies().end(),
                                    [&](const StrategyEntry& one) { return is_called(one, name); });
    sources[name] = known == strategies().end() ? "" : known->source;
  });
  return sources;
}

std::string text_of_study(const StoredStudy& study) {
  std::string text =
      fmt::format("{}. {}\n   {}, version {}, seed {}, {}\n   on {}\n", study.id, study.command,
                  study.date, study.version, study.seed, counted(study.rows, "row"), study.machine);
  if (study.sweep_file.empty()) return text;
  text += "   its file:\n";
  std::istringstream lines(study.sweep_file);
  for (std::string line; std::getline(lines, line);) {
    text += line.empty() ? "\n" : "     " + line + "\n";
  }
  return text;
}

std::string text_of_citation(const std::string& file, ResultStore& store) {
  const Citation cited = parsed_citation(citation);
  const auto studies = store.studies();
  std::uint64_t rows = 0;
  for (const StoredStudy& study : studies) rows += study.rows;
  std::string text = fmt::format("{}. {}. Version {}, {}.\n\n", fmt::join(cited.authors, ", "),
                                 cited.title, cited.version, cited.year());
  text +=
      fmt::format("{}: {} of {}. A command makes its rows again, by the version that it names.\n\n",
                  file, counted(rows, "row"),
                  studies.size() == 1 ? "1 study" : fmt::format("{} studies", studies.size()));
  for (const StoredStudy& study : studies) text += text_of_study(study) + "\n";
  text += "Strategies, and where they are from:\n";
  for (const auto& [name, source] : sources_of_strategies(store)) {
    text += fmt::format("  {}: {}\n", name, source.empty() ? "no paper" : source);
  }
  return text;
}

/// An entry for a bibliography; commands stand in its note.
std::string bibtex_of_citation(ResultStore& store) {
  const Citation cited = parsed_citation(citation);
  std::set<std::string> versions;
  std::set<std::string> seeds;
  for (const StoredStudy& study : store.studies()) {
    versions.insert(study.version);
    seeds.insert(study.seed);
  }
  return fmt::format(
      "@software{{damocles,\n  author = {{{{{}}}}},\n  title = {{{}}},\n  version = {{{}}},\n"
      "  year = {{{}}},\n  note = {{rows made by {}; seed {}}}\n}}\n",
      fmt::join(cited.authors, "}} and {{"), cited.title, cited.version, cited.year(),
      fmt::join(versions, ", "), fmt::join(seeds, ", "));
}

struct CiteOptions {
  std::string file;
  std::string format = "text";
  std::string output;
};

void cite(const CiteOptions& options) {
  const std::vector<std::string> formats{"text", "bibtex"};
  if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
    refuse_unknown("format", options.format, formats);
  }
  check_writable(options.output);
  check_outputs({{"-o", options.output}}, {{"store", options.file}});
  ResultStore store(options.file, ResultStore::Use::read);
  write_output(options.output, options.format == "text" ? text_of_citation(options.file, store)
                                                        : bibtex_of_citation(store));
}

void set_up_cite(Command command) {
  const auto options = std::make_shared<CiteOptions>();
  command.argument("FILE.db", options->file,
                   "a store of rows, as `damocles sweep --store` writes it");
  command.option("--format", options->format, "NAME",
                 "text, or bibtex for a bibliography (default text)");
  command.option("-o,--output", options->output, "FILE",
                 "write to FILE, atomically, instead of standard output");
  command.footer(
      "EXAMPLES\n"
      "  damocles cite study.db\n"
      "  damocles cite study.db --format bibtex -o damocles.bib\n");
  command.runs([options] { cite(*options); });
}

const Register cite_command{CommandEntry{
    .name = "cite",
    .place = 104,
    .description =
        "Say how to cite the rows of a store and how to make them again. "
        "The answer names the program and its version and, of each study, the command, the date, the machine and the seed. "
        "It also names the source of each strategy.",
    .set_up = set_up_cite}};

}  // namespace
}  // namespace damocles
