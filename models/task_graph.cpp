#include "models/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/compressed_rows.hpp"
#include "models/error.hpp"
#include "models/host_memory.hpp"

namespace damocles {
namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 31U;
// So that times stay finite at 1 flop/s, the least, and sums of bytes fit 64 bits.
constexpr double most_total_flops = 1e300;
constexpr double most_bytes_of_all = 0x1p60;

void check_shape(const char* what, std::size_t size, std::size_t expected) {
  if (size == 0 || size == expected) return;
  throw InvalidInput(fmt::format("a task graph with {} {}; give {} or none", size, what, expected));
}

/// Of a task that names a data item twice. What reads it as it is, or overwrites it, neither
/// commutes nor reduces.
Access both(Access a, Access b) {
  if (a == b) return a;
  return static_cast<Access>((static_cast<unsigned>(a) | static_cast<unsigned>(b)) &
                             static_cast<unsigned>(Access::read_write));
}

/// Among the accesses of a task.
int place_of(Access access) {
  if (reduces(access)) return 3;
  if (!reads(access)) return 2;
  return commutes(access) ? 1 : 0;
}

/// Tasks that access a data item, one or several in any order, and those that accessed it before
/// them otherwise: each of the first waits for each of the second.
struct Handover {
  std::vector<TaskGraph::Index> before;
  std::vector<TaskGraph::Index> tasks;

  /// Whether a joint saves most of the edges. With few there is none, as a joint costs too.
  [[nodiscard]] bool joined() const {
    constexpr double worth_a_joint = 8;
    return pairs() > worth_a_joint * with_joint();
  }
  [[nodiscard]] double edges() const { return joined() ? with_joint() : pairs(); }

 private:
  [[nodiscard]] double pairs() const {
    return static_cast<double>(before.size()) * static_cast<double>(tasks.size());
  }
  [[nodiscard]] double with_joint() const {
    return static_cast<double>(before.size()) + static_cast<double>(tasks.size());
  }
};

}  // namespace

void TaskGraph::Parts::add_task(std::span<const Index> reads, double task_flops) {
  inputs.insert(inputs.end(), reads.begin(), reads.end());
  input_begin.push_back(inputs.size());
  flops.push_back(task_flops);
}

void TaskGraph::Parts::add_task(std::span<const Index> data, std::span<const Access> how,
                                double task_flops) {
  add_task(data, task_flops);
  accesses.insert(accesses.end(), how.begin(), how.end());
}

TaskGraph::TaskGraph(Parts parts) : parts_(std::move(parts)) {
  check();
  drop_repeated_inputs();
  sort_accesses();
  if (parts_.independent) take_as_independent();
  if (edges() == widest_ * tasks()) inputs_each_ = widest_;
  list_users();
  if (!parts_.independent) order_tasks();
  if (!parts_.bytes.empty() &&
      std::all_of(parts_.bytes.begin(), parts_.bytes.end(),
                  [&](std::uint64_t size) { return size == parts_.bytes.front(); })) {
    uniform_bytes_ = parts_.bytes.front();
  }
  total_flops_ = std::accumulate(parts_.flops.begin(), parts_.flops.end(), 0.0);
  if (data() > 0) {
    mean_bytes_ = std::accumulate(parts_.bytes.begin(), parts_.bytes.end(), 0.0) /
                  static_cast<double>(data());
  }
}

void TaskGraph::check() const {
  if (tasks() == 0) throw InvalidInput("a task graph without tasks; give at least one");
  if (tasks() > most_nodes || data() > most_nodes || edges() > most_nodes) {
    throw InvalidInput(
        fmt::format("a task graph of {} tasks, {} data and {} inputs; at most 2^31 of each",
                    tasks(), data(), edges()));
  }
  if (parts_.input_begin.size() != tasks() + 1 || parts_.input_begin.front() != 0 ||
      parts_.input_begin.back() != edges() ||
      !std::is_sorted(parts_.input_begin.begin(), parts_.input_begin.end())) {
    throw InvalidInput("a task graph whose rows do not partition its inputs");
  }
  check_shapes();
  for (const Index input : parts_.inputs) {
    if (input >= data()) {
      throw InvalidInput(
          fmt::format("a task reads data {}, but there are {} (from 0)", input, data()));
    }
  }
  for (std::size_t d = 0; d < data(); ++d) {
    if (parts_.bytes[d] == 0) {
      throw InvalidInput(fmt::format("data {} has 0 bytes; give at least 1", data_name(Index(d))));
    }
  }
  double flops = 0;
  double bytes = 0;
  for (std::size_t t = 0; t < tasks(); ++t) {
    flops += parts_.flops[t];
    bytes += static_cast<double>(output_bytes(Index(t)));
    for (const Index input : inputs(Index(t))) bytes += static_cast<double>(parts_.bytes[input]);
    if (!(parts_.flops[t] >= 0) || !std::isfinite(parts_.flops[t])) {
      throw InvalidInput(fmt::format("task {} has {} flops; give a finite number >= 0",
                                     task_name(Index(t)), parts_.flops[t]));
    }
  }
  if (flops > most_total_flops) {
    throw InvalidInput(
        fmt::format("tasks of {:g} flops in all; at most {:g}", flops, most_total_flops));
  }
  if (bytes > most_bytes_of_all) {
    throw InvalidInput(fmt::format("tasks that read and write {:g} bytes in all; at most {:g}",
                                   bytes, most_bytes_of_all));
  }
}

