#include "experiments/results/stored_rows.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "experiments/message.hpp"
#include "experiments/origin.hpp"
#include "experiments/results/output_file.hpp"
#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/host_machine.hpp"

namespace damocles {
namespace {

/// Adds rows to a store on a thread of its own, many at a time, so that who makes rows waits for no
/// disk. A row alone is added at once, the next ones together 50 ms later.
class RowWriter {
 public:
  /// @param needed  whether add() throws what went wrong with rows before: else rows are dropped
  RowWriter(ResultStore& store, bool needed)
      : store_(store), needed_(needed), thread_([this] { write_until_closed(); }) {}
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  /// Where jobs end by an error, the rows before it are added too.
  ~RowWriter() { end(); }

  /// @throws what went wrong with rows before this one
  void add(NewRow row) {
    {
      const std::lock_guard lock(mutex_);
      if (error_ && needed_) std::rethrow_exception(error_);
      if (error_) return;
      waiting_.push_back(std::move(row));
    }
    changed_.notify_one();
  }
  /// All rows are in the store. @throws what went wrong
  void close() {
    end();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static constexpr std::chrono::milliseconds batch{50};

  void end() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void write_until_closed() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::vector<NewRow> rows;
      rows.swap(waiting_);
      lock.unlock();
      try {
        store_.add(rows);
      } catch (...) {
        lock.lock();
        error_ = std::current_exception();
        return;
      }
      lock.lock();
      changed_.wait_for(lock, batch, [this] { return closed_; });
    }
  }

  ResultStore& store_;
  const bool needed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<NewRow> waiting_;
  std::exception_ptr error_;
  bool closed_ = false;
  std::thread thread_;  // last: it uses all of the above
};

RowsByKey rows_of_jobs(ResultStore& store, const std::vector<Job>& jobs) {
  std::vector<std::string> keys;
  for (const Job& job : jobs) keys.push_back(job.key);
  auto found = store.find_all(keys);
  RowsByKey rows;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (found[i]) rows.emplace(std::move(keys[i]), std::move(*found[i]));
  }
  return rows;
}

bool answers_job(const Record& row, Taken taken) {
  return taken == Taken::all ||
         (row.status.kind != Status::Kind::infeasible && row.status.kind != Status::Kind::failed);
}

/// A study while it runs. It begins in the store with the first row that is not there.
class RunningStudy {
 public:
  /// @param needed  whether rows that cannot be stored end the study; else their answer is whole
  ///                without the store, and what went wrong is told at the end
  RunningStudy(std::function<ResultStore&()> store, const StoredStudy& study,
               const std::vector<Job>& jobs, bool needed)
      : store_(std::move(store)), study_(study), jobs_(jobs), needed_(needed) {
    for (std::size_t i = 0; i < jobs.size(); ++i) place_.emplace(jobs[i].key, i);
  }

  /// @param rows  that are there, beside those that `find` finds
  StudyRows run(const RowRunner& run, const AskedJobs& asked, const RowFinder& find,
                RowsByKey rows) {
    const auto make = [&](const std::vector<Job>& missing, const Finished& finished) {
      begin();
      auto records = run(missing, finished);
      close();  // before the next rows are looked for, on this thread
      return records;
    };
    return make_asked(
        jobs_, asked, find, make,
        [&](const Record& record, double seconds) { add(record, seconds); }, std::move(rows));
  }

 private:
  void begin() {
    ResultStore& store = store_();
    if (begun_.study == 0) {
      Digest all;
      for (const Job& job : jobs_) all.add(job.key);
      begun_ = store.begin(study_, all.full_hex(), jobs_.size());
    }
    writer_ = std::make_unique<RowWriter>(store, needed_);
  }
  void add(const Record& record, double seconds) {
    std::string row_key = key(record);
    const auto number = begun_.first + static_cast<std::int64_t>(place_.at(row_key));
    writer_->add({.number = number,
                  .study = begun_.study,
                  .key = std::move(row_key),
                  .record = record,
                  .made_s = seconds});
  }
  /// All rows so far are in the store. @throws what went wrong
  void close() {
    try {
      writer_->close();
    } catch (const std::runtime_error& error) {
      if (needed_) throw;
      note_failure(error.what());
    }
    writer_.reset();
  }

  std::function<ResultStore&()> store_;
  const StoredStudy& study_;
  const std::vector<Job>& jobs_;
  const bool needed_;
  std::unordered_map<std::string, std::size_t> place_;  ///< of a key among the jobs
  ResultStore::Begun begun_;
  std::unique_ptr<RowWriter> writer_;
};

}  // namespace

void check_store_name(const std::filesystem::path& file) {
  if (file == ":memory:") {
    throw InvalidInput("--store ':memory:': nothing would be kept; give FILE.db, or leave it out");
  }
  if (is_written_through(file)) {
    throw InvalidInput(fmt::format("--store '{}': a store is a file; give FILE.db", file.string()));
  }
  check_ending("--store", file, {".db", ".sqlite"});
  check_writable(file);
}

StoredStudy study_of(std::string command, std::string seed, std::string sweep_file) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {.command = std::move(command),
          .version = program_version(),
          .date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)),
          .machine = machine_name(),
          .seed = std::move(seed),
          .sweep_file = std::move(sweep_file)};
}

StudyRows run_into_store(const std::filesystem::path& file, const StoredStudy& study,
                         const std::vector<Job>& jobs, const RowRunner& run, const AskedJobs& asked,
                         Taken taken) {
  ResultStore store(file, ResultStore::Use::write);
  RunningStudy running([&]() -> ResultStore& { return store; }, study, jobs, taken == Taken::all);
  const auto find = [&](const std::vector<Job>& some) {
    RowsByKey rows = rows_of_jobs(store, some);
    std::erase_if(rows, [&](const auto& row) { return !answers_job(row.second, taken); });
    return rows;
  };
  return running.run(run, asked, find, {});
}

StudyRows run_into_store(const std::function<ResultStore&()>& store, const StoredStudy& study,
                         const std::vector<Job>& jobs, const RowRunner& run, const AskedJobs& asked,
                         RowsByKey rows) {
  return RunningStudy(store, study, jobs, true).run(run, asked, {}, std::move(rows));
}

RowsByKey rows_in_store(const std::filesystem::path& file, const std::vector<Job>& jobs) {
  if (!std::filesystem::exists(file)) return {};
  ResultStore store(file, ResultStore::Use::read);
  return rows_of_jobs(store, jobs);
}

}  // namespace damocles
