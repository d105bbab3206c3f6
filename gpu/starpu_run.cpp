#include "gpu/starpu_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "models/error.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

/// A field of a run: how it is written, and read.
struct RunField {
  std::string name;
  std::function<std::string(const StarpuRun&)> write;
  std::function<bool(StarpuRun&, const std::string&)> read;
};

RunField text_field(std::string name, std::string StarpuRun::*at) {
  return {std::move(name), [at](const StarpuRun& run) { return run.*at; },
          [at](StarpuRun& run, const std::string& text) {
            run.*at = text;
            return true;
          }};
}

RunField number_field(std::string name, std::uint64_t StarpuRun::*at) {
  return {std::move(name), [at](const StarpuRun& run) { return std::to_string(run.*at); },
          [at](StarpuRun& run, const std::string& text) {
            const auto number = parse_integer(text);
            run.*at = number.value_or(0);
            return number.has_value();
          }};
}

const std::vector<RunField>& run_fields() {
  static const std::vector<RunField> all{
      text_field("workload", &StarpuRun::workload),
      text_field("platform", &StarpuRun::platform),
      text_field("strategy", &StarpuRun::strategy),
      text_field("policy", &StarpuRun::policy),
      number_field("seed", &StarpuRun::seed),
      number_field("replicate", &StarpuRun::replicate),
      text_field("compute", &StarpuRun::compute),
      text_field("precision", &StarpuRun::precision),
      number_field("tile", &StarpuRun::tile),
      number_field("rank", &StarpuRun::rank),
      text_field("check", &StarpuRun::check),
      {"shared", [](const StarpuRun& run) { return std::string(run.shared ? "true" : "false"); },
       [](StarpuRun& run, const std::string& text) {
         run.shared = text == "true";
         return run.shared || text == "false";
       }},
      {"standstill", [](const StarpuRun& run) { return fmt::format("{}", run.standstill_s); },
       [](StarpuRun& run, const std::string& text) {
         const auto number = parse_number(text);
         run.standstill_s = number.value_or(0);
         return run.standstill_s > 0;
       }},
      text_field("home", &StarpuRun::home),
  };
  return all;
}

/// A line of an answer: its name, and how its values are written and read.
struct AnswerLine {
  std::function<std::string(const RuntimeAnswer&)> write;
  std::function<bool(RuntimeAnswer&, std::istream&)> read;
};

bool take_word(std::istream& from, bool& to) {
  std::string word;
  from >> word;
  to = word == "true";
  return to || word == "false";
}

/// By strtod, as an error may be infinite.
bool take_word(std::istream& from, double& to) {
  std::string word;
  if (!(from >> word)) return false;
  char* end = nullptr;
  to = std::strtod(word.c_str(), &end);
  return *end == '\0';
}

bool take_word(std::istream& from, std::uint64_t& to) {
  std::string word;
  if (!(from >> word)) return false;
  const auto number = parse_integer(word);
  to = number.value_or(0);
  return number.has_value();
}

template <typename Number>
bool read_numbers(std::istream& from, std::vector<Number>& to) {
  to.clear();
  while (!(from >> std::ws).eof()) {
    if (!take_word(from, to.emplace_back())) return false;
  }
  return true;
}

template <typename Number, typename Get>
AnswerLine line_of_numbers(Get get) {
  return {
      [get](const RuntimeAnswer& answer) { return fmt::format("{}", fmt::join(get(answer), " ")); },
      [get](RuntimeAnswer& answer, std::istream& from) {
        return read_numbers<Number>(from, get(answer));
      }};
}

template <typename Get>
AnswerLine line_of_number(Get get) {
  return {
      [get](const RuntimeAnswer& answer) { return fmt::format("{}", get(answer)); },
      [get](RuntimeAnswer& answer, std::istream& from) { return take_word(from, get(answer)); }};
}

template <typename Get>
AnswerLine line_of_text(Get get) {
  return {[get](const RuntimeAnswer& answer) { return get(answer); },
          [get](RuntimeAnswer& answer, std::istream& from) {
            std::getline(from >> std::ws, get(answer));
            return true;
          }};
}

