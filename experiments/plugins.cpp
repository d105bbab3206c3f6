#include "experiments/plugins.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/origin.hpp"
#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"
#include "models/table.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

constexpr const char* how_to_build = "build it with damocles_add_plugin (docs/howto/plugin.md)";

struct LoadedPlugin {
  std::string path;
  std::string digest;
};

std::vector<LoadedPlugin>& loaded_plugins() {
  static std::vector<LoadedPlugin> plugins;
  return plugins;
}

[[noreturn]] void refuse_plugin(const std::string& path, std::string_view why) {
  throw InvalidInput(fmt::format("plug-in '{}' {}", path, why));
}

/// What cmake/plugin_version.cpp wrote into the library; "" where it is not there.
std::string version_in(const std::string& content) {
  constexpr std::string_view mark = "damocles plug-in built against ";
  // The mark alone is there too where the compiler kept a constant.
  for (auto at = content.find(mark); at != std::string::npos; at = content.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    const auto end = content.find('\0', begin);
    if (end > begin) return content.substr(begin, end - begin);
  }
  return {};
}

/// Reads the version before the library is opened: its code runs from then on.
void check_plugin_version(const std::string& path, const std::string& content) {
  if (!content.starts_with("\x7f"
                           "ELF")) {
    refuse_plugin(path, fmt::format("is not a shared library; {}", how_to_build));
  }
  const std::string theirs = version_in(content);
  if (theirs.empty()) refuse_plugin(path, fmt::format("names no version; {}", how_to_build));
  const std::string ours = version_of_sources();
  if (theirs != ours) {
    refuse_plugin(path, fmt::format("was built against damocles {}, and this is {}; build it again",
                                    theirs, ours));
  }
}

/// Entries go where waiting_entries() says while one of these lives.
class EntriesWait {
 public:
  explicit EntriesWait(std::vector<WaitingEntry>& entries) { waiting_entries() = &entries; }
  ~EntriesWait() { waiting_entries() = nullptr; }
  EntriesWait(const EntriesWait&) = delete;
  EntriesWait& operator=(const EntriesWait&) = delete;
  EntriesWait(EntriesWait&&) = delete;
  EntriesWait& operator=(EntriesWait&&) = delete;
};

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

Library open_plugin(const std::string& path, std::vector<WaitingEntry>& entries) {
  const EntriesWait wait(entries);
  // Without a slash, the loader would search its own folders.
  const std::string file = std::filesystem::absolute(path).string();
  Library library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread loads plug-ins
  if (!library) refuse_plugin(path, fmt::format("cannot be loaded: {}", dlerror()));
  return library;
}

/// Another name of a strategy is taken too.
bool is_another_name(const WaitingEntry& entry) {
  return entry.what == StrategyEntry::what &&
         std::any_of(strategies().begin(), strategies().end(),
                     [&](const auto& other) { return is_called(other, entry.name); });
}

void check_names(const std::string& path, const std::vector<WaitingEntry>& entries) {
  if (entries.empty()) {
    refuse_plugin(path,
                  "registers nothing; write `const Register entry{...}` in its file, and do "
                  "not compile it with -fvisibility=hidden");
  }
  std::set<std::pair<std::string, std::string>> names;
  for (const WaitingEntry& entry : entries) {
    const bool is_first = names.emplace(entry.what, entry.name).second;
    if (is_first && !entry.is_taken() && !is_another_name(entry)) continue;
    refuse_plugin(path,
                  fmt::format("registers the {} '{}', which exists already; give it another name",
                              entry.what, entry.name));
  }
}

}  // namespace

void load_plugin(const std::string& path) {
  constexpr InputKind kind{.what = "plug-in",
                           .right = "give a shared library, as libmine.so",
                           .most_bytes = std::uint64_t{1} << 30};
  const std::string content = read_file(path, kind);
  check_plugin_version(path, content);
  Digest digest;
  digest.add(content);
  LoadedPlugin plugin{path, digest.hex().substr(0, 12)};
  auto& plugins = loaded_plugins();
  const auto is_it = [&](const auto& other) { return other.digest == plugin.digest; };
  if (std::any_of(plugins.begin(), plugins.end(), is_it)) return;
  Library library;  // outlives the entries, whose code is there
  std::vector<WaitingEntry> entries;
  library = open_plugin(path, entries);
  check_names(path, entries);
  for (const WaitingEntry& entry : entries) entry.add();
  plugins.push_back(std::move(plugin));
  (void)library.release();  // its code is needed until the process ends
}

std::string plugins_in_version() {
  std::vector<std::string> digests;
  for (const LoadedPlugin& plugin : loaded_plugins()) digests.push_back(plugin.digest);
  std::sort(digests.begin(), digests.end());
  std::string text;
  for (const std::string& digest : digests) text += "+plugin." + digest;
  return text;
}

std::vector<std::string> plugin_paths() {
  std::vector<std::string> paths;
  for (const LoadedPlugin& plugin : loaded_plugins()) paths.push_back(plugin.path);
  return paths;
}

}  // namespace damocles
