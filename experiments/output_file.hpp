#pragma once

#include <filesystem>
#include <string>

namespace damocles {

/// Writes `text` to standard output where `named` is empty, else to the file, whole or not at all;
/// a device or FIFO is written through, links are followed. @throws InvalidInput where it cannot be
void write_output(const std::filesystem::path& named, const std::string& text);

/// Refuses early, before hours of work, a path that write_output could not write.
void check_writable(const std::filesystem::path& named);

}  // namespace damocles
