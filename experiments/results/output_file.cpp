#include "experiments/results/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "experiments/interrupt.hpp"
#include "experiments/message.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

using Path = std::filesystem::path;

[[noreturn]] void refuse(const Path& path, const std::string& why) {
  throw InvalidInput(fmt::format("output '{}'{}", path.string(), why));
}

[[noreturn]] void fail(const Path& path) {
  throw std::runtime_error(
      fmt::format("output '{}' cannot be written: {}", path.string(), std::strerror(errno)));
}

Path folder_of(const Path& path) { return path.has_parent_path() ? path.parent_path() : "."; }

bool is_device(const Path& path) {
  std::error_code unseen;  // a circle of links is no device
  const auto is = std::filesystem::status(path, unseen);
  return std::filesystem::exists(is) && !std::filesystem::is_regular_file(is) &&
         !std::filesystem::is_directory(is);
}

/// Files there are open descriptors: to replace one would not reach who holds it.
bool is_descriptor(const Path& path) { return path.string().starts_with("/proc/"); }

/// A descriptor that is closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { (void)close(); }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] bool close() {
    const int closing = std::exchange(number_, -1);
    return closing < 0 || ::close(closing) == 0;
  }

 private:
  int number_;
};

/// A name in `folder` that nobody can guess and plant a link at.
Path unguessable_name(const Path& folder) {
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) fail(folder);
  return folder / fmt::format(".damocles-{:016x}.tmp", random);
}

int opened(const Path& path, int flags, mode_t mode = 0) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): there is no other
  return open(path.c_str(), flags, mode);
}

