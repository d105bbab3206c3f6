#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/graph_text.hpp"
#include "models/graph_files/json_text.hpp"
#include "models/graph_files/rec_records.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

/// The keys that say something about the graph; all others are StarPU's own.
enum Key : std::uint8_t {
  control,
  name,
  model,
  job_id,
  submit_order,
  priority,
  depends_on,
  worker_id,
  gflop,
  handles,
  modes,
  sizes,
  mpi_rank,
  key_count
};
constexpr std::array<std::string_view, key_count> key_names{
    "Control",  "Name",  "Model",   "JobId", "SubmitOrder", "Priority", "DependsOn",
    "WorkerId", "GFlop", "Handles", "Modes", "Sizes",       "MPIRank"};

/// A data as the trace tells it apart: (MPI rank, address, size).
using Handle = std::tuple<std::string, std::uint64_t, std::uint64_t>;

struct Job {
  std::string id;
  std::size_t line = 0;
  std::uint64_t order = 0;
  std::string name;
  std::string kind;
  double flops = 0;
  double priority = 0;
  std::vector<std::pair<Handle, Access>> accesses{};
  std::vector<std::string> after{};
};

class RecReader {
 public:
  RecReader(std::istream& in, const std::string& file, const GraphDefaults& defaults)
      : records_(in, file, key_names), defaults_(defaults) {}

  TaskGraph read();

 private:
  void add_job();
  [[nodiscard]] double flops() const;
  void add_accesses(Job& job) const;
  [[nodiscard]] std::uint64_t address(std::string_view word) const;
  [[nodiscard]] std::optional<Access> access(std::string_view word) const;
  [[nodiscard]] std::uint64_t size(std::string_view word) const;
  [[nodiscard]] std::vector<std::string_view> mode_words(std::size_t count) const;
  [[nodiscard]] TaskGraph graph();

  [[noreturn]] void refuse(Key key, std::string_view why) const { records_.refuse(key, why); }
  [[nodiscard]] bool has(Key key) const { return records_.has(key); }
  [[nodiscard]] std::string_view text(Key key) const { return records_.text(key); }
  [[nodiscard]] std::string_view value(Key key) const { return records_.value(key); }

  RecRecords records_;
  GraphDefaults defaults_;
  std::vector<Job> jobs_;
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  split_words(text, words);
  return words;
}

double RecReader::flops() const {
  if (has(gflop)) {
    const auto giga = signed_number(value(gflop));
    if (!giga || !(*giga >= 0 && *giga <= most_flops / 1e9)) {
      refuse(gflop, fmt::format("is '{}'; write a number from 0 to {}", shown(text(gflop)),
                                most_flops / 1e9));
    }
    return *giga * 1e9;
  }
  return has(handles) || has(worker_id) ? defaults_.flops() : 0;
}

/// One mode a handle. A mode may be the empty word, when StarPU has no letter for it: then the
/// writer's single blanks tell the words apart.
std::vector<std::string_view> RecReader::mode_words(std::size_t count) const {
  auto words = words_of(text(modes));
  if (words.size() != count && text(modes).starts_with(' ')) {
    words.clear();
    auto rest = text(modes).substr(1);
    for (auto at = rest.find(' '); at != std::string_view::npos; at = rest.find(' ')) {
      words.push_back(rest.substr(0, at));
      rest.remove_prefix(at + 1);
    }
    words.push_back(rest);
  }
  if (words.size() != count) {
    refuse(modes, fmt::format("has {} words for {} handles; write one each", words.size(), count));
  }
  return words;
}

std::uint64_t RecReader::address(std::string_view word) const {
  auto digits = word;
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc{} || stopped != end) {
    refuse(handles, fmt::format("holds '{}'; write hexadecimal addresses", shown(word)));
  }
  return value;
}

/// Nothing of scratch, and of a mode without a letter.
std::optional<Access> RecReader::access(std::string_view word) const {
  std::string letters(word);
  const auto mpi = letters.find("X-mpi");  // a reduction across MPI ranks
  if (mpi != std::string::npos) letters.erase(mpi + 1, 4);
  if (letters.find_first_not_of("RWSXC") != std::string::npos) {
    refuse(modes, fmt::format("holds '{}'; write R, W, RW, S (scratch), X (reduction) or one of "
                              "these and C (commutes)",
                              shown(word)));
  }
  const auto holds = [&](char letter) { return letters.find(letter) != std::string::npos; };
  if (holds('S')) return std::nullopt;
  if (holds('X')) return Access::reduce;
  if (holds('R') && holds('W')) return holds('C') ? Access::commute : Access::read_write;
  if (holds('R')) return Access::read;
  return holds('W') ? std::optional(Access::write) : std::nullopt;
}

std::uint64_t RecReader::size(std::string_view word) const {
  const auto value = parse_integer(word);
  if (!value || *value > most_bytes) {
    refuse(sizes,
           fmt::format("holds '{}'; write whole numbers from 0 to {}", shown(word), most_bytes));
  }
  return *value;
}

