#include "models/platforms/scenario.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  damocles::check_file(".toml", data, size, [](const std::string& path) {
    (void)damocles::Scenario::parse(path).draw(1, 0);
  });
  return 0;
}