void TaskGraph::check_shapes() const {
  check_shape("sizes of outputs", parts_.output_bytes.size(), tasks());
  check_shape("priorities", parts_.priorities.size(), tasks());
  check_shape("names of tasks", parts_.task_names.size(), tasks());
  check_shape("names of data", parts_.data_names.size(), data());
  check_shape("accesses", parts_.accesses.size(), edges());
  check_shape("kinds of tasks", parts_.task_kinds.size(), tasks());
  check_shape("records of tasks", parts_.recorded.size(), tasks());
  check_shape("lifetimes of data", parts_.lifetimes.size(), data());
  for (const std::uint16_t kind : parts_.task_kinds) {
    if (kind < parts_.kind_names.size()) continue;
    throw InvalidInput(fmt::format("a task of kind {}, but there are {} (from 0)", kind,
                                   parts_.kind_names.size()));
  }
}

void TaskGraph::order_tasks() {
  for (const auto& [task, before] : parts_.dependencies) {
    if (task < tasks() && before < tasks()) continue;
    throw InvalidInput(
        fmt::format("task {} waits for task {}, but there are {} (from 0)", task, before, tasks()));
  }
  refuse_circle();
  dependencies_ = Dependencies(tasks(), parts_.dependencies);
  if (!writes() && parts_.lifetimes.empty()) return;
  const auto order = dependencies_.order(tasks());
  settle_lifetimes(order);
  if (!writes()) return;
  note_reads_from_home(order);
  auto count = static_cast<double>(parts_.dependencies.size());
  for_each_handover(order, [&](const Handover& groups) { count += groups.edges(); });
  // They are held twice, as they are found and in rows.
  const MemoryPromise memory(2 * sizeof(Dependencies::Wait) * count,
                             MemoryPromise::Others::wait_for);
  std::vector<Dependencies::Wait> waits = parts_.dependencies;
  waits.reserve(static_cast<std::size_t>(count));
  std::size_t joints = 0;
  for_each_handover(order, [&](const Handover& groups) {
    if (groups.joined()) {
      const auto joint = static_cast<Index>(tasks() + joints++);
      for (const Index before : groups.before) waits.emplace_back(joint, before);
      for (const Index task : groups.tasks) waits.emplace_back(task, joint);
      return;
    }
    for (const Index task : groups.tasks) {
      for (const Index before : groups.before) waits.emplace_back(task, before);
    }
  });
  dependencies_ = Dependencies(tasks(), waits, joints);
}

void TaskGraph::refuse_circle() const {
  if (parts_.dependencies.empty()) return;
  const auto waiting = circle(tasks(), parts_.dependencies);
  if (waiting.empty()) return;
  constexpr std::size_t few = 4;
  std::string text;
  for (std::size_t t = 0; t < std::min(few, waiting.size()); ++t) {
    text += fmt::format("'{}' after ", task_name(waiting[t]));
  }
  if (waiting.size() > few) text += fmt::format("{} more after ", waiting.size() - few);
  throw InvalidInput(fmt::format("the task graph has a cycle: {}'{}'; remove one dependency", text,
                                 task_name(waiting[0])));
}

/// Which data items tasks read as they were before all tasks, in this order.
void TaskGraph::note_reads_from_home(std::span<const Index> order) {
  std::vector<bool> written(data(), false);
  read_from_home_.assign(data(), false);
  for (const Index task : order) {
    for_each_access(task, [&](Index data, Access access) {
      if (reads(access) && !written[data]) read_from_home_[data] = true;
      if (damocles::writes(access)) written[data] = true;
    });
  }
}

