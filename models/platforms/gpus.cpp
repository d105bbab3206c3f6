#include "models/platforms/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/error.hpp"
#include "models/platforms/gpu_presets.hpp"
#include "models/platforms/scenario.hpp"
#include "models/precision.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t max_gpus = 4096;
constexpr std::uint64_t max_depth = 1'000'000;
constexpr double max_quantity = 1e18;
// A rate below 1 a second makes times that cannot be told from for ever, and beside days of latency
// the time of a task is lost to rounding.
constexpr double min_rate = 1;
constexpr double max_time_s = 1e6;

const std::vector<std::string>& keys() {
  static const std::vector<std::string> all{
      "k",        "preset",    "memory",    "gflops",       "bandwidth", "link",   "latency",
      "bus",      "depth",     "writeback", "streams",      "duplex",    "jitter", "request",
      "decision", "precision", "overhead",  "interference", "times"};
  return all;
}

/// One value of a platform, and where it was written.
struct Given {
  std::string text;
  std::string where;  ///< "platform 'gpus:...'" or "platform file 'x.toml', line 3"

  [[noreturn]] void refuse(std::string_view key, std::string_view want) const {
    throw InvalidInput(fmt::format("{}: {} must be {}, not '{}'", where, key, want, text));
  }
  [[nodiscard]] double quantity(std::string_view key, Unit unit) const {
    const auto value = parse_quantity(text, unit);
    if (!value || *value <= 0) refuse(key, example(unit));
    if (*value > max_quantity) refuse(key, fmt::format("at most {:g}", max_quantity));
    return *value;
  }
  [[nodiscard]] double bytes_per_s(std::string_view key) const {
    const double value = quantity(key, Unit::bytes_per_s);
    if (value < min_rate) refuse(key, fmt::format("at least {:g} B/s", min_rate));
    return value;
  }
  /// A time of 0 or more [s].
  [[nodiscard]] double time_s(std::string_view key) const {
    const auto value = parse_quantity(text, Unit::seconds);
    if (!value) refuse(key, example(Unit::seconds));
    if (*value > max_time_s) refuse(key, fmt::format("at most {:g} s", max_time_s));
    return *value;
  }
  [[nodiscard]] std::uint64_t count(std::string_view key, std::uint64_t most) const {
    const auto value = parse_integer(text);
    if (!value || *value < 1 || *value > most) {
      refuse(key, fmt::format("a whole number from 1 to {}", most));
    }
    return *value;
  }
};

void set_memory(GpuModel& gpu, const Given& given) {
  std::string_view text = given.text;
  if (text.ends_with("data")) {
    text.remove_suffix(4);
    gpu.memory_data = Given{std::string(text), given.where}.count("memory", max_depth * 1000);
    gpu.memory_bytes = 0;
    return;
  }
  gpu.memory_bytes = static_cast<std::uint64_t>(given.quantity("memory", Unit::bytes));
  gpu.memory_data = 0;
  if (gpu.memory_bytes == 0) given.refuse("memory", example(Unit::bytes));
}

double gflops(const Given& given) {
  const auto value = parse_number(given.text);
  if (!value || !(*value > 0)) given.refuse("gflops", "a number above 0");
  if (*value > max_quantity) given.refuse("gflops", fmt::format("at most {:g}", max_quantity));
  if (*value * 1e9 < min_rate) given.refuse("gflops", fmt::format("at least {:g}", min_rate / 1e9));
  return *value * 1e9;
}

double jitter(const Given& given) {
  if (given.text == "off") return 0;
  const auto value = parse_number(given.text);
  if (!value || !(*value >= 0) || *value > 1)
    given.refuse("jitter", "off or from 0 to 1, as 0.007");
  return *value;
}

/// Far more than what copies cost a task where both share all there is.
constexpr double most_interference = 100;

double interference(const Given& given) {
  const auto value = parse_number(given.text);
  if (!value || !(*value >= 0) || *value > most_interference) {
    given.refuse("interference", fmt::format("from 0 to {:g}, as 0.5", most_interference));
  }
  return *value;
}

