// What portfolio chooses from, and how: for the strategy, which simulates the candidates, and for
// the model, which predicts them.

#pragma once

#include <array>

namespace damocles {

/// The simplest first: of equal ones the first is taken.
inline constexpr std::array portfolio_candidates{"eager",
                                                 "mst",
                                                 "rcm",
                                                 "dmdar",
                                                 "hfp",
                                                 "darts",
                                                 "panel-streaming",
                                                 "panel-streaming:rank=bytes"};

/// Of two strategies the slower is taken where it moves less and is slower by no more than this.
inline constexpr double portfolio_slower_at_most = 1.01;

}  // namespace damocles
