#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "experiments/progress.hpp"
#include "sim/run_share.hpp"

namespace damocles {

/// Tells how many rows are made: when one is, and twice a second, so that a long run shows how far
/// it is.
class ReportedRows {
 public:
  /// Where nobody looks (`progress` is empty), no thread is started.
  /// @param check  called before each row and while it is simulated; may be empty
  ReportedRows(Progress progress, std::size_t all, StopCheck check = {});
  ReportedRows(const ReportedRows&) = delete;
  ReportedRows& operator=(const ReportedRows&) = delete;
  ReportedRows(ReportedRows&&) = delete;
  ReportedRows& operator=(ReportedRows&&) = delete;
  ~ReportedRows();

  /// Makes one row on this thread, then tells `made` and the progress, from one thread at a time.
  void make(const std::function<void()>& row, const std::function<void()>& made);

 private:
  void tell_now_and_then();
  void tell() const;

  const Progress progress_;
  const std::size_t all_;
  const StopCheck check_;
  std::mutex mutex_;  // of all below
  std::condition_variable stopped_;
  std::size_t done_ = 0;
  bool stop_ = false;
  std::vector<const RunShare*> running_;
  std::thread clock_;
};

}  // namespace damocles
