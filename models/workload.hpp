#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/digest.hpp"
#include "models/ids.hpp"
#include "models/precision.hpp"
#include "models/task_graph.hpp"
#include "models/workloads/structure.hpp"

namespace damocles {

/// The largest number of tasks a workload may have.
inline constexpr std::uint64_t max_tasks = std::uint64_t{1} << 40U;
/// The largest extent of one index.
inline constexpr std::uint64_t max_extent = std::uint64_t{1} << 31U;

/// What every task and every data item of a grid weighs; bytes = 0 where the workload does not say.
struct BlockWeights {
  std::uint64_t bytes = 0;         ///< of each data item [B]
  double flops = 0;                ///< of each task
  std::uint64_t output_bytes = 0;  ///< written back by each task [B]
};

/// The workloads whose tasks form a grid, for errors.
inline constexpr std::string_view grid_workloads =
    "outer, matrix, gemm2d or gemm3d with c=yes, without order=random";

/// Tasks, data, and which task reads which: a grid, or a bipartite graph.
///
/// A grid is implicit: inputs are computed from indices, never stored, so 10^9 tasks fit.
/// Outer product a b^t (2 indices): task (i, j) reads a_i and b_j, i < m, j < n.
/// Matrix product C += A B (3 indices): task (i, j, l) reads A_il, B_lj and C_ij, i < m, j < n, l <
/// k. All data have one size, all tasks cost the same.
/// Tasks are numbered lexicographically, the last index fastest. Data: a before b; A, B, then C.
/// Source: Beaumont & Marchal, HPDC'14, sections 3.1 and 4.1 (m = n = k there).
///
/// All others are written out (TaskGraph); graph() reads a grid as one too. Tasks are numbered in
/// the order in which they are submitted.
class Workload {
 public:
  /// `name:key=value,...`, as forms() lists them.
  /// @throws InvalidInput on an unknown name or key, a size outside [1, 2^31], or more than 2^40
  /// tasks
  static Workload parse(std::string_view text);
  static Workload outer(std::uint64_t m, std::uint64_t n);
  static Workload matrix(std::uint64_t m, std::uint64_t n, std::uint64_t k);
  /// A grid of 2 (k = 0) or 3 indices whose blocks have weights; of `block` only what one task
  /// multiplies counts, its tile and depth.
  static Workload grid(std::string text, std::uint64_t m, std::uint64_t n, std::uint64_t k,
                       const BlockWeights& weights, const Structure& block = {});
  /// A graph; `source` is the file it was read from, where it was.
  static Workload of_graph(std::string text, TaskGraph graph, std::optional<SourceFile> source = {},
                           const Structure& structure = {});
  /// The valid names with their keys, for `damocles list workloads`.
  static const std::vector<std::array<std::string, 2>>& forms();

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The file behind text(), where there is one.
  [[nodiscard]] const std::optional<SourceFile>& source() const;
  /// What is known of its tasks beyond the graph.
  [[nodiscard]] const Structure& structure() const { return structure_; }
  /// Whether it is one of grid_workloads.
  [[nodiscard]] bool is_grid() const { return kind_ != Kind::graph; }
  /// Number of indices of a task: 2 or 3 for a grid, 0 for a graph.
  [[nodiscard]] int dimensions() const { return static_cast<int>(kind_); }
  /// Extent of index 0 (i), 1 (j) or 2 (l).
  [[nodiscard]] std::uint64_t extent(int index) const {
    return index == 0 ? m_ : index == 1 ? n_ : k_;
  }
  [[nodiscard]] std::uint64_t tasks() const { return tasks_; }
  [[nodiscard]] std::uint64_t data() const { return data_; }
  /// Whether data have bytes and tasks have flops: a graph, or a grid with weights.
  [[nodiscard]] bool has_sizes() const { return !is_grid() || weights_.bytes > 0; }
  [[nodiscard]] const BlockWeights& weights() const { return weights_; }
  /// What its tasks compute in, of workloads that say so.
  [[nodiscard]] std::optional<Precision> precision() const { return precision_; }

