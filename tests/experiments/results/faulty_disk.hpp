// A disk below SQLite that fails when a test says so: full, broken, or gone as the process is.
#pragma once

#include <sqlite3.h>

namespace damocles {

/// While one lives, files that SQLite opens are on it. They are files of the real disk. Changes of
/// them are counted from 1; syncs do nothing else, so that a test may have thousands.
class FaultyDisk {
 public:
  enum class Fault {
    none,
    full,         ///< ENOSPC: nothing of this change is there
    broken,       ///< EIO
    short_write,  ///< half of it is there, then the disk is full
    killed        ///< the process is gone: neither this change nor any later one is made
  };
  FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;
  ~FaultyDisk();

  /// From now on the change of this number fails, and counting begins anew.
  static void fail_at(int change, Fault fault);
  /// How many changes there were since then.
  [[nodiscard]] static int changes();
  /// Whether the fault has happened.
  [[nodiscard]] static bool has_failed();
};

}  // namespace damocles
