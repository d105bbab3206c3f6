// A product of matrices four times the size of the memory it may use, on a GPU: how near it comes
// to what the GPU and its bus allow, to cublasXt and to tiles in flight on several streams in the
// same memory. Of each size, one JSON
// object; a table on standard output.
//
// What to expect, and the sizes it suggests. C = A B in n x n tasks; task (i, j) reads a panel of A
// and one of B, t x k each, and writes a tile of t x t; numbers of e bytes. With F flop/s, and B
// bytes/s each way, a task computes for 2 t^2 k / F, a panel travels for e t k / B, a tile for
// e t^2 / B. Memory M holds m = (M - 3 e t^2) / (e t k) panels, the 3 tiles being results on their
// way out (two tasks may be queued, and one result leaves). Inputs of 4 M make n about 2 m.
// Panel streaming keeps w = m - 4 or so panels (the streamed one, and prefetched ones), so that
// each panel that travels serves w tasks; it computes all the time where
//   w t > e F / (2 B)   and, for results,   k > e F / (2 B).
// A strategy that loads one panel a task needs t alone to be as large.
// For fp32 on an H200, F about 52e12 and B about 50e9: e F / (2 B) = 2080. Then 2048:24576:2400MB
// (m = 11, n = 24; 0.2 GB a panel, 4 ms; 4 ms a task, 2.3 s in all) is bound by arithmetic with
// every strategy but for its first two panels (0.4 %), and 1024:16384:800MB (m = 11, n = 24; 1.3 ms
// a panel, 0.7 ms a task, 0.4 s) is bound by the bus with all strategies that load a panel a task.
// C takes 9.7 GB of the host, twice (ours and cublasXt's), A and B together 9.7 GB, twice.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gpu/calibration.hpp"
#include "gpu/cuda_device.hpp"
#include "gpu/executor.hpp"
#include "gpu/verification/verify.hpp"
#include "models/bounds/load_bounds.hpp"
#include "models/error.hpp"
#include "models/precision.hpp"
#include "models/spec.hpp"
#include "sim/simulate.hpp"
#include "tests/bench/out_of_core/cublas_xt.hpp"
#include "tests/bench/out_of_core/plain_product.hpp"
#include "tests/bench/out_of_core/size.hpp"
#include "tests/bench/out_of_core/tiled_streams.hpp"

namespace damocles {
namespace {

using Json = nlohmann::ordered_json;

/// Whose results are checked: of each strategy, and of cublasXt, those of its first run; of all
/// runs; of none.
enum class Verify { first, all, none };

struct Options {
  std::vector<std::string> sizes{"1024:16384:800MB", "2048:24576:2400MB"};
  std::vector<std::string> strategies{"panel-streaming", "darts", "hfp", "dmdar", "eager"};
  std::vector<int> blocks{1024, 2048, 3072, 4096, 6144, 8192};
  std::vector<int> streams{2, 3, 4};
  int repetitions = 2;
  std::uint64_t depth = 4;
  Verify verify = Verify::first;
  std::uint64_t peak_tile = 8192;
  double measuring_s = 0.5;
  std::string precision = "single";
  bool no_xt = false;
  bool no_tiled = false;
  std::string output;
};

/// The GPU as calibrated, with the memory that the outputs on their way out leave for data.
Platform calibrated(const Calibration& measured, std::uint64_t data_bytes, std::uint64_t depth) {
  const double flops_per_s = measured.peak_flops_per_s();
  Platform platform{.speeds = {flops_per_s}};
  platform.machine =
      MachineModel{.processors = {{.flops_per_s = flops_per_s,
                                   .memory_bytes = data_bytes,
                                   .link_bytes_per_s = measured.link_bytes_per_s.front()}},
                   .bus_bytes_per_s = measured.bus_bytes_per_s,
                   .latency_s = measured.latency_s,
                   .depth = depth};
  return platform;
}

double relative(double value, double to) { return to > 0 ? value / to - 1 : 0; }

/// One size on one GPU.
class Bench {
 public:
  /// `keep` is called after every row, so that what was measured is there if a later one is cut
  /// off.
  Bench(const Options& options, const Size& size, Device& device,
        std::function<void(const Json&)> keep)
      : options_(options),
        size_(size),
        device_(device),
        keep_(std::move(keep)),
        workload_(size.workload(options.precision)),
        arithmetic_(Arithmetic::of(workload_, {}, 1)),
        store_(arithmetic_, device) {
    const std::uint64_t set_aside = (device.lanes() + 1) * arithmetic_.output_bytes();
    if (size.memory_bytes <= set_aside + 2 * *arithmetic_.uniform_bytes()) {
      throw InvalidInput(fmt::format(
          "'{}' in {} bytes: {} are for results on their way out, and a task reads {}; give more memory or smaller tiles",
          workload_.text(), size.memory_bytes, set_aside, 2 * *arithmetic_.uniform_bytes()));
    }
    const Calibration measured = calibrate(arithmetic_, workload_, device, options.measuring_s);
    platform_ = calibrated(measured, size.memory_bytes - set_aside, options.depth);
    large_peak_ = large_peak_now();
    flops_ = measured.task_flops * static_cast<double>(arithmetic_.tasks());
  }