/// A file on its way: it has no name until it is whole, so that whatever ends the program leaves
/// nothing behind; where the file system has no such files, a name that only we know.
class NewFile {
 public:
  NewFile(const Path& folder, mode_t mode)
      : folder_(folder), file_(opened(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode)) {
    if (file_.is_open()) return;
    name_ = unguessable_name(folder_);
    named_.emplace(opened(*name_, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, mode));
    if (!named_->is_open()) {
      name_.reset();
      fail(folder_);
    }
    unfinished_.emplace(*name_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (name_) (void)unlink(name_->c_str());
  }
  [[nodiscard]] int number() const { return named_ ? named_->number() : file_.number(); }

  /// Gives it its name, in place of what has it now.
  void put(const Path& path) {
    if (!name_) {
      const std::string nameless = fmt::format("/proc/self/fd/{}", number());
      const auto link = [&](const Path& to) {
        return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
      };
      if (link(path)) return;
      if (errno != EEXIST) fail(path);
      const Path name = unguessable_name(folder_);
      if (!link(name)) fail(path);
      name_ = name;
    }
    if (std::rename(name_->c_str(), path.c_str()) != 0) fail(path);
    name_.reset();
  }

 private:
  Path folder_;
  Descriptor file_;
  std::optional<Descriptor> named_;
  std::optional<Path> name_;
  std::optional<UnfinishedFile> unfinished_;  ///< taken away where an interrupt comes first
};

/// On the disk, where the file system knows how.
bool synced(int descriptor) { return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS; }

void write_through(const Path& path, std::string_view text) {
  (void)std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an error like others
  Descriptor file(opened(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  if (!file.is_open() || !write_all(file.number(), text) || !file.close()) fail(path);
}

/// What could not be written where it was asked for, in a file of its own; its name.
std::optional<std::string> rescued(std::string_view text, const std::string& ending) {
  const char* const chosen = std::getenv("TMPDIR");
  for (const std::string folder : {chosen != nullptr ? chosen : "", "/tmp", "."}) {
    if (folder.empty()) continue;
    std::string name = fmt::format("{}/damocles-XXXXXX{}", folder, ending);
    Descriptor file(mkostemps(name.data(), static_cast<int>(ending.size()), O_CLOEXEC));
    if (!file.is_open()) continue;
    if (write_all(file.number(), text) && synced(file.number()) && file.close()) return name;
    (void)unlink(name.c_str());
  }
  return std::nullopt;
}

/// Names in it may be anybody's: a terminal gets no other codes than ours.
void write_to_standard_output(std::string_view text) {
  const std::string shown = is_terminal(STDOUT_FILENO) ? printable_text(text) : std::string();
  if (std::fflush(stdout) != 0 || !write_all(STDOUT_FILENO, shown.empty() ? text : shown)) {
    throw std::runtime_error(
        fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

}  // namespace

bool write_all(int descriptor, std::string_view text) {
  (void)std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error like others
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool is_standard_output(const Path& named) {
  const std::string name = named.string();
  return name.empty() || name == "-" || name == "/dev/stdout" || name == "/dev/fd/1" ||
         name == "/proc/self/fd/1";
}

bool is_written_through(const Path& named) {
  if (is_standard_output(named)) return true;
  const auto path = where_links_end(named);
  return is_device(path) || is_descriptor(path);
}

Path where_links_end(Path named) {
  constexpr int most = 40;  // as Linux follows
  std::error_code none;
  for (int followed = 0; std::filesystem::is_symlink(named, none); ++followed) {
    if (is_device(named) || is_descriptor(named)) break;
    if (followed == most) refuse(named, ": too many symbolic links");
    named = named.parent_path() / std::filesystem::read_symlink(named);
  }
  return named;
}

void check_ending(const std::string& role, const Path& named, const std::vector<std::string>& right,
                  std::string_view otherwise) {
  if (!named.has_extension() || is_standard_output(named) || is_written_through(named)) return;
  const auto ending = in_lower_case(named.extension().native());
  if (std::find(right.begin(), right.end(), ending) != right.end()) return;
  throw InvalidInput(fmt::format("{} '{}': cannot write {} files here; end the name in {}{}", role,
                                 named.native(), named.extension().native(),
                                 fmt::join(right, " or "), otherwise));
}

void check_writable(const Path& named) {
  if (named.native().find('\0') != std::string::npos) {
    refuse(named.c_str(), ": a name cannot hold a NUL byte; choose another");
  }
  if (is_standard_output(named)) return;
  struct stat there {};
  if (lstat(named.c_str(), &there) != 0 && errno != ENOENT && errno != ENOTDIR) {
    refuse(named, fmt::format(" cannot be written: {}; choose another", std::strerror(errno)));
  }
  const auto path = where_links_end(named);
  const bool exists = stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) refuse(path, " is a folder; give a file name");
  if (exists && access(path.c_str(), W_OK) != 0) {
    refuse(path, fmt::format(" cannot be written: {}; choose another", std::strerror(errno)));
  }
  if (is_written_through(path)) {
    if (!exists) refuse(path, ": no such file, and none can be made there; choose another");
    return;
  }
  const auto folder = folder_of(path);
  if (!std::filesystem::is_directory(folder)) {
    refuse(path, fmt::format(": folder '{}' does not exist; create it first", folder.string()));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    refuse(path, fmt::format(": folder '{}' cannot be written; choose another", folder.string()));
  }
  // What may be written by its permissions may still take no file, as a read-only mount.
  try {
    const NewFile probe(folder, S_IRUSR | S_IWUSR);
  } catch (const std::runtime_error&) {
    refuse(path, fmt::format(" cannot be written: {}; choose another", std::strerror(errno)));
  }
}

void replace_file(const Path& path, std::string_view text) {
  struct stat old {};
  const bool is_there = stat(path.c_str(), &old) == 0;
  constexpr mode_t ours = 0600;
  constexpr mode_t everybody = 0666;  // less the umask
  const auto folder = folder_of(path);
  NewFile file(folder, is_there ? ours : everybody);
  if (!write_all(file.number(), text)) fail(path);
  if (is_there) {
    // Another's file stays his where we may say so. Before the mode: it takes set-user-id away.
    if (fchown(file.number(), old.st_uid, old.st_gid) != 0) errno = 0;
    if (fchmod(file.number(), old.st_mode & 07777U) != 0) fail(path);
  }
  if (!synced(file.number())) fail(path);
  file.put(path);
  // The name too; a folder that cannot be synced has it in memory, as everything there.
  const Descriptor names(opened(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (names.is_open()) (void)fsync(names.number());
}

void write_output(const Path& named, std::string_view text) {
  try {
    check_writable(named);  // a folder may have gone meanwhile
    if (is_standard_output(named)) return write_to_standard_output(text);
    const auto path = where_links_end(named);
    if (is_written_through(path)) return write_through(path, text);
    replace_file(path, text);
    note_written(named.string());
  } catch (const std::runtime_error& error) {
    const auto ending = is_standard_output(named) ? ".txt" : named.extension().string();
    if (const auto place = rescued(text, ending)) {
      throw std::runtime_error(
          fmt::format("what was computed is in '{}'; {}", *place, error.what()));
    }
    const bool printed =
        !is_standard_output(named) && std::fflush(stdout) == 0 && write_all(STDOUT_FILENO, text);
    throw std::runtime_error(
        fmt::format("what was computed is {}; {}",
                    printed ? "on standard output" : "lost, as nowhere is room", error.what()));
  }
}

namespace {

/// One text for one file, under whatever name: nothing for a device.
std::optional<std::string> identity(const Path& named) {
  if (named == "-") return "-";
  if (is_written_through(named)) return std::nullopt;
  const auto path = where_links_end(named);
  struct stat is {};
  if (stat(path.c_str(), &is) == 0) return fmt::format("{}:{}", is.st_dev, is.st_ino);
  if (stat(folder_of(path).c_str(), &is) != 0) return path.string();
  return fmt::format("{}:{}/{}", is.st_dev, is.st_ino, path.filename().string());
}

}  // namespace

void check_outputs(const std::vector<RoleOfFile>& outputs, const std::vector<RoleOfFile>& inputs) {
  std::vector<std::pair<std::string, const RoleOfFile*>> taken;
  for (const auto& input : inputs) {
    if (input.path.empty() || is_written_through(input.path)) continue;
    if (const auto id = identity(input.path)) taken.emplace_back(*id, &input);
  }
  const std::size_t read = taken.size();
  for (const auto& output : outputs) {
    if (output.path.empty()) continue;
    const auto id = identity(output.path);
    if (!id) continue;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (taken[i].first != *id) continue;
      throw InvalidInput(i < read
                             ? fmt::format("{} '{}' would destroy the {} '{}'; give another name",
                                           output.role, output.path.string(), taken[i].second->role,
                                           taken[i].second->path.string())
                             : fmt::format("{} '{}' and {} '{}' are one file; give each its own",
                                           taken[i].second->role, taken[i].second->path.string(),
                                           output.role, output.path.string()));
    }
    taken.emplace_back(*id, &output);
  }
}

void run_all_then_rethrow(const std::vector<std::function<void()>>& writings) {
  std::exception_ptr first;
  for (const auto& writing : writings) {
    try {
      writing();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace damocles
