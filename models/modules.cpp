// Where modules lie, and how they are opened.
#include "models/modules.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "models/error.hpp"

namespace damocles {
namespace {

/// What the loader calls the program or the library that has the rooms.
std::string own_file() {
  Dl_info own{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as dladdr() takes an address
  const bool found = dladdr(reinterpret_cast<const void*>(&module_exists), &own) != 0;
  return found ? own.dli_fname : "";
}

/// The file of a module, or "" where it was not built.
std::string file_of(const std::string& module) {
  std::error_code ignored;
  // Of a program the loader knows the word by which it was called, and that may be no path.
  const std::array<std::filesystem::path, 2> own{
      std::filesystem::path(own_file()).parent_path(),
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path()};
  for (const auto& folder : own) {
    if (folder.empty()) continue;
    for (const char* const place :
         {"modules", "../modules", "../../modules", "../lib/damocles", "damocles", "../damocles"}) {
      const auto file = folder / place / ("damocles_" + module + ".so");
      if (std::filesystem::exists(file, ignored)) return file.string();
    }
  }
  return "";
}

}  // namespace

SharedLibrary::SharedLibrary(const std::string& file)
    : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

void* SharedLibrary::find(const char* name) const {
  return is_open() ? dlsym(handle_, name) : nullptr;
}

bool module_exists(const std::string& module) { return !file_of(module).empty(); }

void* find_in_module(const std::string& module, const char* function) {
  show_own_symbols();
  const std::string file = file_of(module);
  const SharedLibrary library(file);
  void* const found = library.function<void>(function);
  if (found != nullptr) return found;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): of this thread
  const char* const why = dlerror();
  throw InvalidInput(
      fmt::format("{} cannot be used: {}", file, why != nullptr ? why : "it is empty"));
}

void show_module(const std::string& module) {
  show_own_symbols();
  (void)dlopen(file_of(module).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

void show_own_symbols() { (void)dlopen(own_file().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL); }

}  // namespace damocles
