// The rows of a CSV file that is not whole yet: which process has them, and where they lie.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "experiments/results/store.hpp"
#include "models/runs/record.hpp"

namespace damocles {

/// The rows of a CSV file that is not whole yet, in a store of their own beside it.
///
/// One process at a time has it. The lock is the process's: it ends with it, however that ends. A
/// file system without locks has none.
class UnfinishedRows {
 public:
  /// @throws InvalidInput where the path is no file of ours, or another process has it
  explicit UnfinishedRows(std::filesystem::path path);
  UnfinishedRows(const UnfinishedRows&) = delete;
  UnfinishedRows& operator=(const UnfinishedRows&) = delete;
  /// Leaves the file where it has rows.
  ~UnfinishedRows();

  /// The rows that were in it when it was opened, in order.
  [[nodiscard]] std::vector<Record> take_before() { return std::move(before_); }
  /// Where new rows go. It is made when it is first asked for.
  [[nodiscard]] ResultStore& store();
  /// All rows are elsewhere: the file goes.
  void remove();

 private:
  void open_and_lock();
  void remove_file() const;

  std::filesystem::path path_;
  int lock_ = -1;
  std::unique_ptr<ResultStore> store_;
  std::vector<Record> before_;
};

/// The rows of such a file, which another process may be writing. Changes nothing.
/// @throws InvalidInput where it holds something else
[[nodiscard]] std::vector<Record> read_unfinished_rows(const std::filesystem::path& path);

}  // namespace damocles
