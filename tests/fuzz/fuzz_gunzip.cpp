// Files that gzip packed, through the one place where files are opened.

#include "models/input_file.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t most = 1'000'000;
  damocles::check_file(".gz", data, size, [](const std::string& path) {
    const auto text = damocles::read_file(
        path, {.what = "test file", .right = "give another", .most_bytes = most});
    if (text.size() > most) std::abort();
  });
  return 0;
}
