#include "experiments/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string_view>

#include "experiments/message.hpp"

namespace damocles {
namespace {

constexpr unsigned patience_s = 2;

// All that handlers read and write: lock-free, so that they may, and global, as nobody can hand
// them anything.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> asked_to_end{false};
std::atomic<int> runs_that_end_themselves{0};
std::atomic<int> asked_by{SIGINT};
std::atomic<bool> on_terminal{false};
std::atomic<bool> file_is_unfinished{false};
std::array<char, PATH_MAX> unfinished_file{};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void say(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // then nobody listens
}

/// Ends the program by the signal. Only what handlers may call.
[[noreturn]] void end_silently_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only{};
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(128 + signal);
}

/// The same, and says so.
[[noreturn]] void end_by(int signal) {
  if (file_is_unfinished.load()) unlink(unfinished_file.data());
  if (on_terminal.load()) say("\r\x1b[K");  // over a line of progress
  say("damocles: interrupted\n");
  end_silently_by(signal);
}

void on_interrupt(int signal) {
  const int before = errno;
  if (runs_that_end_themselves.load() == 0 || asked_to_end.exchange(true)) end_by(signal);
  asked_by.store(signal);
  alarm(patience_s);
  errno = before;
}

void on_alarm(int) { end_by(asked_by.load()); }

void handle(int signal, void (*handler)(int)) {
  struct sigaction now {};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;  // as under nohup
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void end_on_interrupt() {
  on_terminal.store(is_terminal(STDERR_FILENO));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_interrupt);
}

void end_silently_on_interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, SIG_DFL);
}

pid_t fork_in_silence() {
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  // What comes in between waits until the child has no handler of ours.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_IGN);
    for (const int signal : {SIGTERM, SIGHUP}) handle(signal, SIG_DFL);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return child;
}

RunsThatEndThemselves::RunsThatEndThemselves() {
  handle(SIGALRM, on_alarm);
  ++runs_that_end_themselves;
}

RunsThatEndThemselves::~RunsThatEndThemselves() {
  alarm(0);
  --runs_that_end_themselves;
}

const std::atomic<bool>& RunsThatEndThemselves::asked() { return asked_to_end; }

void end_if_interrupted() {
  if (asked_to_end.load()) end_silently_by(asked_by.load());
}

UnfinishedFile::UnfinishedFile(const std::filesystem::path& path) {
  const std::string& name = path.native();
  if (name.size() >= unfinished_file.size()) return;
  std::memcpy(unfinished_file.data(), name.c_str(), name.size() + 1);
  file_is_unfinished.store(true);
}

UnfinishedFile::~UnfinishedFile() { file_is_unfinished.store(false); }

}  // namespace damocles
