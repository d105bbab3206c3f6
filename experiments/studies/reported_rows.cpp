#include "experiments/studies/reported_rows.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace damocles {

ReportedRows::ReportedRows(Progress progress, std::size_t all, StopCheck check)
    : progress_(std::move(progress)), all_(all), check_(std::move(check)) {
  if (!progress_) return;
  tell();
  try {
    clock_ = std::thread([this] { tell_now_and_then(); });
  } catch (const std::system_error&) {  // no more threads: rows are told when they are made
  }
}

ReportedRows::~ReportedRows() {
  if (!clock_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  clock_.join();
}

void ReportedRows::make(const std::function<void()>& row, const std::function<void()>& made) {
  if (check_) check_();
  RunShare share(check_ ? &check_ : nullptr);
  {
    const std::lock_guard lock(mutex_);
    running_.push_back(&share);
  }
  const auto leave = [&] { std::erase(running_, &share); };
  try {
    row();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    leave();
    throw;
  }
  const std::lock_guard lock(mutex_);
  leave();
  made();
  ++done_;
  if (progress_) tell();
}

void ReportedRows::tell_now_and_then() {
  constexpr std::chrono::milliseconds between{500};
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, between, [&] { return stop_; })) {
    if (done_ < all_) tell();
  }
}

void ReportedRows::tell() const {
  double running = 0;
  for (const RunShare* const share : running_) running += share->value();
  progress_(done_, all_, running);
}

}  // namespace damocles
