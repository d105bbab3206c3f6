#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>
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
  memory_node,
  start_time,
  end_time,
  footprint,
  handle,
  home_node,
  coordinates,
  key_count
};
constexpr std::array<std::string_view, key_count> key_names{
    "Control",   "Name",    "Model",     "JobId",  "SubmitOrder", "Priority",   "DependsOn",
    "WorkerId",  "GFlop",   "Handles",   "Modes",  "Sizes",       "MPIRank",    "MemoryNode",
    "StartTime", "EndTime", "Footprint", "Handle", "HomeNode",    "Coordinates"};

/// A data item as the trace tells it apart: (MPI rank, address, size).
using Handle = std::tuple<std::string, std::uint64_t, std::uint64_t>;

/// What StarPU's data.rec says of a handle.
struct HandleRecord {
  std::string name;
  bool has_home = false;
};

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
  bool has_flops = true;
  bool has_sizes = true;
  RecordedTask recorded{};
};

class RecReader {
 public:
  RecReader(std::istream& in, const std::string& file, const GraphDefaults& defaults)
      : records_(in, file, key_names), defaults_(defaults) {}

  TaskGraph read();

 private:
  void add_handle();
  void add_job();
  void set_flops(Job& job) const;
  [[nodiscard]] RecordedTask recorded() const;
  void add_accesses(Job& job) const;
  [[nodiscard]] std::uint64_t address(Key key, std::string_view word) const;
  [[nodiscard]] std::optional<Access> access(std::string_view word) const;
  [[nodiscard]] std::uint64_t size(std::string_view word) const;
  [[nodiscard]] std::vector<std::string_view> mode_words(std::size_t count) const;
  void sort_jobs();
  void add_data(const Handle& handle, Access first, bool has_size);
  void add_task(const Job& job);
  void note_pieces() const;
  [[nodiscard]] TaskGraph graph();

  [[noreturn]] void refuse(Key key, std::string_view why) const { records_.refuse(key, why); }
  [[nodiscard]] bool has(Key key) const { return records_.has(key); }
  [[nodiscard]] std::string_view text(Key key) const { return records_.text(key); }
  [[nodiscard]] std::string_view value(Key key) const { return records_.value(key); }

  RecRecords records_;
  GraphDefaults defaults_;
  std::vector<Job> jobs_;
  std::map<std::pair<std::string, std::uint64_t>, HandleRecord> handles_;  // MPI rank, address
  std::unordered_map<std::string, Index> job_index_;
  std::map<Handle, Index> data_index_;
  TaskGraph::Parts parts_;
};

/// The words of a list, parted by blanks or commas.
std::vector<std::string> listed_in(std::string_view text) {
  std::string blanks(text);
  std::replace(blanks.begin(), blanks.end(), ',', ' ');
  std::vector<std::string_view> words;
  split_words(blanks, words);
  return {words.begin(), words.end()};
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  split_words(text, words);
  return words;
}

void RecReader::set_flops(Job& job) const {
  job.has_flops = has(gflop) || !(has(handles) || has(worker_id));
  if (!has(gflop)) return;
  const auto giga = signed_number(value(gflop));
  if (!giga || !(*giga >= 0 && *giga <= most_flops / 1e9)) {
    refuse(gflop, fmt::format("is '{}'; write a number from 0 to {}", shown(text(gflop)),
                              most_flops / 1e9));
  }
  job.flops = *giga * 1e9;
}

/// What StarPU measured. Its cores compute in memory node 0, where data lie at first.
RecordedTask RecReader::recorded() const {
  RecordedTask result;
  if (has(footprint)) {
    result.footprint = parse_footprint(value(footprint));
    if (!result.footprint) {
      refuse(footprint,
             fmt::format("is '{}'; write up to 8 hexadecimal digits", shown(text(footprint))));
    }
  }
  const auto start_ms = records_.number(start_time);
  const auto end_ms = records_.number(end_time);
  if (start_ms && end_ms) {
    if (*end_ms < *start_ms) {
      refuse(end_time, fmt::format("is {}, before StartTime {}; write the time at which it ended",
                                   *end_ms, *start_ms));
    }
    result.seconds = (*end_ms - *start_ms) / 1000;
  }
  if (const auto node = records_.whole(memory_node)) {
    result.where = *node == 0 ? RecordedTask::Where::core : RecordedTask::Where::gpu;
  }
  return result;
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

std::uint64_t RecReader::address(Key key, std::string_view word) const {
  auto digits = word;
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc{} || stopped != end) {
    refuse(key, fmt::format("holds '{}'; write hexadecimal addresses", shown(word)));
  }
  return value;
}

