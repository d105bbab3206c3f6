#include "experiments/traces/decision_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "damocles_version.hpp"
#include "experiments/results/output_file.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"

namespace damocles {
namespace {

using Kind = RunEvent::Kind;
using Json = nlohmann::ordered_json;

struct Word {
  const char* word = "";
  Kind kind{};
  bool overwritten = false;
};

constexpr const char* how_to_record =
    "write one with `damocles simulate ... --record FILE` or `damocles run ... --record FILE`";

// As JSON what is read takes several times the memory of the text.
constexpr std::uint64_t most_recording_bytes = 200'000'000;
constexpr std::uint64_t most_recorded_tasks = 1'000'000;

constexpr std::array<Word, 11> kind_words{{{"load", Kind::load_started},
                                           {"loaded", Kind::load_ended},
                                           {"evict", Kind::evicted},
                                           {"drop", Kind::evicted, true},
                                           {"task", Kind::task_started},
                                           {"done", Kind::task_ended},
                                           {"create", Kind::created},
                                           {"return", Kind::return_started},
                                           {"returned", Kind::return_ended},
                                           {"join", Kind::joined},
                                           {"leave", Kind::left}}};

const char* word_for_event(const RunEvent& event) {
  for (const Word& known : kind_words) {
    if (known.kind == event.kind && known.overwritten == event.overwritten) return known.word;
  }
  return nullptr;
}

/// Whether it is a whole number that names a processor.
bool names_processor(const Json& entry) {
  return entry.is_number_unsigned() &&
         entry.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
}

/// Reads with errors that say where.
class Reader {
 public:
  Reader(const Json& file, std::string path) : file_(file), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw InvalidInput(fmt::format("recording '{}': {}; {}", path_, what, how_to_record));
  }
  [[noreturn]] void refuse_file(std::string_view why = {}) const {
    throw InvalidInput(fmt::format("'{}' is not a recording{}; {}", path_, why, how_to_record));
  }
  [[nodiscard]] std::string text(const char* key) const {
    if (!file_.contains(key) || !file_[key].is_string()) {
      refuse(fmt::format("\"{}\" must be a text", key));
    }
    auto value = file_[key].get<std::string>();
    if (value.find('\0') != std::string::npos) refuse(fmt::format("\"{}\" holds a NUL", key));
    return value;
  }
  [[nodiscard]] std::uint64_t count(const char* key) const {
    if (!file_.contains(key) || !file_[key].is_number_unsigned()) {
      refuse(fmt::format("\"{}\" must be a whole number", key));
    }
    return file_[key].get<std::uint64_t>();
  }
  /// When decisions were carried out, as measured, where the file says so.
  void read_times(Recording& recording) const {
    if (!file_.contains("times_ns")) return;
    auto& events = recording.decisions.events;
    const Json& times = file_["times_ns"];
    const bool whole = times.is_array() && times.size() == events.size() &&
                       std::all_of(times.begin(), times.end(),
                                   [](const Json& time) { return time.is_number_unsigned(); });
    if (!whole) {
      refuse(fmt::format("\"times_ns\" must be a list of {} whole numbers, one for each decision",
                         events.size()));
    }
    const bool has_end = file_.contains("makespan_s") && file_["makespan_s"].is_number();
    const double makespan_s = has_end ? file_["makespan_s"].get<double>() : -1;
    constexpr double nanosecond_s = 1e-9;
    for (std::size_t at = 0; at < events.size(); ++at) {
      events[at].time_s = nanosecond_s * static_cast<double>(times[at].get<std::uint64_t>());
      if (events[at].time_s <= makespan_s + nanosecond_s) continue;
      refuse(R"("makespan_s" must be a number of seconds, at least each of "times_ns")");
    }
    recording.record.makespan_s = makespan_s;
    recording.measured = true;
  }
  [[nodiscard]] RunEvent event(const Json& entry, std::size_t number) const {
    const bool lent = entry.size() == 4;
    const bool shaped = entry.is_array() && (entry.size() == 3 || lent) && entry[0].is_string() &&
                        names_processor(entry[1]) && entry[2].is_number_unsigned() &&
                        (!lent || (entry[0] == "load" && names_processor(entry[3])));
    for (const Word& known : kind_words) {
      if (!shaped || entry[0].get_ref<const std::string&>() != known.word) continue;
      RunEvent event{.kind = known.kind,
                     .time_s = 0,
                     .processor = ProcessorId{entry[1].get<std::uint32_t>()},
                     .id = entry[2].get<std::uint64_t>(),
                     .overwritten = known.overwritten};
      if (lent) event.lender = ProcessorId{entry[3].get<std::uint32_t>()};
      return event;
    }
    refuse(fmt::format(
        "decision {} must be [\"load\"|\"loaded\"|\"evict\"|\"drop\"|\"task\"|\"done\"|\"create\"|"
        "\"return\"|\"returned\"|\"join\"|\"leave\", processor, id], or [\"load\", processor, id, lender], not {}",
        number, entry.dump()));
  }

