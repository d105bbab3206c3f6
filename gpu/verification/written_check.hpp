#pragma once

#include <string>

#include "gpu/arithmetic/arithmetic.hpp"
#include "gpu/memory/store.hpp"

namespace damocles {

/// Checks what tasks wrote into data: every data item of the store against what it is when all
/// tasks run one after the other, in an order that their dependencies allow.
///
/// What a task writes depends on every word that it reads (written_word()), so one old or
/// unfinished version shows in all that came of it. Nothing is kept but one number a data item: its
/// words follow from the fold of the task that wrote it last.
/// @return "", or "wrong: data L3_2, which task GEMM3_2_1 wrote last, ...; and 5 more of 210": the
///         first is one that no other wrong data can have made wrong
/// @pre arithmetic.kernel().kind is checksum and arithmetic.writes_data()
[[nodiscard]] std::string wrong_data(const Arithmetic& arithmetic, const TaskGraph& graph,
                                     const Store& store);

}  // namespace damocles