/// Nothing of scratch, and of a mode without a letter.
std::optional<Access> RecReader::access(std::string_view word) const {
  std::string letters(word);
  const auto mpi = letters.find("X-mpi");  // a reduction across MPI ranks
  if (mpi != std::string::npos) letters.erase(mpi + 1, 4);
  if (letters.find_first_not_of("RWSXC") != std::string::npos) {
    refuse(
        modes,
        fmt::format(
            "holds '{}'; write R, W, RW, S (scratch), X (reduction) or one of these and C (commutes)",
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
    const auto bytes = has(sizes) ? size(lengths[h]) : defaults_.bytes(0);
    const auto how = access(accesses[h]);
    const Handle accessed{rank, address(handles, addresses[h]), bytes};
    if (!how || bytes == 0) continue;
    job.accesses.emplace_back(accessed, *how);
    if (writes(*how)) written_bytes += bytes;
    if (written_bytes > most_bytes) {
      refuse(has(sizes) ? sizes : handles,
             fmt::format("sum to more than {} written bytes; write less", most_bytes));
    }
  }
}

/// A record of StarPU's data.rec: a handle without a home is temporary. One address may be that of
/// several handles, one after the other.
void RecReader::add_handle() {
  const auto node = records_.number(home_node);
  HandleRecord& known = handles_[{std::string(value(mpi_rank)), address(handle, value(handle))}];
  known.has_home |= !node || *node >= 0;
  if (!has(name)) return;
  known.name = as_utf8(value(name));
  if (!has(coordinates)) return;
  known.name += fmt::format("({})", fmt::join(words_of(text(coordinates)), ","));
}

void RecReader::add_job() {
  if (value(control) == "WontUse") return;
  if (has(handle) && !has(job_id)) return add_handle();
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
  job.has_sizes = has(sizes);
  job.recorded = recorded();
  set_flops(job);
  add_accesses(job);
  job.after = listed_in(text(depends_on));
  jobs_.push_back(std::move(job));
}

/// Tasks are written as they end; what a scheduler sees is the order in which they came.
void RecReader::sort_jobs() {
  std::stable_sort(jobs_.begin(), jobs_.end(),
                   [](const Job& a, const Job& b) { return a.order < b.order; });
  for (std::size_t t = 0; t < jobs_.size(); ++t) {
    const auto [other, is_new] = job_index_.emplace(jobs_[t].id, static_cast<Index>(t));
    if (is_new) continue;
    const auto [first, second] = std::minmax(jobs_[other->second].line, jobs_[t].line);
    records_.refuse_at(second, fmt::format("JobId '{}' again, after line {}; write each once",
                                           shown(jobs_[t].id), first));
  }
}

void RecReader::add_data(const Handle& handle, Access first, bool has_size) {
  const auto& [rank, address, bytes] = handle;
  const auto known = handles_.find({rank == "-1" ? "" : rank, address});  // as data.rec says none
  const bool is_known = known != handles_.end();
  const bool temporary = is_known && !known->second.has_home && first == Access::write;
  parts_.bytes.push_back(has_size ? bytes : defaults_.bytes());
  parts_.data_names.push_back(
      is_known && !known->second.name.empty() ? known->second.name : fmt::format("{:x}", address));
  if (handles_.empty()) return;
  parts_.lifetimes.push_back(temporary ? Lifetime::temporary : Lifetime::kept);
}

void RecReader::add_task(const Job& job) {
  std::vector<Index> accessed;
  std::vector<Access> how;
  for (const auto& [handle, its] : job.accesses) {
    const auto next = static_cast<Index>(parts_.bytes.size());
    const auto [data, is_new] = data_index_.emplace(handle, next);
    accessed.push_back(data->second);
    how.push_back(its);
    if (is_new) add_data(handle, its, job.has_sizes);
  }
  const auto task = static_cast<Index>(parts_.flops.size());
  parts_.add_task(accessed, how, job.has_flops ? job.flops : defaults_.flops());
  parts_.task_names.push_back(job.name);
  parts_.priorities.push_back(job.priority);
  parts_.recorded.push_back(job.recorded);
  for (const auto& id : job.after) {
    const auto before = job_index_.find(id);
    if (before == job_index_.end()) continue;  // left out of the trace, as StarPU's own tasks are
    parts_.dependencies.emplace_back(task, before->second);
  }
}

/// A task on pieces of data that another one wrote whole shares no handle with it: the trace has
/// the wait, but not what the pieces are pieces of.
void RecReader::note_pieces() const {
  const auto accessed = [&](Index task) {
    return std::span(parts_.inputs)
        .subspan(parts_.input_begin[task], parts_.input_begin[task + 1] - parts_.input_begin[task]);
  };
  constexpr Index nobody = ~Index{0};
  std::vector<Index> last_user(parts_.bytes.size(), nobody);
  std::size_t tasks = 0;
  Index counted = nobody;
  auto waits = parts_.dependencies;
  std::sort(waits.begin(), waits.end());
  for (const auto& [task, before] : waits) {
    const auto mine = accessed(task);
    const auto others = accessed(before);
    if (task == counted || mine.empty() || others.empty()) continue;
    for (const Index data : mine) last_user[data] = task;
    if (std::any_of(others.begin(), others.end(),
                    [&, task = task](Index data) { return last_user[data] == task; })) {
      continue;
    }
    ++tasks;
    counted = task;
  }
  if (tasks == 0) return;
  defaults_.note(fmt::format(
      "{} by DependsOn for tasks with which {} no handle; if those wrote data that were then "
      "partitioned, the pieces count as data of their own, loaded from host memory, as tasks.rec does not name their parent",
      tasks == 1 ? "1 task waits" : fmt::format("{} tasks wait", tasks),
      tasks == 1 ? "it shares" : "they share"));
}

TaskGraph RecReader::graph() {
  sort_jobs();
  for (const Job& job : jobs_) add_task(job);
  note_pieces();
  const auto& accesses = parts_.accesses;
  if (std::none_of(accesses.begin(), accesses.end(), [](Access one) { return writes(one); })) {
    parts_.accesses.clear();
  }
  const auto is_said = [](const RecordedTask& one) { return one.footprint || one.seconds; };
  if (std::none_of(parts_.recorded.begin(), parts_.recorded.end(), is_said)) {
    parts_.recorded.clear();
  }
  std::vector<std::string_view> kinds;
  for (const Job& job : jobs_) kinds.emplace_back(job.kind);
  set_kinds(parts_, kinds);
  parts_.independent = defaults_.independent;
  return finished(std::move(parts_), records_.file());
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
