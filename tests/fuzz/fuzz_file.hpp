#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "models/error.hpp"

namespace damocles {

/// A file of this process for what libFuzzer makes up, in memory where the system has such a
/// folder.
inline std::string fuzzed_file(const std::string& ending) {
  const std::string folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "/tmp/";
  return folder + "damocles_fuzzed_" + std::to_string(getpid()) + ending;
}

/// A file is read or refused in one line by InvalidInput that names it, nothing else.
template <typename Read>
void check_file(const char* ending, const std::uint8_t* data, std::size_t size, Read&& read) {
  static const std::string path = fuzzed_file(ending);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    read(path);
  } catch (const InvalidInput& error) {
    const std::string why = error.what();
    if (why.find(path) != std::string::npos) return;
    std::cerr << "found: an error that does not name the file\n" << why << '\n';
    std::abort();
  }
}

}  // namespace damocles
