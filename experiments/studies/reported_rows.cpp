#include "experiments/studies/reported_rows.hpp"

#include <chrono>
#include <system_error>
#include <utility>

namespace damocles {

ReportedRows::ReportedRows(Progress progress, const std::vector<Job>& jobs, StopCheck check)
    : progress_(std::move(progress)), all_(jobs.size()), check_(std::move(check)) {
  if (!progress_) return;
  for (const Job& job : jobs) times_.expect(job.method, job.tasks);
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

void ReportedRows::make(const Job& job, const std::function<void()>& row,
                        const std::function<void(double)>& made) {
  if (check_) check_();
  RunShare share(check_ ? &check_ : nullptr);
  {
    const std::lock_guard lock(mutex_);
    running_.emplace(&share, &job);
  }
  const auto leave = [&] { running_.erase(&share); };
  const auto start = std::chrono::steady_clock::now();
  try {
    row();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    leave();
    throw;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const std::lock_guard lock(mutex_);
  leave();
  made(taken.count());
  ++done_;
  if (!progress_) return;
  times_.made(job.method, job.tasks, taken.count());
  tell();
}

void ReportedRows::tell_now_and_then() {
  constexpr std::chrono::milliseconds between{500};
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, between, [&] { return stop_; })) {
    if (done_ < all_) tell();
  }
}

void ReportedRows::tell() const {
  double running_s = 0;
  for (const auto& [share, job] : running_) {
    running_s += share->value() * job->tasks * times_.a_task_s(job->method);
  }
  progress_(done_, all_, done_ == all_ ? 1 : times_.share_done(running_s));
}

}  // namespace damocles
