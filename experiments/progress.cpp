#include "experiments/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "experiments/message.hpp"

namespace damocles {

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::min(std::ceil(seconds), 1e15));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

double share_of_rows(std::size_t done, std::size_t all) {
  return all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 0;
}

std::string progress_line(std::size_t done, std::size_t all, double share, double elapsed_s) {
  std::string line = fmt::format("{} of {} rows ({:.0f} %)", done, all, std::floor(100 * share));
  constexpr double worth_a_guess = 0.001;  // of what the time left would be guessed from
  if (share <= 0 || (share < worth_a_guess && done == 0)) return line;
  if (elapsed_s <= 0) return line;
  // Where one row is made, its share says how fast that is.
  const double rate =
      std::max(static_cast<double>(done), share * static_cast<double>(all)) / elapsed_s;
  const std::string speed =
      rate >= 1 ? fmt::format("{:.3g} rows/s", rate) : fmt::format("{:.3g} s a row", 1 / rate);
  return fmt::format("{}, {}, {}, {} left", line, speed, duration_text(elapsed_s),
                     duration_text(elapsed_s * (1 - share) / share));
}

namespace {

/// A line that wraps could not be overwritten.
std::string cut_to_terminal(std::string line) {
  winsize screen{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &screen) == 0 && screen.ws_col > 1 &&
      line.size() >= screen.ws_col) {
    line.resize(screen.ws_col - 1U);
  }
  return line;
}

}  // namespace

Progress terminal_progress(bool quiet) {
  if (quiet || !is_terminal(STDERR_FILENO)) return {};
  using Clock = std::chrono::steady_clock;
  return [start = Clock::now(), shown = Clock::time_point{}](std::size_t done, std::size_t all,
                                                             double share) mutable {
    constexpr std::chrono::milliseconds readable{100};
    const auto now = Clock::now();
    if (done < all && now - shown < readable) return;
    shown = now;
    const std::chrono::duration<double> elapsed = now - start;
    const std::string line =
        done < all ? cut_to_terminal(progress_line(done, all, share, elapsed.count())) : "";
    // A terminal that has gone is no reason to stop.
    (void)std::fputs(("\r" + line + "\x1b[K").c_str(), stderr);
    (void)std::fflush(stderr);
  };
}

}  // namespace damocles
