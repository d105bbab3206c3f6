#include "models/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>

#include "models/error.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

namespace fs = std::filesystem;

/// The files of a kind of control group.
struct GroupFiles {
  std::initializer_list<const char*> machine;
  const char* used = "";
  const char* cached = "";  ///< a line of memory.stat
};

const GroupFiles version_1{
    {"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file"};
const GroupFiles version_2{{"memory.max", "memory.high"}, "memory.current", "inactive_file"};

/// A whole number that is all of a file; nothing where there is none, as "max".
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return parse_integer(word);
}

/// The number behind `key` in a file of lines "key number".
std::optional<std::uint64_t> number_behind(std::string_view key, const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  while (file >> word >> number) {
    if (word == key) return number;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

void limit_to(std::optional<std::uint64_t>& least, std::optional<std::uint64_t> value) {
  if (value) least = std::min(least.value_or(*value), *value);
}

/// What one group leaves.
std::optional<std::uint64_t> left_by(const fs::path& group, const GroupFiles& files) {
  std::optional<std::uint64_t> limit;
  for (const char* const name : files.machine) limit_to(limit, number_in(group / name));
  if (!limit) return std::nullopt;
  const std::uint64_t used = number_in(group / files.used).value_or(0);
  const std::uint64_t cached = number_behind(files.cached, group / "memory.stat").value_or(0);
  const std::uint64_t taken = used - std::min(used, cached);
  return *limit - std::min(*limit, taken);
}

/// The least that a group and those above it leave. In a container the path may name a group of the
/// host, which is not there: then the root of what is mounted is the container's own.
std::optional<std::uint64_t> left_by_all(const fs::path& root, const fs::path& group,
                                         const GroupFiles& files) {
  std::optional<std::uint64_t> least = left_by(root, files);
  fs::path below = root;
  for (const auto& part : group.relative_path()) {
    if (part == "..") break;  // a group outside of what this process may see
    below /= part;
    limit_to(least, left_by(below, files));
  }
  return least;
}

/// /proc/self/cgroup: lines "0::/group" (version 2) and "4:cpu,memory:/group" (version 1).
std::optional<std::uint64_t> left_by_groups(const SystemFiles& files) {
  std::optional<std::uint64_t> least;
  std::ifstream groups(files.proc / "self" / "cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string kinds = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const fs::path group = line.substr(second + 1);
    if (kinds == ",,") {
      for (const char* const mounted : {"", "unified"}) {
        limit_to(least, left_by_all(files.control_groups / mounted, group, version_2));
      }
    } else if (kinds.find(",memory,") != std::string::npos) {
      limit_to(least, left_by_all(files.control_groups / "memory", group, version_1));
    }
  }
  return least;
}

/// Of what the user says in the place of the system.
std::optional<std::uint64_t> memory_by_hand(std::string_view text) {
  if (text == "unlimited") return std::nullopt;
  const auto bytes = parse_quantity(text, Unit::bytes);
  if (!bytes || *bytes >= 0x1p63) {
    throw InvalidInput(
        fmt::format("environment variable DAMOCLES_HOST_MEMORY='{}': give {}, or unlimited", text,
                    example(Unit::bytes)));
  }
  return static_cast<std::uint64_t>(*bytes);
}

/// What runs of this process were promised and have not given back.
struct Promises {
  std::mutex mutex;
  std::condition_variable given_back;
  double bytes = 0;
  std::optional<std::uint64_t> before_them;  ///< available when nothing was promised
};

Promises& promises() {
  static Promises all;
  return all;
}

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): the thread's own count
thread_local int held_by_this_thread = 0;  // promises

}  // namespace

std::optional<std::uint64_t> available_host_memory(const SystemFiles& files) {
  const char* const said = std::getenv("DAMOCLES_HOST_MEMORY");
  if (said != nullptr && *said != '\0') return memory_by_hand(said);
  std::optional<std::uint64_t> least;
  if (const auto kibibytes = number_behind("MemAvailable:", files.proc / "meminfo")) {
    least = *kibibytes * 1024;
  }
  limit_to(least, left_by_groups(files));
  return least;
}

void require_host_memory(double needed, std::optional<std::uint64_t> available) {
  if (!available || needed <= static_cast<double>(*available)) return;
  throw InvalidInput(fmt::format(
      "data and results take {:.4g} GB and this machine has {:.4g} GB of memory to spare; take "
      "fewer or smaller blocks, or set DAMOCLES_HOST_MEMORY=100GB to override",
      needed / 1e9, static_cast<double>(*available) / 1e9));
}

MemoryPromise::MemoryPromise(double bytes, Others others) : bytes_(bytes >= 0x1p27 ? bytes : 0) {
  if (bytes_ == 0) return;
  Promises& all = promises();
  std::unique_lock lock(all.mutex);
  const auto refuse_above = [&](double needed) {
    if (!all.before_them || needed <= static_cast<double>(*all.before_them)) return;
    throw InvalidInput(fmt::format(
        "the run takes at least {:.4g} GB and this machine has {:.4g} GB of memory to spare; take "
        "fewer or smaller blocks, fewer processors, or --jobs 1, or set DAMOCLES_HOST_MEMORY=100GB to override",
        needed / 1e9, static_cast<double>(*all.before_them) / 1e9));
  };
  if (all.bytes == 0) all.before_them = available_host_memory();
  // Who waits with a promise of its own may wait for somebody that waits for it.
  if (others == Others::wait_for && held_by_this_thread == 0) {
    refuse_above(bytes_);
    all.given_back.wait(lock, [&] {
      return all.bytes == 0 || !all.before_them ||
             all.bytes + bytes_ <= static_cast<double>(*all.before_them);
    });
  } else {
    refuse_above(all.bytes + bytes_);
  }
  all.bytes += bytes_;  // multiples of 1/8 below 2^50: exact
  ++held_by_this_thread;
}

MemoryPromise::~MemoryPromise() {
  if (bytes_ == 0) return;
  --held_by_this_thread;
  {
    const std::lock_guard lock(promises().mutex);
    promises().bytes -= bytes_;
  }
  promises().given_back.notify_all();
}

}  // namespace damocles
