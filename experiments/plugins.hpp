// Plug-ins: shared libraries that add strategies, or whatever else has a name, to the program.
#pragma once

#include <string>
#include <vector>

namespace damocles {

/// Loads a plug-in: a shared library made of files such as tests/extension/strategy.cpp, by the
/// CMake function damocles_add_plugin(). What they register is known from then on as what the rooms
/// register. To be called before a command looks into a table, as pointers to entries are invalid
/// then. One that was loaded before is not loaded again.
///
/// Nothing of the library runs before its version is known to be ours (cmake/plugin_version.cpp),
/// and its entries are added all or none.
///
/// @throws InvalidInput where the file is not there or is no plug-in, was built against other
/// sources, registers nothing, or registers a name that is taken
void load_plugin(const std::string& path);

/// What rows name beside the program's version: `+plugin.DIGEST` for each plug-in that was loaded,
/// in the order of the digests of their contents; "" without plug-ins.
[[nodiscard]] std::string plugins_in_version();

/// The plug-ins that were loaded, as the user wrote them.
[[nodiscard]] std::vector<std::string> plugin_paths();

}  // namespace damocles
