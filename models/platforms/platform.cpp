#include "models/platforms/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "models/error.hpp"
#include "models/platforms/gpus.hpp"
#include "models/rng.hpp"
#include "models/spec.hpp"
#include "models/toml_file.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t max_processors = 1'000'000;
// So that sums of speeds and of times stay finite.
constexpr double min_speed = 1e-15;
constexpr double max_speed = 1e15;

struct Distribution {
  std::vector<double> set;
  double lo;
  double hi;
  double drift;
};

/// HPDC'14 section 3.5.
const std::map<std::string, Distribution, std::less<>>& section_3_5() {
  static const std::map<std::string, Distribution, std::less<>> all{
      {"unif.1", {{}, 80, 120, 0}},         {"unif.2", {{}, 50, 150, 0}},
      {"set.3", {{80, 100, 150}, 0, 0, 0}}, {"set.5", {{40, 80, 100, 150, 200}, 0, 0, 0}},
      {"dyn.5", {{}, 80, 120, 0.05}},       {"dyn.20", {{}, 80, 120, 0.20}},
  };
  return all;
}

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> result{"homogeneous", "uniform", "speeds", "gpus"};
    for (const auto& [name, distribution] : section_3_5()) result.push_back(name);
    return result;
  }();
  return all;
}

std::size_t processor_count(const Spec& spec) {
  const auto p = spec.integer("p", 1, max_processors);
  if (!p) spec.refuse("needs p, the number of processors, as in " + spec.name() + ":p=20");
  return *p;
}

double positive_speed(std::optional<double> speed, const std::string& where) {
  if (!speed || !(*speed >= min_speed && *speed <= max_speed)) {  // NaN is neither
    throw InvalidInput(fmt::format("{} is not a speed; give a number from {:g} to {:g}", where,
                                   min_speed, max_speed));
  }
  return *speed;
}

}  // namespace

double Limits::jitter_of() const {
  if (jitter) return *jitter;
  for (std::size_t k = 1; k < gpus.size(); ++k) {
    for (std::size_t other = 0; other < k; ++other) {
      if (gpus[k].flops_per_s == gpus[other].flops_per_s) return 0.007;
    }
  }
  return 0;
}

double Limits::copy_s(std::size_t processor, double bytes) const {
  return latency_s + bytes / std::min(gpus[processor].link_bytes_per_s, bus_bytes_per_s);
}

double Platform::mean_speed() const {
  return std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(speeds.size());
}

std::vector<double> Platform::relative_speeds() const {
  const double total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  std::vector<double> relative = speeds;
  for (double& speed : relative) speed /= total;
  return relative;
}

const std::vector<std::array<std::string, 2>>& Scenario::forms() {
  static const std::vector<std::array<std::string, 2>> all{
      {"homogeneous:p=P", "P processors of one speed"},
      {"uniform:p=P,lo=L,hi=H", "speeds uniform in [L, H], drawn anew for each replicate"},
      {"speeds:80,100,150", "these speeds, in tasks per second"},
      {"unif.1:p=P", "HPDC'14 3.5: speeds uniform in [80, 120]"},
      {"unif.2:p=P", "HPDC'14 3.5: speeds uniform in [50, 150]"},
      {"set.3:p=P", "HPDC'14 3.5: speeds of {80, 100, 150}"},
      {"set.5:p=P", "HPDC'14 3.5: speeds of {40, 80, 100, 150, 200}"},
      {"dyn.5:p=P", "HPDC'14 3.5: as unif.1, then +-5 % after each task"},
      {"dyn.20:p=P", "HPDC'14 3.5: as unif.1, then +-20 % after each task"},
      {"gpus:k=K,memory=500MB",
       "K GPUs of limited memory on one bus; preset=v100 (the default: IPDPS'22) or another "
       "(`damocles list presets`), precision=single|double|tf32|bf16|fp16 (of its GFlop/s), "
       "memory=35data, gflops=, bandwidth=12GB/s, link=, latency=10us, request=0s, bus=fair|fifo, "
       "depth=, "
       "writeback=true|traffic, streams=2|1, duplex=, jitter=off|0.007, decision=0ns, "
       "overhead=0us, interference=0"},
      {"FILE.toml",
       "[[processors]] tables with speed (tasks per second) and count; or [bus] with bandwidth, "
       "latency, ... and [[gpus]] with gflops, memory, link and count"},
  };
  return all;
}

Scenario Scenario::homogeneous(std::uint64_t processors) {
  return parse(fmt::format("homogeneous:p={}", processors));
}

