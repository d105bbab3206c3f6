#include "experiments/cluster/sweep_on_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "experiments/results/csv.hpp"
#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/parallel.hpp"

namespace damocles {
namespace {

constexpr double leader_silence_s = 120;  // longer than it waits for a disk

double steady_s() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// MPI would wait by asking all the time, which takes the core from a thread that makes rows.
void wait_a_moment() { std::this_thread::sleep_for(std::chrono::microseconds(500)); }

/// Of all that the ranks must agree on.
std::string digest_of_sweep(const std::vector<Job>& jobs) {
  Digest digest;
  for (const Job& job : jobs) digest.add(job.key);
  return digest.full_hex();
}

/// Threads that make rows one by one, and what they made, as messages to rank 0.
class RowMakers {
 public:
  RowMakers(const std::vector<Job>& jobs, int threads) : jobs_(jobs) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { make_until_stopped(); });
  }
  RowMakers(const RowMakers&) = delete;
  RowMakers& operator=(const RowMakers&) = delete;
  ~RowMakers() { stop(); }

  void make(std::size_t row) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(row);
    }
    changed_.notify_one();
  }
  /// What was made since the last call.
  [[nodiscard]] std::vector<std::string> take_messages() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }
  /// Ends rows that are being made.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  void make_until_stopped() {
    const LoopsOnThisThread no_more_threads;
    while (true) {
      std::size_t row = 0;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
        if (stop_) return;
        row = waiting_.front();
        waiting_.pop_front();
      }
      std::string text = message_on(row);
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(text));
    }
  }

  [[nodiscard]] std::string message_on(std::size_t row) const {
    const double began = steady_s();
    const auto check = [this] {
      if (stop_) throw LoopStopped();
    };
    try {
      const auto records = run_jobs({jobs_.at(row)}, 1, {}, {}, check);
      return fmt::format("row {} {}\n{}", row, steady_s() - began,
                         csv_line(records[0], Group::origin));
    } catch (const std::exception& error) {
      return fmt::format("failed {}\n{}", row, error.what());
    }
  }

  const std::vector<Job>& jobs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> waiting_;
  std::vector<std::string> messages_;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

/// What a rank that makes rows hears and says.
class FollowingRank {
 public:
  FollowingRank(Ranks& ranks, RowMakers* makers) : ranks_(ranks), makers_(makers) {}

  /// Until rank 0 says how to end.
  void follow() {
    while (!ended_ && clock_.now_s() - heard_s_ < leader_silence_s) {
      bool is_idle = true;
      while (const auto message = ranks_.receive()) {
        is_idle = false;
        hear(message->text);
      }
      if (makers_ != nullptr && !stopped_) {
        for (std::string& text : makers_->take_messages()) {
          is_idle = false;
          ranks_.send({0, std::move(text)});
        }
      }
      if (clock_.now_s() - told_s_ >= 1) {
        told_s_ = clock_.now_s();
        ranks_.send({0, "here"});
      }
      if (is_idle) wait_a_moment();
    }
    ranks_.end(together_);
    if (!ended_) throw std::runtime_error("rank 0 is lost; run the sweep again to go on");
  }

 private:
  void hear(const std::string& text) {
    heard_s_ = clock_.now_s();
    if (text.starts_with("make ") && makers_ != nullptr) {
      makers_->make(std::stoull(text.substr(text.find(' '))));
    } else if (text == "stop") {
      if (makers_ != nullptr) makers_->stop();
      stopped_ = true;
      ranks_.send({0, "bye"});
    } else if (text == "end" || text == "leave") {
      together_ = text == "end";
      ended_ = true;
    }
  }

  Ranks& ranks_;
  RowMakers* makers_;
  RunningClock clock_;
  double heard_s_ = 0;
  double told_s_ = 0;
  bool stopped_ = false;
  bool ended_ = false;
  bool together_ = false;
};

}  // namespace

LeadingRank::~LeadingRank() {
  try {
    stop_all();
  } catch (...) {
    // Out of memory, say. The others end by themselves when they do not hear from this one.
    return;
  }
}

void LeadingRank::pump() {
  bool is_idle = true;
  while (const auto message = ranks_.receive()) {
    is_idle = false;
    dealer_->hear(*message, clock_.now_s());
  }
  dealer_->look_at_clock(clock_.now_s());
  for (RankMessage& message : dealer_->take_messages()) ranks_.send(std::move(message));
  if (is_idle) wait_a_moment();
}

void LeadingRank::stop_all() {
  if (!dealer_) dealer_.emplace(ranks_.size(), "", clock_.now_s());
  dealer_->stop(clock_.now_s());
  while (!dealer_->has_ended()) pump();
  for (RankMessage& message : dealer_->take_messages()) ranks_.send(std::move(message));
  ranks_.end(dealer_->ended_together());
}

std::vector<Record> LeadingRank::run(const std::vector<Job>& all, const std::vector<Job>& missing,
                                     const Progress& progress, const Finished& finished) {
  if (!dealer_) dealer_.emplace(ranks_.size(), digest_of_sweep(all), clock_.now_s());
  std::unordered_map<std::string_view, std::size_t> number_of;
  for (std::size_t i = 0; i < all.size(); ++i) number_of.emplace(all[i].key, i);
  std::vector<RowToDeal> to_deal;
  for (const Job& job : missing) to_deal.push_back({number_of.at(job.key), job.method, job.tasks});
  std::vector<Record> records(missing.size());
  std::size_t rows_made = 0;
  dealer_->deal(std::move(to_deal), [&](std::size_t row, Record record, double seconds) {
    records[row] = std::move(record);
    if (finished) finished(records[row], seconds);
    ++rows_made;
  });
  while (!dealer_->complete()) {
    pump();
    if (progress) progress(rows_made, records.size(), dealer_->share_done());
  }
  return records;
}

void make_rows_for_leader(Ranks& ranks, int threads,
                          const std::function<std::vector<Job>()>& read_sweep) {
  std::vector<Job> jobs;
  try {
    jobs = read_sweep();
  } catch (const InvalidInput& error) {
    ranks.send({0, fmt::format("refused {}", error.what())});
    return FollowingRank(ranks, nullptr).follow();
  }
  RowMakers makers(jobs, threads);
  ranks.send({0, fmt::format("ready {} {}", threads, digest_of_sweep(jobs))});
  FollowingRank(ranks, &makers).follow();
}

}  // namespace damocles
