#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "models/error.hpp"
#include "models/graph_files/graph_files.hpp"
#include "models/graph_files/rec_records.hpp"
#include "models/input_file.hpp"
#include "models/placements/placement.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

using Index = TaskGraph::Index;

enum HintKey : std::uint8_t {
  hint_order,
  hint_priority,
  hint_worker,
  hint_workers,
  hint_turn,
  hint_after,
  hint_prefetch
};
constexpr std::array<std::string_view, 7> hint_keys{
    "SubmitOrder", "Priority", "SpecificWorker", "Workers", "Workerorder", "DependsOn", "Prefetch"};

class SchedReader {
 public:
  SchedReader(std::istream& in, const std::string& file, const Workload& workload)
      : graph_(workload.graph()), records_(in, file, hint_keys) {
    for (const std::uint64_t number : submit_orders(workload)) {
      tasks_.emplace(number, static_cast<Index>(tasks_.size()));
    }
  }

  PlacedTasks read() {
    while (records_.next()) {
      if (!records_.has(hint_prefetch)) add_task();
    }
    refuse_gaps();
    return std::move(result_);
  }

 private:
  void add_task();
  void add_turn(PlacedTask& placed);
  void refuse_gaps();
  [[nodiscard]] Index task(HintKey key, std::uint64_t number) const;
  [[nodiscard]] std::vector<std::uint64_t> numbers(HintKey key) const;
  [[nodiscard]] std::uint32_t worker(HintKey key, std::uint64_t number) const;

  const TaskGraph& graph_;
  std::unordered_map<std::uint64_t, Index> tasks_;  // by the numbers under which they are submitted
  RecRecords records_;
  PlacedTasks result_;
  std::vector<std::size_t> lines_;  // of Workerorder, of each task that has one
};

std::vector<std::uint64_t> SchedReader::numbers(HintKey key) const {
  std::vector<std::string_view> words;
  split_words(records_.text(key), words);
  std::vector<std::uint64_t> result;
  for (const auto word : words) {
    const auto number = parse_integer(word);
    if (!number) records_.refuse(key, fmt::format("holds '{}'; write whole numbers", shown(word)));
    result.push_back(*number);
  }
  return result;
}

Index SchedReader::task(HintKey key, std::uint64_t number) const {
  const auto found = tasks_.find(number);
  if (found != tasks_.end()) return found->second;
  records_.refuse(
      key, fmt::format("{} is no task of the workload; write the SubmitOrder of one of its {}",
                       number, graph_.tasks()));
}

std::uint32_t SchedReader::worker(HintKey key, std::uint64_t number) const {
  if (number <= std::numeric_limits<std::uint32_t>::max()) {
    return static_cast<std::uint32_t>(number);
  }
  records_.refuse(key, fmt::format("names worker {}; write smaller numbers", number));
}

void SchedReader::add_task() {
  const auto order = records_.whole(hint_order);
  if (!order) {
    records_.refuse_at(records_.line(),
                       "a record without SubmitOrder; write SubmitOrder: and the task's number");
  }
  PlacedTask placed{.task = task(hint_order, *order),
                    .priority = records_.number(hint_priority),
                    .where = fmt::format("line {}", records_.line_of(hint_order))};
  const auto alone = records_.whole(hint_worker);
  for (const std::uint64_t number : numbers(hint_workers)) {
    placed.processors.push_back(worker(hint_workers, number));
  }
  if (records_.has(hint_workers) && placed.processors.empty()) {
    records_.refuse(hint_workers, "names no worker; write their numbers, as 0 1 2");
  }
  if (alone) {
    const std::uint32_t only = worker(hint_worker, *alone);
    const auto& all = placed.processors;
    if (!all.empty() && std::find(all.begin(), all.end(), only) == all.end()) {
      records_.refuse(hint_worker,
                      fmt::format("is {}, which Workers leaves out; name it there too", only));
    }
    placed.processors = {only};
  }
  for (const std::uint64_t before : numbers(hint_after)) {
    result_.waits.emplace_back(placed.task, task(hint_after, before));
  }
  add_turn(placed);
  result_.tasks.push_back(std::move(placed));
}

void SchedReader::add_turn(PlacedTask& placed) {
  const auto turn = records_.whole(hint_turn);
  if (!turn || *turn == 0) return;  // StarPU takes 0 for none
  if (placed.processors.size() != 1) {
    records_.refuse(hint_turn, "orders the tasks of one worker; write its SpecificWorker");
  }
  placed.turn = static_cast<double>(*turn);
  lines_.resize(result_.tasks.size() + 1);
  lines_.back() = records_.line_of(hint_turn);
}

/// A worker waits for the task of its next turn, whether there is one or not.
void SchedReader::refuse_gaps() {
  std::map<std::uint32_t, std::map<double, std::size_t>> turns;  // to the line
  lines_.resize(result_.tasks.size());
  for (std::size_t at = 0; at < lines_.size(); ++at) {
    const PlacedTask& placed = result_.tasks[at];
    if (!placed.turn) continue;
    const auto [other, is_new] = turns[placed.processors.front()].emplace(*placed.turn, lines_[at]);
    if (!is_new) {
      records_.refuse_at(
          lines_[at],
          fmt::format("Workerorder {} of worker {} again, after line {}; give each task its own",
                      *placed.turn, placed.processors.front(), other->second));
    }
  }
  for (const auto& [worker, tasks] : turns) {
    double next = 1;
    for (const auto& [turn, line] : tasks) {
      if (turn != next) {
        records_.refuse_at(
            line,
            fmt::format(
                "Workerorder {} of worker {}, but no task has {}, for which it would wait; number them from 1",
                turn, worker, next));
      }
      ++next;
    }
  }
}

}  // namespace

std::vector<std::uint64_t> submit_orders(const Workload& workload) {
  std::vector<std::uint64_t> numbers;
  const auto& source = workload.source();
  const GraphFormat* const format = source ? graph_format_of(source->path) : nullptr;
  if (format != nullptr && format->name == ".rec") {
    InputFile file(
        source->path,
        {.what = "task graph", .right = "give StarPU's tasks.rec", .most_bytes = 4'000'000'000});
    DigestingBuffer digesting(*file.stream().rdbuf());
    std::istream text(&digesting);
    numbers = read_submit_orders(text, source->path);
    if (digesting.hex() != source->digest) {
      throw InvalidInput(
          fmt::format("file '{}' changed while it was read; run again", source->path));
    }
  }
  const std::uint64_t tasks = workload.graph().tasks();
  const bool told = numbers.size() == tasks && (numbers.empty() || numbers.front() > 0) &&
                    std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
  if (told) return numbers;
  numbers.resize(tasks);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
  return numbers;
}

PlacedTasks read_scheduled_placement(std::string_view text, const std::string& file,
                                     const Workload& workload) {
  std::istringstream in{std::string(text)};
  return SchedReader(in, file, workload).read();
}

}  // namespace damocles
