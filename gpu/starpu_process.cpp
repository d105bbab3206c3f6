// Runs damocles-starpu once: starts it, reads what it answers, and says why where it does not.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "gpu/starpu_run.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"

namespace damocles {
namespace {

namespace fs = std::filesystem;

/// A folder of this process, which goes when it ends.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "damocles-starpu-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw DeviceError(
          fmt::format("no temporary folder '{}' can be made: {}", name, std::strerror(errno)));
    }
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Descriptor {
 public:
  explicit Descriptor(int at) : at_(at) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void close() {
    if (at_ >= 0) ::close(at_);
    at_ = -1;
  }
  [[nodiscard]] int get() const { return at_; }

 private:
  int at_;
};

std::string last_line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t") != std::string::npos) last = line;
  }
  return last;
}

/// Its process id. What it says on standard error goes to `folder`/log, its answer to `to`; where
/// we have read standard input, it finds the same there.
pid_t start(const std::string& program, const std::vector<std::string>& words,
            const fs::path& folder, int to) {
  const fs::path log = folder / "log";
  const fs::path input = folder / "standard_input";
  const auto said = standard_input_read();
  if (said) std::ofstream(input, std::ios::binary) << *said;
  std::vector<std::string> all{program, "one"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
  if (said) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  }
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int status = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status == 0) return child;
  throw DeviceError(fmt::format("'{}' cannot be started: {}", program, std::strerror(status)));
}

/// All that it writes, until it closes its end; nothing more once `interrupted`.
std::string read_all_of(int from, const std::atomic<bool>* interrupted) {
  constexpr int glance_ms = 100;
  std::string text;
  std::array<char, 4096> part{};
  while (interrupted == nullptr || !interrupted->load()) {
    pollfd waits{from, POLLIN, 0};
    if (poll(&waits, 1, glance_ms) <= 0) continue;
    const ssize_t count = read(from, part.data(), part.size());
    if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) break;
  }
  return text;
}

}  // namespace

std::string starpu_program() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path beside = self.parent_path() / "damocles-starpu";
  return fs::exists(beside, error) ? beside.string() : std::string();
}

RuntimeAnswer run_on_starpu(StarpuRun run) {
  const std::atomic<bool>* const interrupted = run.interrupted;
  const std::string program = starpu_program();
  if (program.empty()) {
    throw InvalidInput(
        "damocles-starpu was not built; install StarPU (Debian: libstarpu-dev), configure and build again");
  }
  static const ScratchFolder scratch;
  run.home = scratch.path().string();
  const fs::path log = scratch.path() / "log";
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw DeviceError(fmt::format("no pipe can be made: {}", std::strerror(errno)));
  }
  const Descriptor reads(ends[0]);
  Descriptor writes(ends[1]);
  const pid_t child = start(program, words_of(run), scratch.path(), writes.get());
  writes.close();
  const std::string text = read_all_of(reads.get(), interrupted);
  if (interrupted != nullptr && interrupted->load()) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (interrupted != nullptr && interrupted->load()) {
    RuntimeAnswer answer;
    answer.execution.failure = "interrupted";
    return answer;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) throw InvalidInput(last_line_of(log));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return starpu_answer_of(text);
  const std::string said = last_line_of(log);
  throw DeviceError(WIFSIGNALED(status)
                        ? fmt::format("StarPU ended by signal {}{}{}", WTERMSIG(status),
                                      said.empty() ? "" : ": ", said)
                        : said);
}

}  // namespace damocles
