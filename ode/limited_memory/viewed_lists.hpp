#pragma once

#include <vector>

#include "ode/limited_memory/limited_predictor.hpp"
#include "ode/limited_memory/pace.hpp"
#include "ode/limited_memory/viewed_list.hpp"

namespace damocles {

/// Processors with a list each.
struct ViewedLists {
  std::vector<ViewedList> lists{};  ///< shape (processors)
  bool steal = false;               ///< who has no task left takes half of the longest list
  Taken taken = Taken::when_inputs_came;
};

/// The mean of some runs of them: the jitter decides when somebody steals.
[[nodiscard]] LimitedPrediction predict_viewed(const LimitedRun& run, ViewedLists lists);

/// The same of these lists, all viewed alike.
/// @param kind  what is said of all; has no list
[[nodiscard]] LimitedPrediction predict_lists(const LimitedRun& run,
                                              const std::vector<TaskSequence>& lists,
                                              const ListView& view, ViewedLists kind = {});

}  // namespace damocles
