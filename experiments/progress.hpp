#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace damocles {

/// How a run reports, from one thread at a time: called with (rows done, rows in all, the share of
/// the work that is done). Rows differ in work, and those that are being made count in part.
using Progress = std::function<void(std::size_t, std::size_t, double)>;

/// A line of progress on standard error, with rate, time elapsed and time left; cleared at the end.
/// Nothing where that is no terminal, or with `quiet`.
[[nodiscard]] Progress terminal_progress(bool quiet = false);

/// "120 of 400 rows (30 %), 45 rows/s, 3 s, 7 s left", after `elapsed_s` seconds.
/// @param share  of the work that is done: what is left takes as long as it did, in proportion
[[nodiscard]] std::string progress_line(std::size_t done, std::size_t all, double share,
                                        double elapsed_s);

/// Progress where rows take alike long.
[[nodiscard]] double share_of_rows(std::size_t done, std::size_t all);

/// A time for eyes: "3 s", "2 min 5 s", "3 h 20 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace damocles
