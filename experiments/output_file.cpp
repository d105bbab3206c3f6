#include "experiments/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "experiments/interrupt.hpp"
#include "models/error.hpp"

namespace damocles {
namespace {

/// A device, FIFO or socket: what is written there goes through it. Put in its place, a file would
/// destroy it.
bool is_device(const std::filesystem::path& path) {
  std::error_code unseen;  // a circle of links is no device
  const auto is = std::filesystem::status(path, unseen);
  return std::filesystem::exists(is) && !std::filesystem::is_regular_file(is) &&
         !std::filesystem::is_directory(is);
}

/// The file that symbolic links lead to, there or not: it is written, and the links stay.
/// @throws InvalidInput where they lead in a circle
std::filesystem::path where_links_end(std::filesystem::path path) {
  constexpr int most = 40;  // as Linux follows
  for (int followed = 0; std::filesystem::is_symlink(path) && !is_device(path); ++followed) {
    if (followed == most) {
      throw InvalidInput(fmt::format("output '{}': too many symbolic links", path.string()));
    }
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  return path;
}

}  // namespace

void check_writable(const std::filesystem::path& named) {
  if (named.empty()) return;
  const auto path = where_links_end(named);
  if (is_device(path)) {
    if (access(path.c_str(), W_OK) == 0) return;
    throw InvalidInput(fmt::format("output '{}' cannot be written: {}; choose another",
                                   path.string(), std::strerror(errno)));
  }
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(path)) {
    throw InvalidInput(fmt::format("output '{}' is a folder; give a file name", path.string()));
  }
  if (!std::filesystem::is_directory(folder)) {
    throw InvalidInput(fmt::format("output '{}': folder '{}' is not there; create it first",
                                   path.string(), folder.string()));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw InvalidInput(fmt::format("output '{}': folder '{}' cannot be written; choose another",
                                   path.string(), folder.string()));
  }
}

void write_output(const std::filesystem::path& named, const std::string& text) {
  if (named.empty()) {
    fmt::print("{}", text);
    return;
  }
  check_writable(named);
  const auto path = where_links_end(named);
  auto partial = path;
  if (!is_device(path)) partial += fmt::format(".{}.tmp", getpid());
  std::optional<UnfinishedFile> unfinished;
  if (partial != path) unfinished.emplace(partial);
  errno = 0;
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    const std::string why = std::strerror(errno);
    if (partial != path) std::filesystem::remove(partial);
    throw InvalidInput(fmt::format("output '{}' cannot be written: {}", path.string(), why));
  }
  if (partial != path) std::filesystem::rename(partial, path);
}

}  // namespace damocles
