#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/dependencies.hpp"
#include "models/ids.hpp"
#include "models/workloads/names.hpp"

namespace damocles {

/// How a task accesses a data item: a bit for reading, one for writing, one for either way of
/// adding to it.
enum class Access : std::uint8_t {
  read = 1,
  write = 2,
  read_write = 3,
  commute = 7,  ///< reads and writes; tasks that do so one after the other may do so in any order
  reduce = 10,  ///< adds to it, at the same time as others: into private copies that are added up
};

[[nodiscard]] constexpr bool reads(Access access) {
  return (static_cast<unsigned>(access) & static_cast<unsigned>(Access::read)) != 0;
}
[[nodiscard]] constexpr bool writes(Access access) {
  return (static_cast<unsigned>(access) & static_cast<unsigned>(Access::write)) != 0;
}
[[nodiscard]] constexpr bool commutes(Access access) { return access == Access::commute; }
[[nodiscard]] constexpr bool reduces(Access access) { return access == Access::reduce; }
/// Whether tasks that access a data item so, with no other access between them, may all go first.
[[nodiscard]] constexpr bool in_any_order(Access access) {
  return !writes(access) || commutes(access) || reduces(access);
}

/// How long a data item is needed.
enum class Lifetime : std::uint8_t {
  kept,        ///< for ever: at the end of a run it belongs in host memory
  temporary,   ///< from the task that makes it to its last access; never in host memory, if
               ///< avoidable
  by_use,      ///< temporary if one task makes it, and the others that access it read it; else kept
  early_home,  ///< kept, and sent to host memory once it has been written for the last time
};

/// What a recorded run tells of a task.
struct RecordedTask {
  enum class Where : std::uint8_t { unknown, core, gpu };

  /// StarPU's hash of the sizes and shapes of all data of the task, by which it keeps times.
  std::optional<std::uint32_t> footprint{};
  std::optional<double> seconds{};  ///< from start to end
  Where where = Where::unknown;     ///< the kind of worker that ran it
};

/// Tasks, data, who reads and writes what, and who waits for whom, written out: the bipartite graph
/// G = (T u D, E) of COLOC21, section 2, in compressed rows both ways, with the dependencies of
/// COMPAS'23, section 4.3.
///
/// Where tasks write, two that access one data item, of which one writes it, run one after the
/// other: in the order in which they were submitted, or the other one where the given dependencies
/// say so (StarPU's sequential consistency: read after write, write after read, write after write).
/// Those that commute on a data item, submitted with no other access of it between them, wait for
/// none of each other; only one of them holds the data at a time (StarPU's STARPU_COMMUTE). Those
/// that reduce into a data item wait for none of each other either, nor for a turn (StarPU's
/// STARPU_REDUX).
///
/// Rows hold plain indices of 32 bits (raw(TaskId), raw(DataId)): at 10^6 tasks the graph is what
/// strategies walk most, and half the size is half the time.
class TaskGraph {
 public:
  using Index = std::uint32_t;

  /// What a graph is made of. Vectors marked "or empty" stand for their default.
  struct Parts {
    std::vector<std::uint64_t> bytes;                ///< size of each data item [B], > 0, shape (n)
    std::vector<std::uint64_t> input_begin = {0};    ///< where a task's inputs begin, shape (m + 1)
    std::vector<Index> inputs;                       ///< data that tasks access, task after task
    std::vector<double> flops;                       ///< of each task, >= 0, shape (m)
    std::vector<std::uint64_t> output_bytes{};       ///< written back by each task [B], or empty: 0
    std::vector<double> priorities{};                ///< or empty: all equal; larger goes first
    std::vector<Dependencies::Wait> dependencies{};  ///< (task, the task it waits for)
    std::vector<std::string> task_names{};           ///< or empty: those of index_names
    std::vector<std::string> data_names{};           ///< or empty: likewise
    IndexNames index_names{};                        ///< by default T0, T1, ..., D0, D1, ...
    std::vector<Access> accesses{};           ///< of each of `inputs`, or empty: all are read
    std::vector<std::string> kind_names{};    ///< of kernels: GEMM, POTRF, ...
    std::vector<std::uint16_t> task_kinds{};  ///< in kind_names, or empty: nothing is known
    std::vector<RecordedTask> recorded{};     ///< of each task, or empty: nothing was recorded
    std::vector<Lifetime> lifetimes{};        ///< of data items, or empty: all are kept
    /// Nobody waits for another, whatever is said above, and what tasks write is their output.
    bool independent = false;

