#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>

#include "models/platforms/bus_sampling.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

/// What is made up is three files, with NULs between them: they are read or refused in one line;
/// what was read are bandwidths above 0 and times.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using damocles::found;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::array<std::istringstream, 3> files;
  std::size_t begin = 0;
  for (auto& file : files) {
    const auto end = std::min(text.find('\0', begin), text.size());
    file.str(text.substr(begin, end - begin));
    begin = std::min(end + 1, text.size());
  }
  try {
    const auto sampling = damocles::BusSampling::read(files[0], files[1], files[2], "fuzzed");
    for (std::size_t gpu = 0; gpu < sampling.gpus; ++gpu) {
      if (!(sampling.to_gpu[gpu] > 0) || !std::isfinite(sampling.to_gpu[gpu])) found("rate", text);
      if (!(sampling.latency_s[gpu] >= 0)) found("latency", text);
    }
  } catch (const damocles::InvalidInput& error) {
    const std::string why = error.what();
    if (why.rfind("file 'fuzzed.", 0) != 0) found("an error about another file", why);
    if (why.find('\n') != std::string::npos) found("an error of several lines", why);
  }
  return 0;
}
