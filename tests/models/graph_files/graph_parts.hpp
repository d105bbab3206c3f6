#pragma once

#include "models/task_graph.hpp"

namespace damocles {

/// Equal in everything a graph is made of.
inline bool equal_parts(const TaskGraph& a, const TaskGraph& b) {
  const auto& x = a.parts();
  const auto& y = b.parts();
  return x.bytes == y.bytes && x.input_begin == y.input_begin && x.inputs == y.inputs &&
         x.flops == y.flops && x.output_bytes == y.output_bytes && x.priorities == y.priorities &&
         x.dependencies == y.dependencies && x.task_names == y.task_names &&
         x.data_names == y.data_names && x.accesses == y.accesses && x.kind_names == y.kind_names &&
         x.task_kinds == y.task_kinds && x.lifetimes == y.lifetimes;
}

}  // namespace damocles