    /// Adds a task after those there are.
    void add_task(std::span<const Index> reads, double task_flops);
    /// Adds one that also writes some of what it accesses, `how` each. @pre every task is added so
    void add_task(std::span<const Index> data, std::span<const Access> how, double task_flops);
  };

  /// An input named twice by one task counts once; each task's inputs are kept in the order given,
  /// but those on which it commutes after those that it reads, and those that it only writes last.
  /// @throws InvalidInput if a task reads data that is not there, or temporary data before a task
  ///         has written them, if a size is 0, if a number of flops is negative or not finite, if
  ///         shapes differ, if there is no task, if tasks wait for each other in a circle, if there
  ///         are more than 2^31 tasks, data or edges, if the waits that follow from accesses take
  ///         more memory than there is, or if all tasks together compute more than 1e300 flops or
  ///         read and write more than 2^60 bytes
  explicit TaskGraph(Parts parts);

  /// What the lists of a graph of so many tasks take at least [B], all inputs together counted.
  [[nodiscard]] static constexpr double bytes_of(double tasks, double inputs) {
    return tasks * (sizeof(std::uint64_t) + sizeof(double)) + inputs * 2 * sizeof(Index);
  }

  /// Gives tasks these priorities in place of those they had, shape (m). @throws InvalidInput on
  /// another shape
  void prioritise(std::vector<double> priorities);
  /// Gives tasks these flops in place of those they had, shape (m). @pre all >= 0 and finite
  void reweigh(std::vector<double> flops);

  [[nodiscard]] std::size_t tasks() const { return parts_.flops.size(); }
  [[nodiscard]] std::size_t data() const { return parts_.bytes.size(); }
  [[nodiscard]] std::size_t edges() const { return parts_.inputs.size(); }