std::vector<bool> TaskGraph::passed_on(std::span<const Index> order) const {
  enum class Use : std::uint8_t { none, made, passed_on, other };
  std::vector<Use> uses(data(), Use::none);
  for (const Index task : order) {
    for_each_access(task, [&](Index data, Access access) {
      const Use before = uses[data];
      uses[data] = access == Access::write && before == Use::none ? Use::made
                   : access == Access::read && before != Use::none
                       ? std::max(before, Use::passed_on)
                       : Use::other;
    });
  }
  std::vector<bool> result(data());
  std::transform(uses.begin(), uses.end(), result.begin(),
                 [](Use use) { return use == Use::passed_on; });
  return result;
}

/// Of data items whose lifetime follows from their use, finds it; forgets lifetimes if all are
/// kept.
void TaskGraph::settle_lifetimes(std::span<const Index> order) {
  auto& lifetimes = parts_.lifetimes;
  if (std::find(lifetimes.begin(), lifetimes.end(), Lifetime::by_use) != lifetimes.end()) {
    const std::vector<bool> passed = passed_on(order);
    for (std::size_t data = 0; data < lifetimes.size(); ++data) {
      if (lifetimes[data] != Lifetime::by_use) continue;
      lifetimes[data] = passed[data] ? Lifetime::temporary : Lifetime::kept;
    }
  }
  const auto any_other_than_kept = std::any_of(lifetimes.begin(), lifetimes.end(),
                                               [](Lifetime one) { return one != Lifetime::kept; });
  if (!any_other_than_kept) lifetimes.clear();
  check_temporary(order);
}

/// The first access of a temporary data item has to be a task that only writes it, which makes it.
void TaskGraph::check_temporary(std::span<const Index> order) const {
  if (!any(Lifetime::temporary)) return;
  std::vector<bool> written(data(), false);
  for (const Index task : order) {
    for_each_access(task, [&](Index data, Access access) {
      if (temporary(data) && !written[data] && access != Access::write) {
        throw InvalidInput(
            fmt::format("task '{}' reads temporary data item '{}', which no task has written "
                        "before; let a task write it first, or take 'temporary' away",
                        task_name(task), data_name(data)));
      }
      if (damocles::writes(access)) written[data] = true;
    });
  }
}

/// Calls visit(handover) for all groups of tasks that access a data item one after the other. Tasks
/// are walked in an order that the given waits allow, so that what follows from accesses makes no
/// circle with them.
template <typename Visit>
void TaskGraph::for_each_handover(std::span<const Index> order, Visit&& visit) const {
  struct Last {
    Access how = Access::read;
    Handover groups;
  };
  std::vector<Last> last(data());
  for (const Index task : order) {
    for_each_access(task, [&](Index data, Access access) {
      Last& of = last[data];
      if (of.how != access || !in_any_order(access)) {
        visit(of.groups);
        std::swap(of.groups.before, of.groups.tasks);
        of.groups.tasks.clear();
        of.how = access;
      }
      of.groups.tasks.push_back(task);
    });
  }
  for (const Last& of : last) visit(of.groups);
}

void TaskGraph::drop_repeated_inputs() {
  std::vector<Index> last_reader(data(), static_cast<Index>(-1));
  std::vector<std::size_t> kept_at(writes() ? data() : 0);  // of a data item's last access
  std::size_t kept = 0;
  std::size_t from = 0;
  for (std::size_t t = 0; t < tasks(); ++t) {
    const std::size_t to = parts_.input_begin[t + 1];
    const std::size_t begin = kept;
    for (; from < to; ++from) {
      const Index input = parts_.inputs[from];
      if (last_reader[input] == t) {
        if (writes()) {
          Access& kept_access = parts_.accesses[kept_at[input]];
          kept_access = both(kept_access, parts_.accesses[from]);
        }
        continue;
      }
      last_reader[input] = static_cast<Index>(t);
      if (writes()) {
        kept_at[input] = kept;
        parts_.accesses[kept] = parts_.accesses[from];
      }
      parts_.inputs[kept++] = input;
    }
    parts_.input_begin[t + 1] = kept;
    widest_ = std::max(widest_, kept - begin);
  }
  parts_.inputs.resize(kept);
  if (writes()) parts_.accesses.resize(kept);
  commutes_ = std::any_of(parts_.accesses.begin(), parts_.accesses.end(), damocles::commutes);
  reduces_ = std::any_of(parts_.accesses.begin(), parts_.accesses.end(), damocles::reduces);
  // Where nobody writes it is as if nothing had been said.
  if (std::none_of(parts_.accesses.begin(), parts_.accesses.end(),
                   [](Access access) { return damocles::writes(access); })) {
    parts_.accesses.clear();
  }
}

