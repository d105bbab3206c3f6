// Shared libraries that are opened when they are first needed, so that other calls do not load
// them.
#pragma once

#include <string>

namespace damocles {

/// A library with a C interface that not every call needs, such as SQLite. It is opened when the
/// object is made, and stays open until the process ends.
class SharedLibrary {
 public:
  /// @param file  its name for the loader, as "libsqlite3.so.0"
  explicit SharedLibrary(const std::string& file);

  /// False where it is not installed.
  [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
  /// Null where the library has no such function, or is not open.
  template <typename Function>
  [[nodiscard]] Function* function(const char* name) const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as dlsym() gives it
    return reinterpret_cast<Function*>(find(name));
  }

 private:
  [[nodiscard]] void* find(const char* name) const;
  void* handle_;
};

/// A function of a SharedLibrary, of the type that the library's header declares. A program with
/// DAMOCLES_PORTABLE is linked with the library, as other machines may lack it.
#ifdef DAMOCLES_PORTABLE
#define DAMOCLES_FUNCTION_OF(library, name) (&::name)  // NOLINT(cppcoreguidelines-macro-usage)
#else
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a name as a text and as itself
#define DAMOCLES_FUNCTION_OF(library, name) (library).function<decltype(::name)>(#name)
#endif

[[nodiscard]] bool module_exists(const std::string& module);
[[nodiscard]] void* find_in_module(const std::string& module, const char* function);

/// The function that a module offers. Modules are parts of Damocles that use a large library, as
/// mpi, cuda and the partitioners do, or that few calls need: papers. Each is a shared library in
/// the folder modules/ of the build, or in lib/damocles/ where Damocles is installed. It finds the
/// rooms' functions by their names in the program (damocles_module() in cmake/Modules.cmake), and
/// offers one of its own as extern "C".
template <typename Function>
struct ModuleFunction {
  const char* module;
  const char* name;
  Function* linked;  ///< of a weak declaration: null but where the program is linked with it

  /// Whether the module was built. It is not opened.
  [[nodiscard]] bool exists() const { return linked != nullptr || module_exists(module); }
  /// Opens the module. @throws InvalidInput where it lacks a library @pre exists()
  [[nodiscard]] Function* get() const {
    if (linked != nullptr) return linked;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as dlsym() gives it
    return reinterpret_cast<Function*>(find_in_module(module, name));
  }
};

// Clang 14 deduces nothing of aggregates.
template <typename Function>
ModuleFunction(const char*, const char*, Function*) -> ModuleFunction<Function>;

/// Opens a module, and lets plug-ins find its functions by their names. @pre module_exists(module)
void show_module(const std::string& module);

/// Python keeps the symbols of a module of its own to itself; plug-ins and Damocles' modules find
/// those of the rooms by their names.
void show_own_symbols();

}  // namespace damocles