  /// @return whether every result was right
  bool run() {
    fmt::print(
        "{}, {} bytes of GPU memory\npeak {:.5g} GFlop/s (this tile {:.5g}), to the GPU "
        "{:.4g} GB/s\n\n{:<16} {:>8} {:>9} {:>8} {:>9} {:>7} {:>9} {:>10}\n",
        workload_.text(), size_.memory_bytes, peak() / 1e9, tile_peak() / 1e9, bandwidth() / 1e9,
        "", "total_s", "GFlop/s", "GB", "of bound", "sched.", "makespan", "/simulated");
    for (const auto& strategy : options_.strategies) execute_strategy(strategy);
    if (!options_.no_xt || !options_.no_tiled) run_peers();
    large_peak_after_ = large_peak_now();
    fmt::print("peak afterwards {:.5g} GFlop/s\n", large_peak_after_ / 1e9);
    keep_(json());
    if (options_.verify != Verify::none) check_inputs();
    fmt::print("\n");
    return right_;
  }

 private:
  [[nodiscard]] Json json() const {
    return {{"workload", workload_.text()},
            {"tasks", workload_.tasks()},
            {"flops", flops_},
            {"input_bytes", static_cast<double>(*arithmetic_.uniform_bytes()) *
                                static_cast<double>(arithmetic_.data())},
            {"memory_limit_bytes", size_.memory_bytes},
            {"memory_for_data_bytes", platform_.machine->processors.front().memory_bytes},
            {"depth", options_.depth},
            {"peak_gflops", peak() / 1e9},
            {"tile_peak_gflops", tile_peak() / 1e9},
            {"large_peak_gflops", large_peak_ / 1e9},
            {"large_peak_afterwards_gflops", large_peak_after_ / 1e9},
            {"lower_bound_loads", least_loads()},
            {"bandwidth_gbytes_per_s", bandwidth() / 1e9},
            {"latency_s", platform_.machine->latency_s},
            {"runs", runs_},
            {"cublas_xt", xt_runs_},
            {"tiled_streams", tiled_runs_},
            {"inputs", inputs_},
            {"goals", goals()}};
  }

  [[nodiscard]] double tile_peak() const { return platform_.speeds.front(); }
  [[nodiscard]] double peak() const { return std::max(tile_peak(), large_peak_); }
  [[nodiscard]] double bandwidth() const {
    return platform_.machine->processors.front().link_bytes_per_s;
  }

  /// Of a large product, for four times as long as other things are measured: a GPU that gets warm
  /// slows down.
  [[nodiscard]] double large_peak_now() const {
    const Workload large = Workload::parse(fmt::format("gemm2d:n=1,tile={0},k={0},precision={1}",
                                                       options_.peak_tile, options_.precision));
    return measure_peak(Arithmetic::of(large, {}, 1), large, device_, 4 * options_.measuring_s);
  }

