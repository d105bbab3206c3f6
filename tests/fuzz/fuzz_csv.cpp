#include "experiments/results/csv.hpp"
#include "tests/fuzz/fuzz_file.hpp"

/// Rows that were read are written, and read again they are the same rows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  damocles::check_file(".csv", data, size, [](const std::string& path) {
    const std::string text = damocles::to_csv(damocles::read_csv(path));
    std::ofstream(path, std::ios::binary) << text;
    if (damocles::to_csv(damocles::read_csv(path)) == text) return;
    std::cerr << "found: rows that change when they are read again\n" << text << '\n';
    std::abort();
  });
  return 0;
}