const std::map<std::string, AnswerLine>& lines_of_answers() {
  static const std::map<std::string, AnswerLine> all{
      {"loads",
       line_of_numbers<std::uint64_t>([](auto& a) -> auto& { return a.execution.trace.loads; })},
      {"tasks",
       line_of_numbers<std::uint64_t>([](auto& a) -> auto& { return a.execution.trace.tasks; })},
      {"evictions", line_of_numbers<std::uint64_t>(
                        [](auto& a) -> auto& { return a.execution.trace.evictions; })},
      {"bytes_loaded", line_of_numbers<std::uint64_t>(
                           [](auto& a) -> auto& { return a.execution.trace.bytes_loaded; })},
      {"bytes_written", line_of_numbers<std::uint64_t>(
                            [](auto& a) -> auto& { return a.execution.trace.bytes_written; })},
      {"busy_s",
       line_of_numbers<double>([](auto& a) -> auto& { return a.execution.trace.busy_s; })},
      {"makespan_s", line_of_number([](auto& a) -> auto& { return a.execution.trace.makespan_s; })},
      {"scheduling_s",
       line_of_number([](auto& a) -> auto& { return a.execution.trace.scheduling_s; })},
      {"total_s", line_of_number([](auto& a) -> auto& { return a.execution.total_s; })},
      {"bytes_summed", line_of_number([](auto& a) -> auto& { return a.execution.bytes_summed; })},
      {"flops", line_of_number([](auto& a) -> auto& { return a.flops; })},
      {"worst", line_of_number([](auto& a) -> auto& { return a.verification.worst; })},
      {"right", line_of_number([](auto& a) -> auto& { return a.verification.right; })},
      {"verified", line_of_text([](auto& a) -> auto& { return a.verification.text; })},
      {"failure", line_of_text([](auto& a) -> auto& { return a.execution.failure; })},
      {"name", line_of_text([](auto& a) -> auto& { return a.device.name; })},
      {"driver", line_of_text([](auto& a) -> auto& { return a.device.driver; })},
  };
  return all;
}

}  // namespace

std::vector<std::string> words_of(const StarpuRun& run) {
  std::vector<std::string> result;
  for (const RunField& field : run_fields()) result.push_back(field.name + "=" + field.write(run));
  return result;
}

StarpuRun starpu_run_of(std::span<const std::string> words) {
  StarpuRun run;
  for (const std::string& word : words) {
    const auto end = word.find('=');
    const std::string key = word.substr(0, end);
    std::vector<std::string> known;
    const RunField* found = nullptr;
    for (const RunField& field : run_fields()) {
      known.push_back(field.name);
      if (field.name == key) found = &field;
    }
    if (found == nullptr || end == std::string::npos) refuse_unknown("key of a run", key, known);
    if (!found->read(run, word.substr(end + 1))) {
      throw InvalidInput(fmt::format("{}: this is no value of it", word));
    }
  }
  return run;
}

std::string answer_text(const RuntimeAnswer& answer) {
  std::string text;
  for (const auto& [name, line] : lines_of_answers()) {
    text += fmt::format("{} {}\n", name, line.write(answer));
  }
  return text + fmt::format("check {}\nend\n", static_cast<int>(answer.verification.check));
}

RuntimeAnswer starpu_answer_of(const std::string& text) {
  RuntimeAnswer answer;
  answer.device.backend = "starpu";
  std::istringstream lines(text);
  bool whole = false;
  for (std::string line; !whole && std::getline(lines, line);) {
    std::istringstream values(line);
    std::string name;
    values >> name;
    if (name == "end") {
      whole = true;
      continue;
    }
    if (name == "check") {
      int check = 0;
      values >> check;
      answer.verification.check = static_cast<Check>(check);
      continue;
    }
    const auto known = lines_of_answers().find(name);
    if (known == lines_of_answers().end() || !known->second.read(answer, values)) {
      throw DeviceError(
          fmt::format("damocles-starpu answered '{}', which is no line of an answer", line));
    }
  }
  if (!whole) throw DeviceError("damocles-starpu ended before its answer did");
  return answer;
}

}  // namespace damocles
