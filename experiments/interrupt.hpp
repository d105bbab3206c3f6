#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>

namespace damocles {

/// What ctrl-C (SIGINT), a request to terminate (SIGTERM) and a closed terminal (SIGHUP) do, unless
/// who started the program has them ignored: the program says so in one line, takes the file away
/// that it was writing, and ends by the signal, which shells show as status 130, 143 or 129. That
/// needs no help of what runs, so nothing that computes can miss it. Finished rows of a sweep stay
/// in FILE.partial.
void end_on_interrupt();

/// The same, but another process says so: this one ends silently.
void end_silently_on_interrupt();

/// As fork(), and the child leaves it to us to say that there was an interrupt: from its first
/// instant it ignores SIGINT, and SIGTERM and SIGHUP end it silently.
[[nodiscard]] pid_t fork_in_silence();

/// While one lives, an interrupt lets runs end as failed, so that the rows before them are written;
/// then the program ends by the signal (end_if_interrupted()). If the program is still there 2
/// seconds later, or at a second interrupt, it ends as above.
class RunsThatEndThemselves {
 public:
  RunsThatEndThemselves();
  ~RunsThatEndThemselves();
  RunsThatEndThemselves(const RunsThatEndThemselves&) = delete;
  RunsThatEndThemselves& operator=(const RunsThatEndThemselves&) = delete;

  /// Set by the interrupt.
  [[nodiscard]] static const std::atomic<bool>& asked();
};

/// Ends the program by the signal that let runs end themselves, if one did. All that is to be said
/// and written has been.
void end_if_interrupted();

/// While one lives, this file is taken away where an interrupt ends the program. One at a time.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
};

}  // namespace damocles
