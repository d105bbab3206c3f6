#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

/// Whether a name means standard output: none, `-`, or /dev/stdout.
[[nodiscard]] bool is_standard_output(const std::filesystem::path& named);
/// Whether what is written there goes through it: standard output, a device, a FIFO, a descriptor
/// under /proc. Put in its place, a file would destroy it.
[[nodiscard]] bool is_written_through(const std::filesystem::path& named);
/// The file that symbolic links lead to, there or not: it is written, and the links stay.
/// @throws InvalidInput where they lead in a circle
[[nodiscard]] std::filesystem::path where_links_end(std::filesystem::path named);

/// Writes `text` to standard output, through a device, or to a file, whole or not at all.
///
/// A file keeps its old content until the new one is on the disk, and has its old mode, or that of
/// the umask. What cannot be written where it was asked for is written to a file in TMPDIR, /tmp or
/// here, which the error names, or to standard output: nothing that was computed is lost.
/// @throws std::runtime_error where it cannot be written; see check_writable
void write_output(const std::filesystem::path& named, std::string_view text);

/// The same of a file, without the rescue. @throws std::runtime_error where writing fails
void replace_file(const std::filesystem::path& path, std::string_view text);

/// Refuses early, before hours of work, a path that write_output could not write.
void check_writable(const std::filesystem::path& named);

/// Refuses a name that says another kind of content than what is written there: `right` are the
/// endings that do not, in whatever case. Names without an ending and devices take anything.
/// @throws InvalidInput, ending in `otherwise`: what else the user may do
void check_ending(const std::string& role, const std::filesystem::path& named,
                  const std::vector<std::string>& right, std::string_view otherwise = "");

/// A file of a run: what it is to the user ("-o", "--trace", "workload"), and its name.
struct RoleOfFile {
  std::string role;
  std::filesystem::path path;
};

/// Refuses outputs that are one of the inputs or each other, under whatever name or link.
/// Empty names are left out, devices may be several.
void check_outputs(const std::vector<RoleOfFile>& outputs, const std::vector<RoleOfFile>& inputs);

/// Does all of them, also where one throws; then throws what the first threw. So that of several
/// outputs one that fails does not cost the others.
void run_all_then_rethrow(const std::vector<std::function<void()>>& writings);

/// Writes all of `text` to a descriptor; false, with the reason in errno, where that fails.
[[nodiscard]] bool write_all(int descriptor, std::string_view text);

}  // namespace damocles
