#include "experiments/traces/decision_files.hpp"
#include "models/workload.hpp"
#include "tests/fuzz/fuzz_file.hpp"

/// A recording that was read is refused or accepted on a product of 3 x 3 tasks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  damocles::check_file(".json", data, size, [](const std::string& path) {
    const damocles::Recording recording = damocles::read_recording(path);
    static const auto workload = damocles::Workload::parse("gemm2d:n=3,tile=8,k=8");
    try {
      damocles::check_decisions(recording.decisions, workload, {4 * 256, 4 * 256},
                                [](damocles::DataId) { return std::uint64_t{256}; });
    } catch (const damocles::InvalidInput&) {  // of the decisions, not of the file
    }
  });
  return 0;
}