  /// That no schedule has fewer than, in the memory for data.
  [[nodiscard]] std::uint64_t least_loads() const {
    const std::uint64_t panels =
        platform_.machine->processors.front().memory_bytes / *arithmetic_.uniform_bytes();
    const BlockProduct& product = arithmetic_.product();
    return grid_load_bound(product.rows, product.columns, panels).loads;
  }
  /// What the peak and the bus allow where so many bytes are loaded [flop/s].
  [[nodiscard]] double bound(double loaded_bytes) const {
    return std::min(peak(), flops_ / (loaded_bytes / bandwidth()));
  }

  void execute_strategy(const std::string& name) {
    const auto choice = StrategyChoice::parse(name, workload_);
    const Trace simulated = simulate(workload_, platform_, choice, 1, 0);
    for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
      store_.renew();
      const Execution run = execute(workload_, platform_, choice, arithmetic_, store_, device_, {});
      note(name, repetition, run, simulated);
    }
  }

  void note(const std::string& name, int repetition, const Execution& run, const Trace& simulated) {
    const double loaded = static_cast<double>(run.trace.bytes_loaded.front());
    const double least =
        static_cast<double>(least_loads()) * static_cast<double>(*arithmetic_.uniform_bytes());
    const double rate = flops_ / run.total_s;
    Json row{{"strategy", name},
             {"repetition", repetition},
             {"failure", run.failure},
             {"total_s", run.total_s},
             {"makespan_s", run.trace.makespan_s},
             {"gflops", rate / 1e9},
             {"loads", run.trace.total_loads()},
             {"bytes_loaded", loaded},
             {"bytes_written", run.trace.bytes_written.front()},
             {"memory_peak_bytes", run.peak_bytes.front()},
             {"bound_gflops", bound(loaded) / 1e9},
             {"share_of_bound", rate / bound(loaded)},
             {"share_of_bound_of_least_loads", rate / bound(least)},
             {"share_of_peak", rate / peak()},
             {"busy_fraction", run.trace.busy_fraction()},
             {"scheduling_share", run.trace.scheduling_s / run.trace.makespan_s},
             {"simulated_makespan_s", simulated.makespan_s},
             {"simulated_loads", simulated.total_loads()},
             {"makespan_error", relative(run.trace.makespan_s, simulated.makespan_s)}};
    std::string verdict = run.failure;
    if (run.failure.empty()) {
      fmt::print("{:<16} {:>8.4f} {:>9.5g} {:>8.4g} {:>7.1f} % {:>5.2f} % {:>9.4f} {:>+8.1f} %",
                 name, run.total_s, rate / 1e9, loaded / 1e9, 100 * rate / bound(loaded),
                 100 * run.trace.scheduling_s / run.trace.makespan_s, run.trace.makespan_s,
                 100 * relative(run.trace.makespan_s, simulated.makespan_s));
      verdict = check_result(repetition == 0, row);
    } else {
      fmt::print("{:<16}", name);
    }
    finish_row(verdict, runs_, std::move(row));
  }

  /// Freivalds' check of what lies in the store, where it is asked for. @return what is wrong, or
  /// ""
  std::string check_result(bool first, Json& row) const {
    row["verified"] = options_.verify == Verify::all || (options_.verify == Verify::first && first);
    if (!row["verified"]) return {};
    const auto start = std::chrono::steady_clock::now();
    const Verification verified = verify_results(arithmetic_, workload_, store_, Check::freivalds);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    row["verification"] = verified.text;
    row["worst_error_over_tolerance"] = verified.worst;
    row["verification_s"] = took.count();
    return verified.right ? "" : verified.text;
  }

  void finish_row(const std::string& wrong, Json& rows, Json row) {
    fmt::print("{}{}\n", wrong.empty() ? "" : "  FAILED: ", wrong);
    std::fflush(stdout);
    row["status"] = wrong.empty() ? "ok" : "failed";
    right_ = right_ && wrong.empty();
    rows.push_back(std::move(row));
    keep_(json());
  }

  /// Once a size: what runs have written into would not show in their results.
  void check_inputs() {
    inputs_ = changed_inputs(arithmetic_, store_);
    if (!inputs_.empty()) fmt::print("FAILED: {}\n", inputs_);
    right_ = right_ && inputs_.empty();
    if (inputs_.empty()) inputs_ = "right: they are what they were before the runs";
    keep_(json());
  }

  using Way = std::function<PeerRun(int)>;