  /// Whether tasks wait for others, or for their turn on a data item.
  [[nodiscard]] bool has_dependencies() const;
  /// Whether tasks write data of the graph.
  [[nodiscard]] bool writes() const;
  /// @throws Infeasible if tasks wait for others or write: only MemoryAwareRuntime runs them in
  /// order yet
  void refuse_dependencies() const;

  /// The workload written out; of a grid on the first call, where a data item without weight has 1
  /// byte and a task 1 flop. @throws InvalidInput if that exceeds 2^31 tasks, data or inputs
  [[nodiscard]] const TaskGraph& graph() const;

  [[nodiscard]] DataId data_a(std::uint64_t i) const { return DataId{i}; }
  [[nodiscard]] DataId data_b(std::uint64_t j) const { return DataId{m_ + j}; }
  [[nodiscard]] DataId data_A(std::uint64_t i, std::uint64_t l) const { return DataId{i * k_ + l}; }
  [[nodiscard]] DataId data_B(std::uint64_t l, std::uint64_t j) const {
    return DataId{m_ * k_ + l * n_ + j};
  }
  [[nodiscard]] DataId data_C(std::uint64_t i, std::uint64_t j) const {
    return DataId{m_ * k_ + k_ * n_ + i * n_ + j};
  }

  [[nodiscard]] TaskId task(std::uint64_t i, std::uint64_t j, std::uint64_t l = 0) const {
    return TaskId{k_ == 0 ? i * n_ + j : (i * n_ + j) * k_ + l};
  }

  /// i, j and l of a task; l = 0 for 2 indices.
  [[nodiscard]] std::array<std::uint64_t, 3> indices(TaskId task) const {
    // 32-bit division takes a third of the time, and phase 2 does little else.
    if (tasks() <= std::uint64_t{1} << 32U) return divided(static_cast<std::uint32_t>(raw(task)));
    return divided(raw(task));
  }

  /// What a task is called: as its file says, or by its indices, as GEMM(5,2,1); else T17.
  [[nodiscard]] std::string task_name(TaskId task) const;
  /// Likewise A(5,2), or D5.
  [[nodiscard]] std::string data_name(DataId data) const;

  /// Calls visit(DataId) for each input of `task`.
  template <typename Visit>
  void for_each_input(TaskId task, Visit&& visit) const {
    if (kind_ == Kind::graph) {
      for (const auto input : graph().inputs(static_cast<TaskGraph::Index>(raw(task)))) {
        visit(DataId{input});
      }
      return;
    }
    const auto [i, j, l] = indices(task);
    if (kind_ == Kind::outer) {
      visit(data_a(i));
      visit(data_b(j));
      return;
    }
    visit(data_A(i, l));
    visit(data_B(l, j));
    visit(data_C(i, j));
  }

 private:
  template <typename Id>
  [[nodiscard]] std::array<std::uint64_t, 3> divided(Id id) const {
    const auto n = static_cast<Id>(n_);
    const auto k = static_cast<Id>(k_ == 0 ? 1 : k_);
    const Id ij = id / k;
    return {ij / n, ij % n, id % k};
  }

  enum class Kind { graph = 0, outer = 2, matrix = 3 };
  struct Written;  // a graph, whether it has been made yet, and the file it is from

  Workload(std::string text, std::uint64_t m, std::uint64_t n, std::uint64_t k,
           const BlockWeights& weights);
  Workload(std::string text, TaskGraph graph);
  [[nodiscard]] TaskGraph written_out() const;
  [[nodiscard]] IndexNames names_of_grid() const;

  std::string text_;
  Kind kind_;
  std::uint64_t m_ = 0;
  std::uint64_t n_ = 0;
  std::uint64_t k_ = 0;  // 0: two indices
  std::uint64_t tasks_;
  std::uint64_t data_;
  BlockWeights weights_;
  Structure structure_{};
  std::optional<Precision> precision_{};
  std::shared_ptr<Written> written_;  // shared by copies
};

}  // namespace damocles
