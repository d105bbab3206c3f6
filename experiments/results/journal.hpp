#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/runs/record.hpp"

namespace damocles {

/// The rows of a run that has not ended, in a file that one process at a time appends to.
///
/// Half a row at its end, as a killed run leaves it, is cut off. The lock is the process's: it ends
/// with it, however that ends. A file system without locks has none.
class Journal {
 public:
  /// @throws InvalidInput where the path is no file of ours, or another process has it
  explicit Journal(std::filesystem::path path);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  /// Leaves the file where it has rows.
  ~Journal();

  /// The rows that were in it when it was opened.
  [[nodiscard]] const std::vector<Record>& before() const { return before_; }
  /// @throws std::runtime_error where it cannot be written; the rows before it are safe
  void append(const Record& record);
  /// All rows are elsewhere: the file goes.
  void remove();

 private:
  void open_and_lock();
  void cut(std::size_t bytes);
  void write(const std::string& text);
  [[nodiscard]] std::string content() const;

  std::filesystem::path path_;
  int file_ = -1;
  std::vector<Record> before_;
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace damocles
