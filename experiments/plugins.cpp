#include "experiments/plugins.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/origin.hpp"
#include "models/digest.hpp"
#include "models/error.hpp"
#include "models/input_file.hpp"
#include "models/modules.hpp"
#include "models/table.hpp"
#include "strategies/parts/checked_answers.hpp"
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

/// That many bytes from there, as they lie in the file.
template <typename Header>
Header header_at(const std::string& content, std::size_t at) {
  Header header{};
  std::memcpy(&header, content.data() + at, sizeof header);
  return header;
}

/// Whether all is there that the headers of a library name: the loader maps it unseen, and what is
/// mapped beyond the end of the file ends the process with SIGBUS.
bool is_whole(const std::string& content) {
  const auto holds = [&](std::uint64_t at, std::uint64_t bytes) {
    return at <= content.size() && bytes <= content.size() - at;
  };
  if (!holds(0, sizeof(ElfW(Ehdr)))) return false;
  const auto file = header_at<ElfW(Ehdr)>(content, 0);
  constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (file.e_ident[EI_CLASS] != own_class) return true;  // the loader refuses it
  const std::uint64_t sections = file.e_shnum;
  if (!holds(file.e_shoff, sections * file.e_shentsize)) return false;
  const std::uint64_t segments = file.e_phnum;
  if (!holds(file.e_phoff, segments * sizeof(ElfW(Phdr)))) return false;
  for (std::uint64_t k = 0; k < segments; ++k) {
    const auto segment = header_at<ElfW(Phdr)>(content, file.e_phoff + k * sizeof(ElfW(Phdr)));
    if (segment.p_type == PT_LOAD && !holds(segment.p_offset, segment.p_filesz)) return false;
  }
  return true;
}

/// Reads headers and version before the library is opened: its code runs from then on.
void check_library(const std::string& path, const std::string& content) {
  if (!content.starts_with(std::string_view(ELFMAG, SELFMAG))) {
    refuse_plugin(path, fmt::format("is not a shared library; {}", how_to_build));
  }
  if (!is_whole(content)) {
    refuse_plugin(path, fmt::format("is cut short: its headers name more than its {} bytes; copy "
                                    "it again, or {}",
                                    content.size(), how_to_build));
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
  // Without a slash, the loader would search its own folders.
  const std::string file = std::filesystem::absolute(path).string();
  const auto open = [&] {
    const EntriesWait wait(entries);
    return Library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  };
  Library library = open();
  for (const char* const module : {"prediction", "execution", "reports",
                                   "papers"}) {  // a backend or a claim calls their functions
    if (library || !module_exists(module)) continue;
    show_module(module);
    library = open();
  }
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

/// What it answers is checked from now on: a plug-in may be wrong, and names who is.
template <typename Entry>
void check_answers_of(const WaitingEntry& added) {
  if (added.what != Entry::what) return;
  Table<Entry>::put(with_checked_answers(Table<Entry>::named(added.name)));
}

}  // namespace

void load_plugin(const std::string& path) {
  constexpr InputKind kind{.what = "plug-in",
                           .right = "give a shared library, as libmine.so",
                           .most_bytes = std::uint64_t{1} << 30};
  const std::string content = read_file(path, kind);
  check_library(path, content);
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
  for (const WaitingEntry& entry : entries) {
    entry.add();
    check_answers_of<StrategyEntry>(entry);
    check_answers_of<EvictionEntry>(entry);
  }
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
