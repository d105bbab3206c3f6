// SQLite's interface to the file system (VFS): its own, with a fault in the way of changes.
#include "tests/experiments/results/faulty_disk.hpp"

#include <atomic>
#include <new>

namespace damocles {
namespace {

struct DiskState {
  std::atomic<int> changes{0};
  std::atomic<int> fails_at{0};
  std::atomic<FaultyDisk::Fault> fault{FaultyDisk::Fault::none};
  std::atomic<bool> failed{false};
};

DiskState& disk() {
  static DiskState state;
  return state;
}

sqlite3_vfs* real_disk = nullptr;  // NOLINT: SQLite's calls have no other place for it

/// The real file lies behind ours in the memory that SQLite gives.
struct FaultyFile {
  sqlite3_file base;
  [[nodiscard]] sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* real_of(sqlite3_file* file) { return reinterpret_cast<FaultyFile*>(file)->real(); }
const sqlite3_io_methods& methods_of(sqlite3_file* file) { return *real_of(file)->pMethods; }

/// What becomes of the next change: SQLITE_OK, or how it fails.
int next_change() {
  DiskState& state = disk();
  const auto fault = state.fault.load();
  if (state.failed && fault == FaultyDisk::Fault::killed) return SQLITE_IOERR;
  if (++state.changes != state.fails_at) return SQLITE_OK;
  state.failed = true;
  switch (fault) {
    case FaultyDisk::Fault::none:
      return SQLITE_OK;
    case FaultyDisk::Fault::full:
    case FaultyDisk::Fault::short_write:
      return SQLITE_FULL;
    default:
      return SQLITE_IOERR;
  }
}

int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  const int result = next_change();
  const bool half = result != SQLITE_OK && disk().fault == FaultyDisk::Fault::short_write;
  if (half) (void)methods_of(file).xWrite(real_of(file), bytes, count / 2, at);
  if (result != SQLITE_OK) return result == SQLITE_IOERR ? SQLITE_IOERR_WRITE : result;
  return methods_of(file).xWrite(real_of(file), bytes, count, at);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (next_change() != SQLITE_OK) return SQLITE_IOERR_TRUNCATE;
  return methods_of(file).xTruncate(real_of(file), size);
}

int sync_file(sqlite3_file* /*unused*/, int /*unused*/) {
  return next_change() == SQLITE_OK ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

int read_file(sqlite3_file* file, void* bytes, int count, sqlite3_int64 at) {
  return methods_of(file).xRead(real_of(file), bytes, count, at);
}
int close_file(sqlite3_file* file) { return methods_of(file).xClose(real_of(file)); }
int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  return methods_of(file).xFileSize(real_of(file), size);
}
int lock_file(sqlite3_file* file, int level) {
  return methods_of(file).xLock(real_of(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return methods_of(file).xUnlock(real_of(file), level);
}
int is_reserved(sqlite3_file* file, int* answer) {
  return methods_of(file).xCheckReservedLock(real_of(file), answer);
}
int control_file(sqlite3_file* file, int what, void* argument) {
  return methods_of(file).xFileControl(real_of(file), what, argument);
}
int sector_of_file(sqlite3_file* file) { return methods_of(file).xSectorSize(real_of(file)); }
int traits_of_file(sqlite3_file* file) {
  return methods_of(file).xDeviceCharacteristics(real_of(file));
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
  return methods_of(file).xShmMap(real_of(file), page, size, extend, at);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return methods_of(file).xShmLock(real_of(file), offset, count, flags);
}
void order_shared(sqlite3_file* file) { methods_of(file).xShmBarrier(real_of(file)); }
int unmap_shared(sqlite3_file* file, int remove) {
  const bool is_gone = disk().failed && disk().fault == FaultyDisk::Fault::killed;
  return methods_of(file).xShmUnmap(real_of(file), is_gone ? 0 : remove);
}

const sqlite3_io_methods faulty_methods{2,
                                        close_file,
                                        read_file,
                                        write_file,
                                        truncate_file,
                                        sync_file,
                                        size_of_file,
                                        lock_file,
                                        unlock_file,
                                        is_reserved,
                                        control_file,
                                        sector_of_file,
                                        traits_of_file,
                                        map_shared,
                                        lock_shared,
                                        order_shared,
                                        unmap_shared,
                                        nullptr,
                                        nullptr};

int open_file(sqlite3_vfs* /*unused*/, const char* name, sqlite3_file* file, int flags,
              int* got_flags) {
  auto* const ours = new (file) FaultyFile{};
  const int result = real_disk->xOpen(real_disk, name, ours->real(), flags, got_flags);
  // Without methods SQLite does not close it.
  ours->base.pMethods = ours->real()->pMethods != nullptr ? &faulty_methods : nullptr;
  return result;
}

int delete_file(sqlite3_vfs* /*unused*/, const char* name, int sync_folder) {
  if (next_change() != SQLITE_OK) return SQLITE_IOERR_DELETE;
  (void)sync_folder;
  return real_disk->xDelete(real_disk, name, 0);
}

sqlite3_vfs& faulty_disk() {
  static sqlite3_vfs vfs;
  return vfs;
}

}  // namespace

FaultyDisk::FaultyDisk() {
  fail_at(0, Fault::none);
  real_disk = sqlite3_vfs_find(nullptr);
  sqlite3_vfs& ours = faulty_disk();
  ours = *real_disk;
  ours.pNext = nullptr;
  ours.zName = "faulty";
  ours.szOsFile = static_cast<int>(sizeof(FaultyFile)) + real_disk->szOsFile;
  ours.xOpen = open_file;
  ours.xDelete = delete_file;
  (void)sqlite3_vfs_register(&ours, 1);
}

FaultyDisk::~FaultyDisk() {
  (void)sqlite3_vfs_unregister(&faulty_disk());
  (void)sqlite3_vfs_register(real_disk, 1);
}

void FaultyDisk::fail_at(int change, Fault fault) {
  disk().changes = 0;
  disk().failed = false;
  disk().fault = fault;
  disk().fails_at = change;
}

int FaultyDisk::changes() { return disk().changes; }

bool FaultyDisk::has_failed() { return disk().failed; }

}  // namespace damocles
