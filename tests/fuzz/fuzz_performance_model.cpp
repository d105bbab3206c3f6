#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "models/error.hpp"
#include "models/platforms/performance_model.hpp"

namespace {

[[noreturn]] void found(const char* what, const std::string& text) {
  std::cerr << "found: " << what << '\n' << text << '\n';
  std::abort();
}

/// A file is read or refused in one line by InvalidInput that names it; what it then says of a task
/// is a time.
void check_model(const std::string& text) {
  try {
    std::istringstream in(text);
    const auto model = damocles::PerformanceModel::read(in, "fuzzed");
    for (const std::string& name : model.architectures()) {
      auto sizes = model.sizes(name);
      sizes.push_back(3072);
      for (const auto bytes : sizes) {
        const auto time = model.time(name, {.bytes = bytes, .flops = 1e6});
        if (!time) continue;
        if (!(time->mean_s >= 0) || !std::isfinite(time->mean_s)) found("no time", name);
        if (!(time->deviation_s >= 0) || !std::isfinite(time->deviation_s)) found("sd", name);
      }
    }
  } catch (const damocles::InvalidInput& error) {
    const std::string why = error.what();
    if (why.rfind("file 'fuzzed'", 0) != 0) found("an error about another file", why);
    if (why.find('\n') != std::string::npos) found("an error of several lines", why);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_model(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
