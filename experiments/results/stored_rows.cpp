#include "experiments/results/stored_rows.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "experiments/origin.hpp"
#include "experiments/results/output_file.hpp"
#include "gpu/host/host_device.hpp"
#include "models/digest.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

/// Adds rows to a store on a thread of its own, many at a time, so that who makes rows waits for no
/// disk. A row alone is added at once, the next ones together 50 ms later.
class RowWriter {
 public:
  explicit RowWriter(ResultStore& store)
      : store_(store), thread_([this] { write_until_closed(); }) {}
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  /// Where jobs end by an error, the rows before it are added too.
  ~RowWriter() { end(); }

  /// @throws what went wrong with rows before this one
  void add(NewRow row) {
    {
      const std::lock_guard lock(mutex_);
      if (error_) std::rethrow_exception(error_);
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
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<NewRow> waiting_;
  std::exception_ptr error_;
  bool closed_ = false;
  std::thread thread_;  // last: it uses all of the above
};

bool answers_job(const Record& row, Taken taken) {
  return taken == Taken::all ||
         (row.status.kind != Status::Kind::infeasible && row.status.kind != Status::Kind::failed);
}

/// What is asked for, each row once, and which of it is in the store. Of a shard it is the shard's
/// rows; digest and places are those of the whole study.
struct AskedOfStore {
  std::unordered_map<std::string, Record> found;
  std::unordered_map<std::string, std::size_t> place;  ///< of a key among the jobs
  std::vector<Job> missing;
  std::string digest;

  AskedOfStore(ResultStore& store, const std::vector<Job>& jobs, Taken taken, const Shard& shard) {
    Digest all;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      all.add(jobs[i].key);
      if (!place.emplace(jobs[i].key, i).second || !shard.has(i)) continue;
      auto row = store.find(jobs[i].key);
      if (row && answers_job(*row, taken)) {
        found.emplace(jobs[i].key, std::move(*row));
      } else {
        missing.push_back(jobs[i]);
      }
    }
    digest = all.full_hex();
  }
};

/// Runs what is missing, and adds it to what was found.
void run_missing(ResultStore& store, const StoredStudy& study, AskedOfStore& asked,
                 std::size_t jobs, const RowRunner& run) {
  const auto [id, first] = store.begin(study, asked.digest, jobs);
  RowWriter writer(store);
  const auto finished = [&, id = id, first = first](const Record& record) {
    std::string row_key = key(record);
    const auto number = first + static_cast<std::int64_t>(asked.place.at(row_key));
    writer.add({.number = number, .study = id, .key = std::move(row_key), .record = record});
  };
  for (Record& record : run(asked.missing, finished)) {
    std::string row_key = key(record);
    asked.found.insert_or_assign(std::move(row_key), std::move(record));
  }
  writer.close();
}

}  // namespace

void check_store_name(const std::filesystem::path& file) {
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
          .machine = fmt::format("{}, {} threads", cpu_name(), std::thread::hardware_concurrency()),
          .seed = std::move(seed),
          .sweep_file = std::move(sweep_file)};
}

Ledger run_into_store(const std::filesystem::path& file, const StoredStudy& study,
                      const std::vector<Job>& jobs, int threads, const Progress& progress,
                      Taken taken, const StopCheck& check, const Shard& shard) {
  const auto run = [&](const std::vector<Job>& missing, const Finished& finished) {
    return run_jobs(missing, threads, progress, finished, check);
  };
  return run_into_store(file, study, jobs, run, taken, shard);
}

Ledger run_into_store(const std::filesystem::path& file, const StoredStudy& study,
                      const std::vector<Job>& jobs, const RowRunner& run, Taken taken,
                      const Shard& shard) {
  ResultStore store(file, ResultStore::Use::write);
  AskedOfStore asked(store, jobs, taken, shard);
  Ledger ledger;
  ledger.counts = {.asked = asked.found.size() + asked.missing.size(),
                   .kept = asked.found.size(),
                   .made = asked.missing.size()};
  if (!asked.missing.empty()) {
    run_missing(store, study, asked, jobs.size(), run);
  }
  for (const auto& [row_key, record] : asked.found) {
    ledger.counts.infeasible += record.status.kind == Status::Kind::infeasible ? 1 : 0;
    ledger.counts.failed += record.status.kind == Status::Kind::failed ? 1 : 0;
  }
  for (const Job& job : jobs) {
    const auto row = asked.found.find(job.key);
    if (row != asked.found.end()) ledger.records.push_back(row->second);
  }
  return ledger;
}

std::vector<bool> rows_in_store(const std::filesystem::path& file, const std::vector<Job>& jobs) {
  std::vector<bool> there(jobs.size(), false);
  if (!std::filesystem::exists(file)) return there;
  ResultStore store(file, ResultStore::Use::read);
  for (std::size_t i = 0; i < jobs.size(); ++i) there[i] = store.find(jobs[i].key).has_value();
  return there;
}

}  // namespace damocles