  /// The data that a task accesses, each once: what has to be in the memory in which it runs.
  [[nodiscard]] std::span<const Index> inputs(Index task) const {
    return {parts_.inputs.data() + first_input(task), parts_.inputs.data() + end_of_inputs(task)};
  }
  /// Of these, the first ones, what it reads: what has to be loaded.
  [[nodiscard]] std::span<const Index> needed(Index task) const {
    const auto all = inputs(task);
    return created_.empty() ? all : all.first(all.size() - created_[task]);
  }
  /// How it accesses each of them; empty where no task of the graph writes.
  [[nodiscard]] std::span<const Access> accesses(Index task) const {
    if (parts_.accesses.empty()) return {};
    return {parts_.accesses.data() + first_input(task),
            parts_.accesses.data() + end_of_inputs(task)};
  }
  /// Whether some task writes data of the graph.
  [[nodiscard]] bool writes() const { return !parts_.accesses.empty(); }
  /// Whether some task writes data without reading them: they come into memory without a load.
  [[nodiscard]] bool creates_data() const { return !created_.empty(); }
  /// Whether some tasks commute on a data item.
  [[nodiscard]] bool commutes() const { return commutes_; }
  /// Whether some tasks reduce into a data item.
  [[nodiscard]] bool reduces() const { return reduces_; }
  /// Whether some data item has this lifetime.
  [[nodiscard]] bool any(Lifetime lifetime) const;
  /// Whether the data item is: it exists from the first task that writes it to the last access.
  [[nodiscard]] bool temporary(Index data) const {
    return !parts_.lifetimes.empty() && parts_.lifetimes[data] == Lifetime::temporary;
  }
  /// Whether the data item is sent to host memory after its last write, while tasks still read it.
  [[nodiscard]] bool early_home(Index data) const {
    return !parts_.lifetimes.empty() && parts_.lifetimes[data] == Lifetime::early_home;
  }
  /// By data, the number of tasks that write it.
  [[nodiscard]] std::vector<Index> writers() const;
  /// By data, whether one task makes it, and only others read it then (Lifetime::by_use).
  [[nodiscard]] std::vector<bool> passed_on() const {
    return passed_on(dependencies_.order(tasks()));
  }
  /// Whether some task may not run at once: it waits for another, or for its turn on a data item.
  [[nodiscard]] bool ordered() const { return !dependencies_.empty() || commutes_; }
  /// Whether a task reads the data as it was before all tasks: from where all data lie first.
  [[nodiscard]] bool read_from_home(Index data) const {
    return writes() ? read_from_home_[data] : !users(data).empty();
  }
  /// Calls visit(data, access) for each data item that the task accesses.
  template <typename Visit>
  void for_each_access(Index task, Visit&& visit) const {
    for (std::uint64_t at = first_input(task); at < end_of_inputs(task); ++at) {
      visit(parts_.inputs[at], parts_.accesses.empty() ? Access::read : parts_.accesses[at]);
    }
  }
  /// Who waits for whom: as given, and where tasks write, as their accesses say.
  [[nodiscard]] const Dependencies& dependencies() const { return dependencies_; }
  /// The tasks that access a data item, ascending.
  [[nodiscard]] std::span<const Index> users(Index data) const {
    return {users_.data() + user_begin_[data], users_.data() + user_begin_[data + 1]};
  }
  [[nodiscard]] std::uint64_t bytes(Index data) const { return parts_.bytes[data]; }
  [[nodiscard]] double flops(Index task) const { return parts_.flops[task]; }
  [[nodiscard]] std::uint64_t output_bytes(Index task) const {
    return parts_.output_bytes.empty() ? 0 : parts_.output_bytes[task];
  }
  [[nodiscard]] double priority(Index task) const {
    return parts_.priorities.empty() ? 0 : parts_.priorities[task];
  }
  /// The size of every data item [B] where all have one, else nothing.
  [[nodiscard]] std::optional<std::uint64_t> uniform_bytes() const { return uniform_bytes_; }
  /// Sum of the sizes of a task's inputs [B].
  [[nodiscard]] std::uint64_t footprint(Index task) const;
  /// The most inputs any task has.
  [[nodiscard]] std::size_t widest() const { return widest_; }
  [[nodiscard]] double total_flops() const { return total_flops_; }
  /// Of a data item [B]; 0 where there are none.
  [[nodiscard]] double mean_bytes() const { return mean_bytes_; }
  [[nodiscard]] std::string task_name(Index task) const;
  [[nodiscard]] std::string data_name(Index data) const;
  /// What a recorded run tells of it.
  [[nodiscard]] RecordedTask recorded(Index task) const {
    return parts_.recorded.empty() ? RecordedTask{} : parts_.recorded[task];
  }
  /// The name of its kind, "" where there is none.
  [[nodiscard]] const std::string& kind_name(Index task) const;
  [[nodiscard]] const Parts& parts() const { return parts_; }

 private:
  /// Where a task's inputs begin. Where all tasks have equally many it is computed, as looking it
  /// up costs tasks in no order a second cache miss.
  [[nodiscard]] std::uint64_t first_input(Index task) const {
    return inputs_each_ > 0 ? task * inputs_each_ : parts_.input_begin[task];
  }
  [[nodiscard]] std::uint64_t end_of_inputs(Index task) const {
    return inputs_each_ > 0 ? (std::uint64_t{task} + 1) * inputs_each_
                            : parts_.input_begin[task + 1];
  }
  void check() const;
  void check_shapes() const;
  void drop_repeated_inputs();
  void sort_accesses();
  void take_as_independent();
  void list_users();
  void order_tasks();
  void refuse_circle() const;
  void note_reads_from_home(std::span<const Index> order);
  [[nodiscard]] std::vector<bool> passed_on(std::span<const Index> order) const;
  void settle_lifetimes(std::span<const Index> order);
  void check_temporary(std::span<const Index> order) const;
  template <typename Visit>
  void for_each_handover(std::span<const Index> order, Visit&& visit) const;

  Parts parts_;
  Dependencies dependencies_;
  std::vector<std::uint64_t> user_begin_;
  std::vector<Index> users_;
  std::optional<std::uint64_t> uniform_bytes_;
  std::size_t widest_ = 0;
  std::uint64_t inputs_each_ = 0;       // of every task; 0: not all have equally many
  std::vector<std::uint32_t> created_;  // data that each task only writes; empty: none anywhere
  std::vector<bool> read_from_home_;    // where tasks write
  bool commutes_ = false;
  bool reduces_ = false;
  double total_flops_ = 0;
  double mean_bytes_ = 0;
};

}  // namespace damocles
