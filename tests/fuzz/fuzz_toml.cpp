#include "models/toml_file.hpp"
#include "tests/fuzz/fuzz_file.hpp"

/// As studies are read; what they say is for the command to judge.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  damocles::check_file(".toml", data, size, [](const std::string& path) {
    (void)damocles::read_toml(
        path,
        {.what = "sweep file", .right = "give another", .most_bytes = damocles::most_toml_bytes});
  });
  return 0;
}