Scenario Scenario::parse(std::string_view text) {
  if (text.ends_with(".toml")) return of_named_file(std::string(text));
  const Spec spec = Spec::parse(text, "platform");
  if (spec.name() == "gpus") return of_limits(spec.text(), parse_gpus(spec));
  Scenario scenario;
  scenario.text_ = spec.text();
  if (spec.name() == "speeds") {
    spec.allow({}, true);
    for (const auto& value : spec.values()) {
      scenario.given_.push_back(
          positive_speed(parse_number(value), fmt::format("platform '{}': '{}'", text, value)));
    }
    if (scenario.given_.empty()) spec.refuse("needs at least one speed, as in speeds:80,100,150");
    scenario.processors_ = scenario.given_.size();
    return scenario;
  }
  const auto named = section_3_5().find(spec.name());
  static const std::vector<std::string> p_only{"p"};
  static const std::vector<std::string> drawn{"p", "draw"};
  static const std::vector<std::string> uniform{"p", "lo", "hi", "draw"};
  if (spec.name() == "homogeneous") {
    spec.allow(p_only);
    scenario.processors_ = processor_count(spec);
    scenario.given_.assign(scenario.processors_, 1.0);
    return scenario;
  }
  if (spec.name() == "uniform") {
    spec.allow(uniform);
    const auto lo = spec.number("lo", 0, max_speed);
    const auto hi = spec.number("hi", 0, max_speed);
    if (!lo || !hi) spec.refuse("needs lo and hi, as in uniform:p=20,lo=10,hi=100");
    if (*hi < *lo || *hi < min_speed) spec.refuse("hi must be above 0 and at least lo");
    scenario.lo_ = *lo;
    scenario.hi_ = *hi;
  } else if (named != section_3_5().end()) {
    spec.allow(drawn);
    scenario.set_ = named->second.set;
    scenario.lo_ = named->second.lo;
    scenario.hi_ = named->second.hi;
    scenario.drift_ = named->second.drift;
  } else {
    refuse_unknown("platform", spec.name(), names());
  }
  scenario.processors_ = processor_count(spec);
  if (const auto draw = spec.integer("draw", 0, std::numeric_limits<std::uint64_t>::max())) {
    scenario.fixed_draw_ = true;
    scenario.draw_ = *draw;
  }
  return scenario;
}

Scenario Scenario::of_named_file(const std::string& path) {
  std::error_code absent;
  const auto written = std::filesystem::last_write_time(path, absent);
  Scenario scenario = from_file(path);
  scenario.source_ = SourceFile{path, digest_of_file(path)};
  if (std::filesystem::last_write_time(path, absent) != written) {
    throw InvalidInput(
        fmt::format("platform file '{}' changed while it was read; run again", path));
  }
  return scenario;
}

Scenario Scenario::from_file(const std::string& path) {
  const toml::table file =
      read_toml(path, {.what = "platform file",
                       .right = "give a TOML file with [[processors]] or [[gpus]]",
                       .most_bytes = most_toml_bytes});
  if (file.contains("gpus") || file.contains("bus")) return of_limits(path, read_gpus(file, path));
  const auto line = [](const toml::node& node) { return node.source().begin.line; };
  const auto known = [&](const toml::table& table, const std::vector<std::string>& keys) {
    for (const auto& [key, value] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        refuse_unknown(fmt::format("key in platform file '{}', line {}:", path, line(value)),
                       key.str(), keys);
      }
    }
  };
  known(file, {"processors"});
  const auto* const processors = file["processors"].as_array();
  if (processors == nullptr || processors->empty() || !processors->is_array_of_tables()) {
    throw InvalidInput(fmt::format(
        "platform file '{}' has no [[processors]] table; write one with speed = 100", path));
  }
  Scenario scenario;
  scenario.text_ = path;
  for (const auto& node : *processors) {
    const auto& table = *node.as_table();
    known(table, {"speed", "count"});
    const auto where = fmt::format("platform file '{}', line {}: speed", path, line(table));
    const double speed = positive_speed(table["speed"].value<double>(), where);
    const auto count = table.contains("count") ? table["count"].value<std::int64_t>() : 1;
    if (!count || *count < 1 || static_cast<std::uint64_t>(*count) > max_processors) {
      throw InvalidInput(
          fmt::format("platform file '{}', line {}: count must be a whole number "
                      "from 1 to {}",
                      path, line(table), max_processors));
    }
    // Before they are there: many tables of many processors take the memory of all.
    scenario.processors_ += static_cast<std::size_t>(*count);
    if (scenario.processors_ > max_processors) {
      throw InvalidInput(fmt::format("platform file '{}', line {}: more than {} processors", path,
                                     line(table), max_processors));
    }
    scenario.given_.insert(scenario.given_.end(), static_cast<std::size_t>(*count), speed);
  }
  return scenario;
}

Scenario Scenario::of_limits(std::string text, Limits limits) {
  Scenario scenario;
  scenario.text_ = std::move(text);
  for (const GpuModel& gpu : limits.gpus) scenario.given_.push_back(gpu.flops_per_s);
  scenario.processors_ = limits.gpus.size();
  scenario.limits_ = std::move(limits);
  return scenario;
}

Platform Scenario::draw(std::uint64_t seed, std::uint64_t replicate) const {
  if (!given_.empty()) return {given_, drift_, limits_};
  Rng rng = fixed_draw_ ? Rng(draw_, Draw::speeds, 0) : Rng(seed, Draw::speeds, replicate);
  Platform platform{std::vector<double>(processors_), drift_, {}};
  for (double& speed : platform.speeds) {
    // hi - u (hi - lo) with u in [0, 1): never 0, also when lo is.
    speed = set_.empty() ? hi_ - rng.uniform() * (hi_ - lo_) : set_[rng.below(set_.size())];
  }
  return platform;
}

}  // namespace damocles
