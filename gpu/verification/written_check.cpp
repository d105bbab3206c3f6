#include "gpu/verification/written_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gpu/host/host_kernels.hpp"
#include "models/levels.hpp"
#include "models/parallel.hpp"

namespace damocles {
namespace {

using TaskIndex = TaskGraph::Index;

/// What each data item holds after some of the tasks: what it was filled with, or words of a fold,
/// and what was added to that.
class Contents {
 public:
  Contents(const Arithmetic& arithmetic, const TaskGraph& graph)
      : arithmetic_(arithmetic), written_(graph.data()), added_(graph.data()) {}

  /// The task reads and writes. Tasks that share no data item that one of them writes, but adds to,
  /// may do so at once.
  void run(TaskIndex task, std::vector<std::byte>& words) {
    std::uint64_t fold = 0;
    std::uint64_t position = 0;
    arithmetic_.for_each_read(TaskId{task}, [&](DataId data) {
      make(data, words);
      fold += fold_of(words, position++);
    });
    arithmetic_.for_each_written(TaskId{task},
                                 [&](DataId data, std::uint64_t place, Access access) {
                                   Added& added = added_[raw(data)];
                                   if (commutes(access) || reduces(access)) {
                                     added.factor += added_factor(fold, place);
                                     added.last = task;
                                     return;
                                   }
                                   written_[raw(data)] = Written{fold, place, task};
                                   added.factor = 0;
                                   added.last = nobody;
                                 });
  }

  /// Writes out what the data holds.
  void make(DataId data, std::vector<std::byte>& words) const {
    words.resize(arithmetic_.data_bytes(data));
    const auto& by_task = written_[raw(data)];
    if (by_task) {
      fill_with(words, by_task->fold, by_task->position);
    } else {
      arithmetic_.fill(data, words);
    }
    if (const std::uint64_t factor = added_[raw(data)].factor; factor != 0) add_to(words, factor);
  }

  /// The task that wrote it last; one of those that did so in any order.
  [[nodiscard]] std::optional<TaskIndex> writer(DataId data) const {
    if (const TaskIndex last = added_[raw(data)].last; last != nobody) return last;
    const auto& by_task = written_[raw(data)];
    return by_task ? std::optional(by_task->task) : std::nullopt;
  }

 private:
  struct Written {
    std::uint64_t fold;
    std::uint64_t position;
    TaskIndex task;
  };

  static constexpr auto nobody = static_cast<TaskIndex>(-1);
  /// The sum of what tasks added since it was written, as a multiple of added_word().
  struct Added {
    std::atomic<std::uint64_t> factor = 0;
    std::atomic<TaskIndex> last = nobody;
  };

  const Arithmetic& arithmetic_;
  std::vector<std::optional<Written>> written_;  // by data
  std::vector<Added> added_;                     // by data
};

/// Tasks of one level wait for none of each other.
std::vector<std::vector<TaskIndex>> levels(const TaskGraph& graph,
                                           const std::vector<std::uint32_t>& level_of) {
  std::vector<std::vector<TaskIndex>> result;
  for (const TaskIndex task : graph.dependencies().order(graph.tasks())) {
    const std::size_t level = level_of[task];
    if (result.size() <= level) result.resize(level + 1);
    result[level].push_back(task);
  }
  return result;
}

}  // namespace

std::string wrong_data(const Arithmetic& arithmetic, const TaskGraph& graph, const Store& store) {
  const std::vector<std::uint32_t> level_of = depths(graph);
  Contents contents(arithmetic, graph);
  for (const auto& level : levels(graph, level_of)) {
    in_parallel(level.size(), [&](std::uint64_t at) {
      thread_local std::vector<std::byte> words;
      contents.run(level[at], words);
    });
  }
  std::mutex mutex;
  std::size_t wrong = 0;
  std::optional<DataId> first;
  // A data item that no task wrote comes before all others.
  const auto place = [&](DataId data) {
    const auto writer = contents.writer(data);
    return std::pair(writer ? level_of[*writer] + 1 : 0, raw(data));
  };
  in_parallel(graph.data(), [&](std::uint64_t d) {
    const DataId data{d};
    if (graph.temporary(static_cast<TaskIndex>(d))) return;
    thread_local std::vector<std::byte> words;
    contents.make(data, words);
    if (std::equal(words.begin(), words.end(), store.data(data))) return;
    const std::lock_guard lock(mutex);
    ++wrong;
    if (!first || place(data) < place(*first)) first = data;
  });
  if (wrong == 0) return {};
  const auto writer = contents.writer(*first);
  const std::string name = graph.data_name(static_cast<TaskIndex>(raw(*first)));
  std::string text =
      writer
          ? fmt::format(
                "wrong: data {}, which task {} wrote last, is not what it should be: a version was lost, or an old one was read",
                name, graph.task_name(*writer))
          : fmt::format("wrong: data {} is not what it was before the run", name);
  if (wrong > 1) text += fmt::format("; and {} more of {}", wrong - 1, graph.data());
  return text;
}

}  // namespace damocles