void set_bus(Limits& limits, const std::string& key, const Given& given) {
  if (key == "bandwidth") limits.bus_bytes_per_s = given.bytes_per_s(key);
  if (key == "latency") limits.latency_s = given.time_s(key);
  if (key == "request") limits.request_s = given.time_s(key);
  if (key == "decision") limits.decision_s = given.time_s(key);
  if (key == "overhead") limits.overhead_s = given.time_s(key);
  if (key == "interference") limits.interference = interference(given);
  if (key == "depth") limits.depth = given.count(key, max_depth);
  if (key == "bus" || key == "sharing") {
    if (given.text != "fair" && given.text != "fifo") given.refuse(key, "fair or fifo");
    limits.sharing = given.text == "fair" ? BusSharing::fair : BusSharing::fifo;
  }
  if (key == "writeback") {
    if (given.text != "true" && given.text != "false" && given.text != "traffic") {
      given.refuse(key, "true, false or traffic");
    }
    limits.write_back = given.text != "false";
    limits.outputs_take_memory = given.text == "true";
  }
  if (key == "streams") limits.copy_streams = given.count(key, 2);
  if (key == "duplex") {
    if (given.text != "true" && given.text != "false") given.refuse(key, "true or false");
    limits.duplex = given.text == "true";
  }
  if (key == "jitter") limits.jitter = jitter(given);
}

/// `GEMM:1015us+POTRF:46.8ms`
std::vector<KernelTime> kernel_times(const Given& given) {
  std::vector<KernelTime> result;
  std::string_view rest = given.text;
  for (bool more = true; more;) {
    const auto end = rest.find('+');
    const std::string_view one = rest.substr(0, end);
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + 1);
    const auto colon = one.find(':');
    const double time_s = colon == std::string_view::npos
                              ? 0
                              : parse_quantity(one.substr(colon + 1), Unit::seconds).value_or(0);
    const std::string kind(one.substr(0, colon));
    const bool again = std::any_of(result.begin(), result.end(),
                                   [&](const KernelTime& other) { return other.kind == kind; });
    if (kind.empty() || again || !(time_s > 0) || time_s > max_time_s) {
      given.refuse("times", "a time above 0 for each kind of task, as GEMM:1015us+POTRF:46.8ms");
    }
    result.push_back({kind, time_s});
  }
  return result;
}

void set_gpu(GpuModel& gpu, const std::string& key, const Given& given) {
  if (key == "times") gpu.kernel_times = kernel_times(given);
  if (key == "gflops") gpu.flops_per_s = gflops(given);
  if (key == "memory") set_memory(gpu, given);
  if (key == "link") gpu.link_bytes_per_s = given.bytes_per_s(key);
}

/// The V100 of IPDPS'22 in single precision, where nothing else is said.
Limits defaults(const GpuPreset& preset = gpu_preset("v100"),
                Precision precision = Precision::fp32) {
  Limits limits;
  limits.bus_bytes_per_s = *parse_quantity(preset.bandwidth, Unit::bytes_per_s);
  limits.latency_s = 10e-6;
  limits.gpus.resize(1);
  limits.gpus.front() = {
      .flops_per_s = preset.gflops_in(precision) * 1e9,
      .memory_bytes = static_cast<std::uint64_t>(*parse_quantity(preset.memory, Unit::bytes)),
      .link_bytes_per_s =
          preset.own_links ? limits.bus_bytes_per_s : std::numeric_limits<double>::infinity()};
  return limits;
}

/// A TOML value as the text a user would write on the command line.
std::string text_of(const toml::node& node) {
  if (const auto* const text = node.as_string()) return text->get();
  if (const auto* const number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* const number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* const flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return "a table or list";
}

std::string where(const std::string& path, const toml::node& node) {
  return fmt::format("platform file '{}', line {}", path, node.source().begin.line);
}

/// Calls set(key, value) for each key of `table`, all of which must be in `known`.
template <typename Set>
void for_each_key(const toml::table& table, const std::string& path,
                  const std::vector<std::string>& known, Set&& set) {
  for (const auto& [name, value] : table) {
    const std::string key(name.str());
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      refuse_unknown("key in " + where(path, value) + ":", key, known);
    }
    set(key, value);
  }
}

