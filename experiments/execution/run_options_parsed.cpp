// What the options of commands that execute mean.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/commands/command.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/execution/execution.hpp"
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
