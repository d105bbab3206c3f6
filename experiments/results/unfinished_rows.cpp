#include "experiments/results/unfinished_rows.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "models/error.hpp"

namespace damocles {
namespace {

/// Locks the file for whoever has opened it so; false where another process has.
///
/// SQLite locks bytes of the file too, and gives up its locks where anybody in the process closes
/// the file. Hence a byte that it never asks for, and a descriptor that outlives the store.
bool locked(int file) {
  struct flock one_byte {};
  one_byte.l_type = F_WRLCK;
  one_byte.l_whence = SEEK_SET;
  one_byte.l_start = off_t{1} << 61U;
  one_byte.l_len = 1;
  return fcntl(file, F_OFD_SETLK, &one_byte) == 0 || (errno != EAGAIN && errno != EACCES);
}

/// Whether anything is in the file. @throws InvalidInput where that is no store
bool has_content(const std::filesystem::path& path) {
  if (std::filesystem::file_size(path) == 0) return false;
  if (begins_as_database(path)) return true;
  throw InvalidInput(fmt::format(
      "unfinished results '{}' are of an earlier version of damocles, or no results; finish them "
      "with that version, move the file away, or remove it",
      path.string()));
}

std::vector<Record> rows_kept_in(ResultStore& store) {
  std::vector<Record> rows;
  if (store.has_rows()) store.each_row([&](Record row) { rows.push_back(std::move(row)); });
  return rows;
}

}  // namespace

UnfinishedRows::UnfinishedRows(std::filesystem::path path) : path_(std::move(path)) {
  open_and_lock();
  try {
    if (has_content(path_)) before_ = rows_kept_in(store());
  } catch (...) {
    store_.reset();
    (void)close(lock_);  // as no destructor will
    throw;
  }
}

UnfinishedRows::~UnfinishedRows() {
  if (lock_ < 0) return;
  bool has_rows = false;
  try {
    has_rows = store_ != nullptr && store_->has_rows();
  } catch (const std::exception&) {
    has_rows = true;  // as far as anybody knows
  }
  store_.reset();
  if (!has_rows) remove_file();
  (void)close(lock_);
}

void UnfinishedRows::open_and_lock() {
  while (true) {
    lock_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (lock_ < 0) {
      throw InvalidInput(
          fmt::format("output '{}' cannot be written: {}", path_.string(),
                      errno == ELOOP ? "it is a link; remove it" : std::strerror(errno)));
    }
    struct stat opened {};
    struct stat named {};
    const bool is_file = fstat(lock_, &opened) == 0 && S_ISREG(opened.st_mode);
    const bool is_others = is_file && !locked(lock_);
    // Who had it before may have removed it between our opening and our locking it.
    const bool is_there = lstat(path_.c_str(), &named) == 0 && named.st_dev == opened.st_dev &&
                          named.st_ino == opened.st_ino;
    if (is_file && !is_others && is_there) return;
    (void)close(std::exchange(lock_, -1));
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

ResultStore& UnfinishedRows::store() {
  if (store_ == nullptr) store_ = std::make_unique<ResultStore>(path_, ResultStore::Use::write);
  return *store_;
}

void UnfinishedRows::remove_file() const {
  for (const char* const part : {"", "-wal", "-shm", "-journal"}) {
    (void)unlink((path_.string() + part).c_str());
  }
}

void UnfinishedRows::remove() {
  store_.reset();
  remove_file();
  (void)close(std::exchange(lock_, -1));
}

std::vector<Record> read_unfinished_rows(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path) || !has_content(path)) return {};
  ResultStore store(path, ResultStore::Use::read);
  return rows_kept_in(store);
}

}  // namespace damocles