/// What is read comes first, then that on which the task commutes, what it only writes, and into
/// what it reduces: so what it needs stands together, and a graph is the same whatever names first.
void TaskGraph::sort_accesses() {
  if (std::all_of(parts_.accesses.begin(), parts_.accesses.end(),
                  [](Access access) { return place_of(access) == 0; })) {
    return;
  }
  std::vector<std::uint32_t> created(tasks(), 0);
  std::vector<std::pair<Index, Access>> row;
  for (std::size_t t = 0; t < tasks(); ++t) {
    row.clear();
    for_each_access(static_cast<Index>(t),
                    [&](Index data, Access access) { row.emplace_back(data, access); });
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
      return place_of(a.second) < place_of(b.second);
    });
    std::size_t at = parts_.input_begin[t];
    for (const auto& [data, access] : row) {
      parts_.inputs[at] = data;
      parts_.accesses[at++] = access;
      created[t] += reads(access) ? 0 : 1;
    }
  }
  const bool any =
      std::any_of(created.begin(), created.end(), [](auto count) { return count > 0; });
  if (any) created_ = std::move(created);
}

/// No wait is inferred: where many tasks commute, or read what many wrote, they are what takes time
/// and memory. No data item is temporary, as what a task reads may come before it is written.
void TaskGraph::take_as_independent() {
  parts_.dependencies.clear();
  parts_.lifetimes.clear();
  if (!writes()) return;
  parts_.output_bytes.resize(tasks(), 0);
  std::size_t kept = 0;
  std::size_t at = 0;
  widest_ = 0;
  for (std::size_t t = 0; t < tasks(); ++t) {
    const std::size_t begin = kept;
    for (; at < parts_.input_begin[t + 1]; ++at) {
      const Index data = parts_.inputs[at];
      if (damocles::writes(parts_.accesses[at])) parts_.output_bytes[t] += bytes(data);
      if (reads(parts_.accesses[at])) parts_.inputs[kept++] = data;
    }
    parts_.input_begin[t + 1] = kept;
    widest_ = std::max(widest_, kept - begin);
  }
  parts_.inputs.resize(kept);
  parts_.accesses.clear();
  created_.clear();
  commutes_ = reduces_ = false;
}

void TaskGraph::list_users() {
  auto rows = compressed_rows<std::uint64_t, Index>(data(), [&](auto&& add) {
    for (Index task = 0; task < tasks(); ++task) {
      for (const Index input : inputs(task)) add(input, task);
    }
  });
  user_begin_ = std::move(rows.begin);
  users_ = std::move(rows.entries);
}

std::uint64_t TaskGraph::footprint(Index task) const {
  std::uint64_t total = 0;
  for (const Index input : inputs(task)) total += bytes(input);
  return total;
}

void TaskGraph::prioritise(std::vector<double> priorities) {
  check_shape("priorities", priorities.size(), tasks());
  parts_.priorities = std::move(priorities);
}

void TaskGraph::reweigh(std::vector<double> flops) {
  check_shape("flops", flops.size(), tasks());
  parts_.flops = std::move(flops);
  total_flops_ = std::accumulate(parts_.flops.begin(), parts_.flops.end(), 0.0);
}

bool TaskGraph::any(Lifetime lifetime) const {
  return std::find(parts_.lifetimes.begin(), parts_.lifetimes.end(), lifetime) !=
         parts_.lifetimes.end();
}

std::vector<TaskGraph::Index> TaskGraph::writers() const {
  std::vector<Index> writers(data());
  for (std::size_t task = 0; task < tasks(); ++task) {
    for_each_access(static_cast<Index>(task), [&](Index data, Access access) {
      if (damocles::writes(access)) ++writers[data];
    });
  }
  return writers;
}

std::string TaskGraph::task_name(Index task) const {
  if (!parts_.task_names.empty()) return parts_.task_names[task];
  const auto data = inputs(task);
  return parts_.index_names.task_name(
      {.number = task, .kind = kind_name(task), .data = {data.begin(), data.end()}});
}

std::string TaskGraph::data_name(Index data) const {
  return parts_.data_names.empty() ? parts_.index_names.data_name(data) : parts_.data_names[data];
}

const std::string& TaskGraph::kind_name(Index task) const {
  static const std::string none;
  return parts_.task_kinds.empty() ? none : parts_.kind_names[parts_.task_kinds[task]];
}

}  // namespace damocles
