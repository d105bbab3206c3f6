#include <array>
#include <vector>

#include "experiments/traces/decision_files.hpp"
#include "models/workload.hpp"
#include "tests/fuzz/fuzz_file.hpp"

namespace {

/// Two processors of four tiles with a link between them, and a core.
damocles::Platform fuzzed_machine() {
  const damocles::ProcessorModel gpu{
      .flops_per_s = 1, .memory_bytes = 4 * 256, .link_bytes_per_s = 1};
  damocles::Platform platform{.speeds = {1, 1, 1}};
  platform.machine = damocles::MachineModel{
      .processors = {gpu, gpu, {.flops_per_s = 1, .kind = "cpu", .in_host_memory = true}},
      .bus_bytes_per_s = 1,
      .peer_bytes_per_s = 1};
  return platform;
}

}  // namespace

/// A recording that was read is refused or accepted on a product of 3 x 3 tasks, and on
/// factorisations whose tasks write.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  damocles::check_file(".json", data, size, [](const std::string& path) {
    const damocles::Recording recording = damocles::read_recording(path);
    static const std::array workloads{
        damocles::Workload::parse("gemm2d:n=3,tile=8,k=8"),
        damocles::Workload::parse("cholesky:n=3,tile=8,deps=true"),
        damocles::Workload::parse("cholesky:n=3,tile=8,deps=true,updates=reduce")};
    static const damocles::Platform platform = fuzzed_machine();
    const std::size_t processors = recording.decisions.processors;
    if (processors < 1 || processors > 3) return;
    for (const damocles::Workload& workload : workloads) {
      try {
        damocles::check_decisions(recording.decisions, workload, platform,
                                  std::vector<std::uint64_t>(processors, 4 * 256),
                                  [](damocles::DataId) { return std::uint64_t{256}; });
      } catch (const damocles::InvalidInput&) {  // of the decisions, not of the file
      }
    }
  });
  return 0;
}
