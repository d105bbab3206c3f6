#include <fmt/format.h>

#include <memory>

#include "experiments/command.hpp"
#include "experiments/execution.hpp"
#include "experiments/output_file.hpp"
#include "experiments/run_options.hpp"
#include "gpu/calibration.hpp"
#include "models/error.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

struct CalibrateOptions {
  std::string workload;
  std::string processors = "1";
  std::string memory = "500MB";
  std::string time = "200ms";
  std::string output;
  RunOptions run;
};

/// A platform file of what was measured.
std::string platform_file(const CalibrateOptions& options, const DeviceDescription& device,
                          const Calibration& measured) {
  std::string text = fmt::format(
      "# damocles calibrate {}\n# {} ({}), {}; measured {}\n"
      "# unlimited memory, in tasks a second: speeds:",
      options.workload, device.name, device.backend, device.driver, today());
  for (std::size_t p = 0; p < measured.task_s.size(); ++p) {
    text += fmt::format("{}{:.6g}", p == 0 ? "" : ",", 1 / measured.task_s[p]);
  }
  text += fmt::format(
      "\n\n[bus]\nbandwidth = \"{:.6g}GB/s\"  # all processors at once\n"
      "latency = \"{:.6g}us\"\n",
      measured.bus_bytes_per_s / 1e9, measured.latency_s * 1e6);
  if (measured.task_s.size() > 1) {
    text += measured.sharing == BusSharing::fifo
                ? "sharing = \"fifo\"  # a copy waits for another processor's\n"
                : "sharing = \"fair\"  # copies of several processors go side by side\n";
  }
  for (std::size_t p = 0; p < measured.task_s.size(); ++p) {
    text += fmt::format(
        "\n[[gpus]]  # processor {}, {}; alone {:.6g} GFlop/s\n"
        "gflops = {:.6g}\nmemory = \"{}\"\nlink = \"{:.6g}GB/s\"\n",
        p, device.parts.at(p), measured.task_flops / measured.task_alone_s[p] / 1e9,
        measured.task_flops / measured.task_s[p] / 1e9, options.memory,
        measured.link_bytes_per_s[p] / 1e9);
  }
  return text;
}

void calibrate_and_write(const CalibrateOptions& options) {
  constexpr std::uint64_t most_processors = 4096;
  const auto seconds = parse_quantity(options.time, Unit::seconds);
  if (!seconds || *seconds <= 0 || *seconds > 60) {
    throw InvalidInput(
        fmt::format("--time '{}': give a time above 0 and up to 60s, as 200ms", options.time));
  }
  const auto processors = whole("--processors", options.processors, 1, most_processors);
  check_ending("-o", options.output, {".toml"});
  check_writable(options.output);
  // Parsed so that a wrong memory= is refused before anything is measured.
  (void)Scenario::parse(fmt::format("gpus:k={},memory={}", processors, options.memory));
  const Question question{
      Workload::parse(options.workload), Scenario::homogeneous(processors), {}, {}};
  const ExecutionOptions how = options.run.parsed();
  const auto device = make_device(question, how);
  const Arithmetic arithmetic = Arithmetic::of(question.workload, how.arithmetic, question.seed);
  if (arithmetic.kernel().kind != Kernel::Kind::product) {
    throw InvalidInput(
        fmt::format("'{}' is no product of matrices, so its tasks have no speed in GFlop/s; "
                    "calibrate with gemm2d, gemm3d, outer or matrix",
                    options.workload));
  }
  const Calibration measured = calibrate(arithmetic, question.workload, *device, *seconds);
  write_output(options.output, platform_file(options, device->description(), measured));
}

}  // namespace

void add_calibrate_command(Command program) {
  const auto options = std::make_shared<CalibrateOptions>();
  Command command = program.add(
      "calibrate",
      "Measures on this machine what the workload's tasks and copies take, and writes a platform "
      "file: kernel speed of each processor while all compute, bandwidth of each and of all at "
      "once, latency, whether copies take turns. Simulation on that file can be held against runs "
      "on this machine: `damocles "
      "compare WORKLOAD FILE --backend host`.");
  command.argument("WORKLOAD", options->workload, "gemm2d:n=20,tile=64,k=256, ...");
  command.option("--processors", options->processors, "P", "how many (default 1)");
  command.option("--memory", options->memory, "SIZE",
                 "memory of each processor in the file, as 500MB or 20data (default 500MB)");
  command.option("--time", options->time, "TIME", "of each measurement (default 200ms)");
  options->run.add_device(command);
  command.option("-o,--output", options->output, "FILE.toml",
                 "write there instead of on standard output");
  command.footer(
      "EXAMPLES\n"
      "  damocles calibrate gemm2d:n=20,tile=128,k=512 --processors 2 --memory 20data -o "
      "here.toml\n"
      "  damocles compare gemm2d:n=20,tile=128,k=512 here.toml --backend host --no-throttle\n");
  command.runs([options] { calibrate_and_write(*options); });
}

}  // namespace damocles