 private:
  const Json& file_;
  std::string path_;
};

/// Discarded where it is no JSON. What nests deeper than decisions do is refused on the way: it may
/// nest as deep as a file is long.
Json parsed(const std::string& text, const std::string& path) {
  constexpr int deepest = 3;  // {decisions: [[word
  const auto shallow = [&](int depth, Json::parse_event_t, const Json&) {
    if (depth > deepest) {
      throw InvalidInput(
          fmt::format("'{}' is not a recording: lists or objects are more than {} deep; {}", path,
                      deepest, how_to_record));
    }
    return true;
  };
  return Json::parse(text, shallow, false);
}

/// Digests of files. In an executed row options and the machine follow them.
std::string files_among(const std::string& inputs) {
  constexpr std::array<std::string_view, 5> files{
      "workload=", "platform=", "times=", "placement=", "scheduling="};
  std::istringstream words(inputs);
  std::string result;
  for (std::string word; words >> word;) {
    const bool is_file = std::any_of(files.begin(), files.end(),
                                     [&](std::string_view name) { return word.starts_with(name); });
    if (!is_file) break;
    result += (result.empty() ? "" : " ") + word;
  }
  return result;
}

/// Of the events that are written, "0,1200,1250".
std::string times_in_ns(const std::vector<RunEvent>& events) {
  constexpr double nanoseconds = 1e9;
  std::string text;
  for (const RunEvent& event : events) {
    if (word_for_event(event) == nullptr) continue;
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ",",
                   std::llround(nanoseconds * std::max(event.time_s, 0.0)));
  }
  return text;
}

}  // namespace

void check_recording(const std::filesystem::path& path, std::uint64_t tasks) {
  if (tasks <= most_recorded_tasks) return;
  throw InvalidInput(
      fmt::format("recording '{}': {} tasks are more than can be read again; record at most {}",
                  path.string(), tasks, most_recorded_tasks));
}

void write_recording(const std::filesystem::path& path, const Record& record,
                     const std::vector<RunEvent>& events) {
  Json head{{"damocles", "decisions"},
            {"version", version},
            {"source", record.source},
            {"strategy", record.strategy},
            {"workload", record.workload},
            {"platform", record.platform},
            {"processors", *record.processors},
            {"seed", *record.seed},
            {"replicate", *record.replicate},
            {"loads", static_cast<std::uint64_t>(*record.loads)},
            {"inputs", files_among(record.inputs)}};
  const bool measured = record.source == "executed" && record.makespan_s;
  if (measured) head["makespan_s"] = *record.makespan_s;
  // Written as text: as JSON it takes several times the memory.
  std::string text = head.dump();
  text.back() = ',';
  text += "\"decisions\":[";
  for (const RunEvent& event : events) {
    const char* const word = word_for_event(event);
    if (word == nullptr) continue;
    if (text.back() == ']') text += ',';
    fmt::format_to(std::back_inserter(text), "[\"{}\",{},{}", word, raw(event.processor), event.id);
    if (event.lender) fmt::format_to(std::back_inserter(text), ",{}", raw(*event.lender));
    text += ']';
  }
  text += ']';
  if (measured) text += ",\"times_ns\":[" + times_in_ns(events) + "]";
  text += "}\n";
  write_output(path, text);
}

Recording read_recording(const std::filesystem::path& path) {
  const std::string text = read_file(path.string(), {.what = "recording",
                                                     .right = how_to_record,
                                                     .most_bytes = most_recording_bytes,
                                                     .may_be_pipe = true});
  const Json file = parsed(text, path.string());
  const Reader reader(file, path.string());
  if (file.is_discarded()) reader.refuse_file(": invalid or truncated JSON");
  if (!file.is_object() || !file.contains("damocles") || file["damocles"] != "decisions") {
    reader.refuse_file();
  }
  Recording result;
  result.record.source = reader.text("source");
  if (result.record.source != "simulated" && result.record.source != "executed") {
    reader.refuse("\"source\" must be simulated or executed");
  }
  result.record.strategy = reader.text("strategy");
  result.record.workload = reader.text("workload");
  result.record.platform = reader.text("platform");
  if (file.contains("inputs")) result.record.inputs = reader.text("inputs");
  result.record.seed = reader.count("seed");
  result.record.replicate = reader.count("replicate");
  result.record.loads = static_cast<double>(reader.count("loads"));
  result.record.processors = reader.count("processors");
  result.decisions.processors = *result.record.processors;
  if (!file.contains("decisions") || !file["decisions"].is_array()) {
    reader.refuse("\"decisions\" must be a list");
  }
  for (const Json& entry : file["decisions"]) {
    result.decisions.events.push_back(reader.event(entry, result.decisions.events.size()));
  }
  reader.read_times(result);
  return result;
}

}  // namespace damocles