  void run_peers() {
    PlainProduct product(arithmetic_, store_, device_);
    // cublasXt has no products of 16-bit numbers.
    if (!options_.no_xt && element_bytes(arithmetic_.kernel().precision) > 2) {
      run_peer(product, "cublasXt", options_.blocks, xt_runs_, [&](int block) {
        return multiply_by_cublas_xt(product, block, size_.memory_bytes);
      });
    }
    if (!options_.no_tiled) {
      run_peer(product, "tiled streams", options_.streams, tiled_runs_, [&](int streams) {
        return multiply_by_tiled_streams(product, streams, size_.memory_bytes);
      });
    }
  }

  /// Every setting once, and the best again.
  void run_peer(const PlainProduct& product, const std::string& name,
                const std::vector<int>& settings, Json& rows, const Way& way) {
    std::optional<double> shortest_s;
    int best = 0;
    for (const int setting : settings) {
      const PeerRun run = way(setting);
      note_peer(product, fmt::format("{} {}", name, setting), run, !shortest_s, rows);
      if (!run.failure.empty() || (shortest_s && run.seconds >= *shortest_s)) continue;
      shortest_s = run.seconds;
      best = setting;
    }
    for (int i = 1; shortest_s && i < options_.repetitions; ++i) {
      note_peer(product, fmt::format("{} {}", name, best), way(best), false, rows);
    }
    if (!shortest_s) right_ = false;
  }

  void note_peer(const PlainProduct& product, const std::string& name, const PeerRun& run,
                 bool first, Json& rows) {
    Json row{{"block", run.block},
             {"failure", run.failure},
             {"memory_bytes", run.memory_bytes},
             {"total_s", run.seconds},
             {"gflops", run.seconds > 0 ? flops_ / run.seconds / 1e9 : 0}};
    if (run.streams > 0) {
      row["streams"] = run.streams;
      row["bytes_loaded"] = run.loaded_bytes;
    }
    if (!run.failure.empty()) {  // a block that does not fit is an answer
      fmt::print("{:<16} {}\n", name, run.failure);
      row["status"] = "failed";
      rows.push_back(std::move(row));
      keep_(json());
      return;
    }
    fmt::print("{:<16} {:>8.4f} {:>9.5g}", name, run.seconds, flops_ / run.seconds / 1e9);
    if (run.streams > 0) fmt::print(" {:>8.4g}", static_cast<double>(run.loaded_bytes) / 1e9);
    store_.renew();
    product.cut_into(store_);
    const std::string wrong = check_result(first, row);
    finish_row(wrong, rows, std::move(row));
  }

  /// What the fastest run reached of what is asked for.
  [[nodiscard]] Json goals() const {
    const auto fastest = [](const Json& rows) {
      const Json* best = nullptr;
      for (const Json& row : rows) {
        if (row["status"] != "ok") continue;
        if (best == nullptr || row["total_s"] < (*best)["total_s"]) best = &row;
      }
      return best;
    };
    const Json* const ours = fastest(runs_);
    if (ours == nullptr) return nullptr;
    const auto goal = [](double value, bool met) { return Json{{"value", value}, {"met", met}}; };
    const double share = (*ours)["share_of_bound"];
    const double scheduling = (*ours)["scheduling_share"];
    const double error = (*ours)["makespan_error"];
    Json result{{"strategy", (*ours)["strategy"]},
                {"share_of_bound_at_least_0.9", goal(share, share >= 0.9)},
                {"scheduling_share_below_0.02", goal(scheduling, scheduling < 0.02)},
                {"makespan_error_within_0.1", goal(error, std::abs(error) <= 0.1)}};
    const double least = (*ours)["share_of_bound_of_least_loads"];
    result["share_of_bound_of_least_loads"] = least;
    const auto compare_with = [&](const std::string& name, const Json* theirs) {
      if (theirs == nullptr) return;
      const double speedup = (*theirs)["total_s"].get<double>() / (*ours)["total_s"].get<double>();
      result["speed_over_" + name + "_at_least_1"] = goal(speedup, speedup >= 1);
    };
    compare_with("cublas_xt", fastest(xt_runs_));
    compare_with("tiled_streams", fastest(tiled_runs_));
    return result;
  }

