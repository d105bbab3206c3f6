#include "experiments/results/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "experiments/results/csv.hpp"
#include "experiments/results/output_file.hpp"
#include "models/error.hpp"

namespace damocles {

Journal::Journal(std::filesystem::path path) : path_(std::move(path)) {
  open_and_lock();
  try {
    const std::string text = content();
    auto whole = parse_torn_csv(text, fmt::format("unfinished results '{}'", path_.string()));
    const std::string header = csv_header(Group::origin);
    const bool is_begun = whole.header.empty() && header.starts_with(text);
    if (whole.header != header && !is_begun) {
      throw InvalidInput(fmt::format(
          "unfinished results '{}' have other columns, as another version writes; move the file away, or remove it",
          path_.string()));
    }
    before_ = std::move(whole.records);
    rows_ = before_.size();
    cut(before_.empty() ? 0 : whole.bytes);
    if (before_.empty()) write(header);
  } catch (...) {
    (void)close(file_);  // as no destructor will
    throw;
  }
}

Journal::~Journal() {
  if (file_ < 0) return;
  if (rows_ == 0) (void)unlink(path_.c_str());
  (void)close(file_);
}

void Journal::open_and_lock() {
  while (true) {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file_ < 0) {
      throw InvalidInput(
          fmt::format("output '{}' cannot be written: {}", path_.string(),
                      errno == ELOOP ? "it is a link; remove it" : std::strerror(errno)));
    }
    struct stat opened {};
    struct stat named {};
    const bool is_file = fstat(file_, &opened) == 0 && S_ISREG(opened.st_mode);
    const bool is_others = is_file && flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // Who had it before may have removed it between our opening and our locking it.
    const bool is_there = lstat(path_.c_str(), &named) == 0 && named.st_dev == opened.st_dev &&
                          named.st_ino == opened.st_ino;
    if (is_file && !is_others && is_there) return;
    (void)close(std::exchange(file_, -1));
    if (!is_file) {
      throw InvalidInput(
          fmt::format("output '{}' is not a file of ours; remove it", path_.string()));
    }
    if (is_others) {
      throw InvalidInput(
          fmt::format("another damocles is writing these results: it has '{}'; wait until it ends, "
                      "or give -o another name",
                      path_.string()));
    }
  }
}

std::string Journal::content() const {
  std::string text;
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t got = read(file_, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw InvalidInput(fmt::format("unfinished results '{}' cannot be read: {}", path_.string(),
                                     std::strerror(errno)));
    }
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

void Journal::append(const Record& record) {
  write(csv_line(record, Group::origin));
  ++rows_;
}

void Journal::cut(std::size_t bytes) {
  const auto end = static_cast<off_t>(bytes);
  if (ftruncate(file_, end) != 0 || lseek(file_, end, SEEK_SET) != end) {
    throw std::runtime_error(
        fmt::format("output '{}' cannot be written: {}", path_.string(), std::strerror(errno)));
  }
  bytes_ = bytes;
}

void Journal::write(const std::string& text) {
  if (!write_all(file_, text)) {
    const std::string why = std::strerror(errno);
    cut(bytes_);  // half a row
    throw std::runtime_error(fmt::format(
        "output '{}' cannot be written: {}; the {} rows that it has are kept: run again to go on",
        path_.string(), why, rows_));
  }
  bytes_ += text.size();
}

void Journal::remove() {
  (void)unlink(path_.c_str());
  (void)close(std::exchange(file_, -1));
}

}  // namespace damocles
