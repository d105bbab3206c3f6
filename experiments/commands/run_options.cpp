#include "experiments/commands/run_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/commands/command.hpp"
#include "gpu/backend.hpp"
#include "models/error.hpp"
#include "models/precision.hpp"
#include "models/quantity.hpp"
#include "models/spec.hpp"
#include "models/workloads/family.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t max_tile = 1'000'000;
constexpr std::uint64_t max_depth = 1'000'000;
constexpr std::uint64_t max_multiprocessors = 4096;

/// One of a few words, each with what it means.
template <typename Meaning>
Meaning word(const std::string& option, const std::string& text,
             const std::vector<std::pair<std::string, Meaning>>& words) {
  std::vector<std::string> known;
  for (const auto& [name, meaning] : words) {
    if (name == text) return meaning;
    known.push_back(name);
  }
  refuse_unknown(option, text, known);
}

double seconds(const std::string& option, const std::string& text) {
  const auto value = parse_quantity(text, Unit::seconds);
  if (!value || *value <= 0 || *value > 3600) {
    throw InvalidInput(
        fmt::format("{} '{}': give a time above 0 and up to 1h, as 1ms or 500us", option, text));
  }
  return *value;
}

/// Refuses an option that this backend makes nothing of, and names those that do.
void refuse_on(const BackendEntry& backend, bool BackendEntry::*needed, const char* option,
               const char* why) {
  if (backend.*needed) return;
  std::vector<std::string> able;
  for (const BackendEntry& other : Table<BackendEntry>::entries()) {
    if (other.*needed) able.push_back(other.name);
  }
  throw InvalidInput(fmt::format("{} is for --backend {}; {} {}", option, fmt::join(able, " or "),
                                 backend.name, why));
}

}  // namespace

void RunOptions::add_device(Command command) {
  command.option("--backend", backend, "NAME",
                 "what computes, see damocles list backends (default host)");
  command.option("--tile", tile, "N",
                 "rows and columns of a tile of outer and matrix (default 32)");
  command.option("--inner", inner, "N", "inner extent of a block of outer (default 8)");
  command.option(
      "--precision", precision, "NAME",
      "of outer and matrix: single (the default), double, tf32, bf16 or fp16; gemm2d, gemm3d and sparse2d have their own precision=");
  command.option(
      "--sms", multiprocessors, "LIST",
      "cuda: streaming multiprocessors (SMs) of the GPU for each processor, as 8,16,32,64; CPU cores get none (default: equal shares)");
}

void RunOptions::add_to(Command command, bool backend_required) {
  add_device(command);
  command.option(
      "--pace", pace, "TIME",
      "slow execution down to the platform's speeds: a task takes TIME on a processor of mean "
      "speed, and the bus is slower by the same factor (host, and mpi but for the bus). Default: tasks run as fast as this machine "
      "computes; volume_ratio may then be below 1, because its bound assumes the platform's speeds");
  command.flag("--no-throttle", no_throttle,
               "host: copy at this machine's speed, not at that of the platform's bus");
  command.option(
      "--verify", check, "NAME",
      "how to check the result: full (every number), freivalds (products times random "
      "vectors), none, or auto (default: full up to 0.2 GFlop and for checksums, else freivalds)");
  command.option("--compute", compute, "NAME",
                 "what tasks compute: auto (the default: product, else checksum), product, "
                 "checksum, or empty (nothing: the executor alone)");
  command.option("--depth", depth, "N",
                 "unlimited memory: a processor asks for tasks while fewer than N of those it took "
                 "are unfinished, the running one included (default 1: when it is idle); "
                 "limited memory: see depth= in `damocles list platforms gpus`");
  if (!backend_required) return;
  command.describe("--backend",
                   "also execute there, see damocles list backends (default: no execution)");
  backend.clear();
  for (const char* const option : {"--tile", "--inner", "--precision", "--sms", "--pace",
                                   "--no-throttle", "--verify", "--compute", "--depth"}) {
    command.only_with(option, "--backend", option == std::string("--sms") ? "cuda" : "host");
  }
}

void RunOptions::refuse_sizes(const Workload& workload) const {
  if (workload.is_grid() && !workload.has_sizes()) return;
  const std::string name = workload.text().substr(0, workload.text().find(':'));
  const auto* const family = Table<WorkloadFamily>::find(name);
  // The k of a three-dimensional product counts blocks.
  const bool k_is_inner = workload.structure().kind != Structure::Kind::product_3d;
  for (const auto& [option, key, value] : {std::tuple("--tile", "tile", tile),
                                           {"--inner", k_is_inner ? "k" : "", inner},
                                           {"--precision", "precision", precision}}) {
    if (value.empty()) continue;
    const bool has_key = family != nullptr &&
                         std::count(family->keys.begin(), family->keys.end(), std::string(key)) > 0;
    throw InvalidInput(fmt::format(
        "{} applies only to outer and matrix; {}", option,
        has_key ? fmt::format("give {}= in the workload, as {}:{}={}", key, name, key, value)
                : fmt::format("leave it out, as {} has its own sizes and precision", name)));
  }
}

ExecutionOptions RunOptions::parsed(const Workload& workload) const {
  using Compute = ArithmeticOptions::Compute;
  ExecutionOptions result;
  result.backend = backend;
  result.arithmetic.compute = word<Compute>("compute", compute,
                                            {{"auto", Compute::automatic},
                                             {"product", Compute::product},
                                             {"checksum", Compute::checksum},
                                             {"empty", Compute::empty}});
  if (!precision.empty()) {
    const auto known = precision_of(precision);
    if (!known) refuse_unknown("precision", precision, precision_words());
    result.arithmetic.precision = *known;
  }
  if (!tile.empty()) result.arithmetic.tile = parse_integer_option("--tile", tile, 1, max_tile);
  if (!inner.empty()) result.arithmetic.rank = parse_integer_option("--inner", inner, 1, max_tile);
  refuse_sizes(workload);
  result.check = check_named(check);
  if (!pace.empty()) result.pace_s = seconds("--pace", pace);
  result.throttle = !no_throttle;
  result.depth = parse_integer_option("--depth", depth, 1, max_depth);
  if (!multiprocessors.empty()) {
    for (const auto& share : split_specs(multiprocessors)) {
      result.multiprocessors.push_back(
          static_cast<unsigned>(parse_integer_option("--sms", share, 1, max_multiprocessors)));
    }
  }
  const BackendEntry& on = Table<BackendEntry>::named(backend);
  if (result.pace_s) {
    refuse_on(on, &BackendEntry::paces_tasks, "--pace", "computes as fast as it goes");
  }
  if (no_throttle) {
    refuse_on(on, &BackendEntry::throttles_copies, "--no-throttle", "never throttles copies");
  }
  if (!multiprocessors.empty()) {
    refuse_on(on, &BackendEntry::shares_multiprocessors, "--sms",
              "has no multiprocessors; use --pace");
  }
  return result;
}

void RunOptions::refuse_events(const CommonOptions& common) const {
  const BackendEntry& asked = Table<BackendEntry>::named(backend);
  if (asked.run == nullptr) return;
  for (const auto& [option, file] :
       {std::pair("--trace", common.trace), std::pair("--record", common.recording)}) {
    if (file.empty()) continue;
    throw InvalidInput(fmt::format(
        "{} wants the events of a run, and backend {} moves the data itself and tells none; leave it out, or use --backend host",
        option, asked.name));
  }
}

}  // namespace damocles
