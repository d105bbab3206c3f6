#include "models/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <optional>

#include "models/error.hpp"
#include "models/host_memory.hpp"

namespace damocles {
namespace {

void check_extents(std::initializer_list<std::uint64_t> extents) {
  for (const std::uint64_t extent : extents) {
    if (extent < 1 || extent > max_extent) {
      throw InvalidInput(
          fmt::format("a workload with {} blocks a side; give 1 to {}", extent, max_extent));
    }
  }
}

}  // namespace

struct Workload::Written {
  std::once_flag once;
  std::optional<TaskGraph> graph;
  std::optional<SourceFile> source{};
};

Workload::Workload(std::string text, std::uint64_t m, std::uint64_t n, std::uint64_t k,
                   const BlockWeights& weights)
    : text_(std::move(text)),
      kind_(k == 0 ? Kind::outer : Kind::matrix),
      m_(m),
      n_(n),
      k_(k),
      tasks_(k == 0 ? m * n : m * n * k),
      data_(k == 0 ? m + n : m * k + k * n + m * n),
      weights_(weights),
      written_(std::make_shared<Written>()) {
  // A product of two extents fits in 64 bits, one of three may not: divide instead.
  if (m * n > max_tasks || (k > 0 && k > max_tasks / (m * n))) {
    throw InvalidInput(fmt::format(
        "workload '{}' has more than 2^40 tasks; make the product of its sizes at most {}", text_,
        max_tasks));
  }
}

Workload::Workload(std::string text, TaskGraph graph)
    : text_(std::move(text)),
      kind_(Kind::graph),
      tasks_(graph.tasks()),
      data_(graph.data()),
      written_(std::make_shared<Written>()) {
  written_->graph.emplace(std::move(graph));
}

Workload Workload::outer(std::uint64_t m, std::uint64_t n) {
  return grid(m == n ? fmt::format("outer:n={}", n) : fmt::format("outer:m={},n={}", m, n), m, n, 0,
              {});
}

Workload Workload::matrix(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  check_extents({k});
  return grid(m == n && k == n ? fmt::format("matrix:n={}", n)
                               : fmt::format("matrix:m={},n={},k={}", m, n, k),
              m, n, k, {});
}

Workload Workload::grid(std::string text, std::uint64_t m, std::uint64_t n, std::uint64_t k,
                        const BlockWeights& weights, const Structure& block) {
  check_extents({m, n});
  if (k > 0) check_extents({k});
  Workload result(std::move(text), m, n, k, weights);
  result.structure_ = {.kind = k == 0 ? Structure::Kind::product_2d : Structure::Kind::product_3d,
                       .m = m,
                       .n = n,
                       .k = std::max<std::uint64_t>(1, k),
                       .reads_c = k == 0 ? ReadsC::no : ReadsC::yes,
                       .tile = block.tile,
                       .depth = block.depth};
  return result;
}

Workload Workload::of_graph(std::string text, TaskGraph graph, std::optional<SourceFile> source,
                            const Structure& structure) {
  Workload result(std::move(text), std::move(graph));
  result.written_->source = std::move(source);
  result.structure_ = structure;
  return result;
}

const std::optional<SourceFile>& Workload::source() const { return written_->source; }

const TaskGraph& Workload::graph() const {
  if (is_grid()) std::call_once(written_->once, [&] { written_->graph.emplace(written_out()); });
  return *written_->graph;
}

bool Workload::has_dependencies() const { return !is_grid() && graph().ordered(); }

bool Workload::writes() const { return !is_grid() && graph().writes(); }

void Workload::refuse_dependencies() const {
  if (!has_dependencies() && !writes()) return;
  throw Infeasible(fmt::format(
      "workload '{}' has {}, which are supported only on platforms of limited memory; {}", text_,
      !graph().dependencies().empty()
          ? fmt::format("{} dependencies between tasks", graph().dependencies().size())
          : "tasks that write its data",
      source() ? "add deps=ignore to take its tasks as independent"
               : "give a platform as gpus:k=2,memory=500MB"));
}

IndexNames Workload::names_of_grid() const {
  if (kind_ == Kind::matrix) return product_names(m_, n_, k_);
  return has_sizes() ? panel_names(m_) : outer_names(m_);
}

std::string Workload::task_name(TaskId task) const {
  if (!is_grid()) return graph().task_name(static_cast<TaskGraph::Index>(raw(task)));
  IndexNames::Task named{.number = raw(task)};
  for_each_input(task, [&](DataId data) { named.data.push_back(raw(data)); });
  return names_of_grid().task_name(named);
}

std::string Workload::data_name(DataId data) const {
  return is_grid() ? names_of_grid().data_name(raw(data))
                   : graph().data_name(static_cast<TaskGraph::Index>(raw(data)));
}

TaskGraph Workload::written_out() const {
  const std::uint64_t inputs_a_task = kind_ == Kind::outer ? 2 : 3;
  if (tasks() * inputs_a_task > std::uint64_t{1} << 31U || data() > std::uint64_t{1} << 31U) {
    throw Infeasible(fmt::format(
        "workload '{}' has {} tasks: too many to write out as a graph; at most 2^31 inputs in all",
        text_, tasks()));
  }
  const MemoryPromise promise(
      TaskGraph::bytes_of(static_cast<double>(tasks_), static_cast<double>(tasks_ * inputs_a_task)),
      MemoryPromise::Others::count);
  TaskGraph::Parts parts;
  parts.index_names = names_of_grid();
  parts.bytes.assign(data(), has_sizes() ? weights_.bytes : 1);
  parts.flops.assign(tasks(), has_sizes() ? weights_.flops : 1);
  if (weights_.output_bytes > 0) parts.output_bytes.assign(tasks(), weights_.output_bytes);
  parts.inputs.reserve(tasks() * inputs_a_task);
  parts.input_begin.reserve(tasks() + 1);
  for (std::uint64_t task = 0; task < tasks(); ++task) {
    for_each_input(TaskId{task}, [&](DataId data) {
      parts.inputs.push_back(static_cast<TaskGraph::Index>(raw(data)));
    });
    parts.input_begin.push_back(parts.inputs.size());
  }
  return TaskGraph(std::move(parts));
}

}  // namespace damocles
