#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "experiments/progress.hpp"
#include "experiments/studies/row_times.hpp"
#include "experiments/studies/study.hpp"
#include "sim/run_share.hpp"

namespace damocles {

/// Tells how many rows are made, and what share of the work that is: when one is, and twice a
/// second, so that a long run shows how far it is. How long rows take is learned meanwhile.
class ReportedRows {
 public:
  /// Where nobody looks (`progress` is empty), no thread is started.
  /// @param check  called before each row and while it is simulated; may be empty
  ReportedRows(Progress progress, const std::vector<Job>& jobs, StopCheck check = {});
  ReportedRows(const ReportedRows&) = delete;
  ReportedRows& operator=(const ReportedRows&) = delete;
  ReportedRows(ReportedRows&&) = delete;
  ReportedRows& operator=(ReportedRows&&) = delete;
  ~ReportedRows();

  /// Makes the row of a job on this thread, then tells `made`, with the seconds that it took, and
  /// the progress, from one thread at a time.
  void make(const Job& job, const std::function<void()>& row,
            const std::function<void(double)>& made);

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
  RowTimes times_;
  std::map<const RunShare*, const Job*> running_;
  std::thread clock_;
};

}  // namespace damocles