void RecReader::add_accesses(Job& job) const {
  if (!has(handles)) return;
  const auto addresses = words_of(text(handles));
  if (!has(modes)) refuse(handles, "without Modes; write how each is accessed: R, W or RW");
  const auto accesses = mode_words(addresses.size());
  const auto lengths = words_of(text(sizes));
  if (has(sizes) && lengths.size() != addresses.size()) {
    refuse(sizes, fmt::format("has {} words for {} handles; write one each", lengths.size(),
                              addresses.size()));
  }
  const std::string rank(value(mpi_rank));
  std::uint64_t written_bytes = 0;
  for (std::size_t h = 0; h < addresses.size(); ++h) {
    const auto bytes = has(sizes) ? size(lengths[h]) : defaults_.bytes();
    const auto how = access(accesses[h]);
    const Handle handle{rank, address(addresses[h]), bytes};
    if (!how || bytes == 0) continue;
    job.accesses.emplace_back(handle, *how);
    if (writes(*how)) written_bytes += bytes;
    if (written_bytes > most_bytes) {
      refuse(has(sizes) ? sizes : handles,
             fmt::format("sum to more than {} written bytes; write less", most_bytes));
    }
  }
}

void RecReader::add_job() {
  if (value(control) == "WontUse") return;
  Job job;
  job.line = records_.line_of(job_id);
  job.id = value(job_id);
  if (job.id.empty()) {
    records_.refuse_at(records_.line(), "a record without JobId; write JobId: and its number");
  }
  job.order = records_.whole(submit_order).value_or(0);
  job.priority = records_.number(priority).value_or(0);
  const auto called = has(name) ? value(name) : has(model) ? value(model) : "job";
  job.name = as_utf8(fmt::format("{} {}", called, job.id));
  job.kind = has(model) ? value(model) : value(name);
  job.flops = flops();
  add_accesses(job);
  for (const auto word : words_of(text(depends_on))) job.after.emplace_back(word);
  jobs_.push_back(std::move(job));
}

TaskGraph RecReader::graph() {
  // Tasks are written as they end; what a scheduler sees is the order in which they came.
  std::stable_sort(jobs_.begin(), jobs_.end(),
                   [](const Job& a, const Job& b) { return a.order < b.order; });
  std::unordered_map<std::string, Index> job_index;
  for (std::size_t t = 0; t < jobs_.size(); ++t) {
    const auto [other, is_new] = job_index.emplace(jobs_[t].id, static_cast<Index>(t));
    if (is_new) continue;
    const auto [first, second] = std::minmax(jobs_[other->second].line, jobs_[t].line);
    records_.refuse_at(second, fmt::format("JobId '{}' again, after line {}; write each once",
                                           shown(jobs_[t].id), first));
  }
  TaskGraph::Parts parts;
  std::map<Handle, Index> data_index;
  std::vector<Index> accessed;
  std::vector<Access> how;
  bool any_writes = false;
  for (std::size_t t = 0; t < jobs_.size(); ++t) {
    const Job& job = jobs_[t];
    accessed.clear();
    how.clear();
    for (const auto& [handle, its] : job.accesses) {
      const auto next = static_cast<Index>(parts.bytes.size());
      const auto [data, is_new] = data_index.emplace(handle, next);
      accessed.push_back(data->second);
      how.push_back(its);
      any_writes = any_writes || writes(its);
      if (!is_new) continue;
      parts.bytes.push_back(std::get<2>(handle));
      parts.data_names.push_back(fmt::format("{:x}", std::get<1>(handle)));
    }
    parts.add_task(accessed, how, job.flops);
    parts.task_names.push_back(job.name);
    parts.priorities.push_back(job.priority);
    for (const auto& id : job.after) {
      const auto before = job_index.find(id);
      if (before == job_index.end()) continue;  // left out of the trace, as StarPU's own tasks are
      parts.dependencies.emplace_back(static_cast<Index>(t), before->second);
    }
  }
  if (!any_writes) parts.accesses.clear();
  std::vector<std::string_view> kinds;
  for (const Job& job : jobs_) kinds.emplace_back(job.kind);
  set_kinds(parts, kinds);
  parts.independent = defaults_.independent;
  return finished(std::move(parts), records_.file());
}

TaskGraph RecReader::read() {
  while (records_.next()) add_job();
  return graph();
}

}  // namespace

TaskGraph read_tasks_rec(std::istream& in, const std::string& name, const GraphDefaults& defaults) {
  return RecReader(in, name, defaults).read();
}

namespace {

const Register tasks_rec_format{
    GraphFormat{.name = ".rec", .place = 4, .title = "StarPU's tasks.rec", .read = read_tasks_rec}};

}  // namespace
}  // namespace damocles