  const Options& options_;
  Size size_;
  Device& device_;
  std::function<void(const Json&)> keep_;
  Workload workload_;
  Arithmetic arithmetic_;
  Store store_;
  Platform platform_;
  double large_peak_ = 0;
  double large_peak_after_ = 0;
  double flops_ = 0;
  bool right_ = true;
  std::string inputs_ = "not checked";
  Json runs_ = Json::array();
  Json xt_runs_ = Json::array();
  Json tiled_runs_ = Json::array();
};

/// The whole file anew, beside the old one and then in its place, so that one of them is there
/// whenever it is cut off.
void write(const Options& options, const Json& all) {
  if (options.output.empty()) return;
  const std::string beside = options.output + ".new";
  std::ofstream file(beside);
  file << all.dump(2) << '\n';
  file.close();
  if (!file) throw InvalidInput(fmt::format("'{}' cannot be written", beside));
  std::filesystem::rename(beside, options.output);
}

bool run(const Options& options) {
  // cublasXt has no math mode: its SGEMM is one of tf32 only where the environment says so, which
  // cuBLAS reads when it begins.
  if (options.precision == "tf32") (void)setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  const auto device = make_cuda_device({.processors = 1});
  const DeviceDescription of = device->description();
  fmt::print("{}, {}\n\n", of.name, of.driver);
  Json all{{"benchmark", "out_of_core"},
           {"device", {{"name", of.name}, {"driver", of.driver}, {"processors", of.parts}}},
           {"precision", options.precision},
           {"working_set_over_memory", oversubscription},
           {"cases", Json::array()}};
  bool right = true;
  for (const auto& text : options.sizes) {
    const Size size = Size::parse(text);
    Json& place = all["cases"].emplace_back();
    Bench bench(options, size, *device, [&](const Json& so_far) {
      place = so_far;
      write(options, all);
    });
    right = bench.run() && right;
  }
  return right;
}

void add_options(CLI::App& program, Options& options) {
  program.add_option("--size", options.sizes, "TILE:K:MEMORY, as 2048:24576:2400MB; several")
      ->capture_default_str();
  program.add_option("--strategies", options.strategies, "several")->capture_default_str();
  program.add_option("--xt-blocks", options.blocks, "block sizes tried with cublasXt")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  program.add_option("--repetitions", options.repetitions, "of each strategy, and cublasXt's best")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  program.add_option("--depth", options.depth, "of the task buffer")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  program.add_option("--peak-tile", options.peak_tile, "of the large product for the peak")
      ->check(CLI::Range(1, 32768))
      ->capture_default_str();
  program.add_option("--measure", options.measuring_s, "seconds of each measurement")
      ->check(CLI::Range(0.001, 10.0))
      ->capture_default_str();
  const std::map<std::string, Verify> verify{
      {"first", Verify::first}, {"all", Verify::all}, {"none", Verify::none}};
  program
      .add_option("--verify", options.verify,
                  "whose results are checked: first, of each strategy and of cublasXt; all; none")
      ->transform(CLI::CheckedTransformer(verify))
      ->default_str("first");
  program.add_option("--precision", options.precision, "single, double, tf32, bf16, fp16")
      ->check(CLI::IsMember(precision_words()))
      ->capture_default_str();
  program.add_option("--streams", options.streams, "numbers of streams tried with tiles")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  program.add_flag("--no-xt", options.no_xt, "without cublasXt");
  program.add_flag("--no-tiled", options.no_tiled, "without tiles in flight on several streams");
  program.add_option("-o,--output", options.output, "JSON, written there");
}

}  // namespace
}  // namespace damocles

/// Exit status: 0 done and right, 1 a run failed or a result is wrong, 2 the request was wrong.
int main(int argc, char** argv) {
  damocles::Options options;
  CLI::App program("C = A B out of core on a GPU: ours, its bounds, and cublasXt");
  damocles::add_options(program, options);
  try {
    program.parse(argc, argv);
    return damocles::run(options) ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  } catch (const damocles::InvalidInput& error) {
    fmt::print(stderr, "damocles_out_of_core: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "damocles_out_of_core: {}\n", error.what());
    return 1;
  }
}