void read_gpu(const toml::table& table, const std::string& path, Limits& limits) {
  static const std::vector<std::string> known{"gflops", "memory", "link", "count", "times"};
  GpuModel gpu = defaults().gpus.front();
  std::uint64_t count = 1;
  for_each_key(table, path, known, [&](const std::string& key, const toml::node& value) {
    const Given given{text_of(value), where(path, value)};
    if (key == "count") count = given.count(key, max_gpus);
    set_gpu(gpu, key, given);
  });
  if (limits.gpus.size() + count > max_gpus) {
    throw InvalidInput(fmt::format("{}: more than {} GPUs", where(path, table), max_gpus));
  }
  limits.gpus.insert(limits.gpus.end(), count, gpu);
}

}  // namespace

Limits parse_gpus(const Spec& spec) {
  spec.allow(keys());
  const GpuPreset& preset = gpu_preset(spec.word("preset").value_or("v100"));
  const Precision precision = precision_in(spec);
  if (!spec.has("gflops") && preset.gflops_in(precision) == 0) {
    spec.refuse(fmt::format("preset {} has no GFlop/s in {}; give gflops=", preset.name,
                            precision_word(precision)));
  }
  Limits limits = defaults(preset, precision);
  const std::string place = fmt::format("platform '{}'", spec.text());
  for (const auto& key : keys()) {
    if (!spec.has(key) || key == "k" || key == "preset" || key == "precision") continue;
    const Given given{*spec.word(key), place};
    set_bus(limits, key, given);
    set_gpu(limits.gpus.front(), key, given);
  }
  limits.preset_rates = !spec.has("gflops") || !spec.has("bandwidth");
  if (!spec.has("gflops")) limits.preset_precision = precision;
  const auto k = spec.integer("k", 1, max_gpus).value_or(1);
  limits.gpus.resize(k, limits.gpus.front());
  if (preset.own_links && !spec.has("bandwidth")) {
    limits.bus_bytes_per_s = static_cast<double>(k) * limits.gpus.front().link_bytes_per_s;
  }
  return limits;
}

Limits read_gpus(const toml::table& file, const std::string& path) {
  Limits limits = defaults();
  limits.gpus.clear();
  for_each_key(file, path, {"bus", "gpus"}, [](const std::string&, const toml::node&) {});
  if (const auto* const bus = file["bus"].as_table()) {
    static const std::vector<std::string> known{
        "bandwidth", "latency", "sharing", "depth",    "writeback", "streams",
        "duplex",    "jitter",  "request", "decision", "overhead",  "interference"};
    for_each_key(*bus, path, known, [&](const std::string& key, const toml::node& value) {
      set_bus(limits, key, {text_of(value), where(path, value)});
    });
  } else if (file.contains("bus")) {
    throw InvalidInput(
        fmt::format("{}: bus must be a table: [bus]", where(path, *file.get("bus"))));
  }
  const auto* const gpus = file["gpus"].as_array();
  if (gpus == nullptr || gpus->empty() || !gpus->is_array_of_tables()) {
    throw InvalidInput(fmt::format(
        "platform file '{}' has no [[gpus]] table; write one with memory = \"500MB\"", path));
  }
  limits.preset_rates = !file["bus"]["bandwidth"];
  for (const auto& node : *gpus) {
    read_gpu(*node.as_table(), path, limits);
    if (node.as_table()->contains("gflops")) continue;
    limits.preset_rates = true;
    limits.preset_precision = Precision::fp32;
  }
  return limits;
}

namespace {

Scenario gpus(const Spec& spec) { return Scenario::of_limits(spec.text(), parse_gpus(spec)); }

const Register gpus_form{PlatformForm{
    .name = "gpus",
    .place = 10,
    .form = {"gpus:k=K,memory=500MB",
             "K GPUs of limited memory on one bus; preset=v100 (the default: IPDPS'22) or another "
             "(`damocles list presets`), precision=single|double|tf32|bf16|fp16 (of its GFlop/s), "
             "memory=35data, gflops=, bandwidth=12GB/s, link=, latency=10us, request=0s, "
             "bus=fair|fifo, depth=, writeback=true|traffic, streams=2|1, duplex=, "
             "jitter=off|0.007, decision=0ns, overhead=0us, interference=0, "
             "times=POTRF:46.8ms+GEMM:1015us (of kinds of tasks, instead of flops over GFlop/s)"},
    .make = gpus}};

}  // namespace
}  // namespace damocles
