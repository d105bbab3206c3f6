#include "models/platforms/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <span>

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

/// One value of a platform, and where it was written.
struct Given {
  std::string key;
  std::string text;
  std::string where;  ///< "platform 'gpus:...'" or "platform file 'x.toml', line 3"

  [[noreturn]] void refuse(std::string_view want) const {
    throw InvalidInput(fmt::format("{}: {} must be {}, not '{}'", where, key, want, text));
  }
  [[nodiscard]] double quantity(Unit unit) const {
    const auto value = parse_quantity(text, unit);
    if (!value || *value <= 0) refuse(example(unit));
    if (*value > max_quantity) refuse(fmt::format("at most {:g}", max_quantity));
    return *value;
  }
  [[nodiscard]] double bytes_per_s() const {
    const double value = quantity(Unit::bytes_per_s);
    if (value < min_rate) refuse(fmt::format("at least {:g} B/s", min_rate));
    return value;
  }
  /// A time of 0 or more [s].
  [[nodiscard]] double time_s() const {
    const auto value = parse_quantity(text, Unit::seconds);
    if (!value) refuse(example(Unit::seconds));
    if (*value > max_time_s) refuse(fmt::format("at most {:g} s", max_time_s));
    return *value;
  }
  [[nodiscard]] std::uint64_t count(std::uint64_t most) const {
    const auto value = parse_integer(text);
    if (!value || *value < 1 || *value > most) {
      refuse(fmt::format("a whole number from 1 to {}", most));
    }
    return *value;
  }
  /// One of these words, which `meant` lists for a reader.
  void one_of(std::initializer_list<std::string_view> words, std::string_view meant) const {
    if (std::find(words.begin(), words.end(), text) == words.end()) refuse(meant);
  }
};

void set_memory(GpuModel& gpu, const Given& given) {
  std::string_view text = given.text;
  if (text.ends_with("data")) {
    text.remove_suffix(4);
    gpu.memory_data = Given{given.key, std::string(text), given.where}.count(max_depth * 1000);
    gpu.memory_bytes = 0;
    return;
  }
  gpu.memory_bytes = static_cast<std::uint64_t>(given.quantity(Unit::bytes));
  gpu.memory_data = 0;
  if (gpu.memory_bytes == 0) given.refuse(example(Unit::bytes));
}

void set_gflops(GpuModel& gpu, const Given& given) {
  const auto value = parse_number(given.text);
  if (!value || !(*value > 0)) given.refuse("a number above 0");
  if (*value > max_quantity) given.refuse(fmt::format("at most {:g}", max_quantity));
  if (*value * 1e9 < min_rate) given.refuse(fmt::format("at least {:g}", min_rate / 1e9));
  gpu.flops_per_s = *value * 1e9;
}

void set_link(GpuModel& gpu, const Given& given) { gpu.link_bytes_per_s = given.bytes_per_s(); }

void set_jitter(Limits& limits, const Given& given) {
  const auto value = given.text == "off" ? 0 : parse_number(given.text);
  if (!value || !(*value >= 0) || *value > 1) given.refuse("off or from 0 to 1, as 0.007");
  limits.jitter = *value;
}

/// Far more than what copies cost a task where both share all there is.
constexpr double most_interference = 100;

void set_interference(Limits& limits, const Given& given) {
  const auto value = parse_number(given.text);
  if (!value || !(*value >= 0) || *value > most_interference) {
    given.refuse(fmt::format("from 0 to {:g}, as 0.5", most_interference));
  }
  limits.interference = *value;
}

void set_sharing(Limits& limits, const Given& given) {
  given.one_of({"fair", "fifo"}, "fair or fifo");
  limits.sharing = given.text == "fair" ? BusSharing::fair : BusSharing::fifo;
}

/// The pieces of `a+b+c`.
std::vector<std::string_view> summands(std::string_view text) {
  std::vector<std::string_view> result;
  for (auto end = text.find('+'); end != std::string_view::npos; end = text.find('+')) {
    result.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  result.push_back(text);
  return result;
}

/// `24.1GB/s`, of every pair; `24.1GB/s+0-3:47.8GB/s`, but of GPUs 0 and 3
void set_peers(Limits& limits, const Given& given) {
  limits.peer_bytes_per_s = 0;
  limits.peer_links.clear();
  for (const std::string_view one : summands(given.text)) {
    const auto colon = one.find(':');
    const Given bandwidth{given.key, std::string(one.substr(colon + 1)), given.where};
    if (colon == std::string_view::npos) {
      limits.peer_bytes_per_s = bandwidth.bytes_per_s();
      continue;
    }
    const std::string_view pair = one.substr(0, colon);
    const auto dash = std::min(pair.find('-'), pair.size());
    const auto a = parse_integer(pair.substr(0, dash));
    const auto b = parse_integer(pair.substr(std::min(dash + 1, pair.size())));
    if (!a || !b || *a == *b || *a >= max_gpus || *b >= max_gpus) {
      given.refuse("a bandwidth, or one of a pair of GPUs, as 24GB/s+0-3:48GB/s");
    }
    limits.peer_links.push_back({*a, *b, bandwidth.bytes_per_s()});
  }
}

/// @throws InvalidInput where a link is to a GPU that is not there
void check_peers(const Limits& limits, const std::string& where) {
  for (const PeerLink& link : limits.peer_links) {
    const std::size_t gpu = std::max(link.a, link.b);
    if (gpu < limits.gpus.size()) continue;
    throw InvalidInput(fmt::format("{}: peers names GPU {}, but there are {} (from 0)", where, gpu,
                                   limits.gpus.size()));
  }
}

/// `GEMM:1015us+POTRF:46.8ms`
void set_kernel_times(GpuModel& gpu, const Given& given) {
  gpu.kernel_times.clear();
  for (const std::string_view one : summands(given.text)) {
    const auto colon = one.find(':');
    const double time_s = colon == std::string_view::npos
                              ? 0
                              : parse_quantity(one.substr(colon + 1), Unit::seconds).value_or(0);
    const std::string kind(one.substr(0, colon));
    const bool again = std::any_of(gpu.kernel_times.begin(), gpu.kernel_times.end(),
                                   [&](const KernelTime& other) { return other.kind == kind; });
    if (kind.empty() || again || !(time_s > 0) || time_s > max_time_s) {
      given.refuse("a time above 0 for each kind of task, as GEMM:1015us+POTRF:46.8ms");
    }
    gpu.kernel_times.push_back({kind, time_s});
  }
}

void set_write_back(Limits& limits, const Given& given) {
  given.one_of({"true", "false", "traffic"}, "true, false or traffic");
  limits.write_back = given.text != "false";
  limits.outputs_take_memory = given.text == "true";
}

void set_duplex(Limits& limits, const Given& given) {
  given.one_of({"true", "false"}, "true or false");
  limits.duplex = given.text == "true";
}

/// A key of processors or of their bus, and what sets it.
template <typename Of>
struct PlatformKey {
  std::string_view name;
  void (*set)(Of& to, const Given& given);
};

constexpr auto gpu_keys = std::to_array<PlatformKey<GpuModel>>({{"gflops", set_gflops},
                                                                {"memory", set_memory},
                                                                {"link", set_link},
                                                                {"times", set_kernel_times}});

constexpr auto bus_keys = std::to_array<PlatformKey<Limits>>(
    {{"bandwidth", [](Limits& to, const Given& is) { to.bus_bytes_per_s = is.bytes_per_s(); }},
     {"latency", [](Limits& to, const Given& is) { to.latency_s = is.time_s(); }},
     {"sharing", set_sharing},
     {"depth", [](Limits& to, const Given& is) { to.depth = is.count(max_depth); }},
     {"writeback", set_write_back},
     {"streams", [](Limits& to, const Given& is) { to.copy_streams = is.count(2); }},
     {"duplex", set_duplex},
     {"jitter", set_jitter},
     {"request", [](Limits& to, const Given& is) { to.request_s = is.time_s(); }},
     {"decision", [](Limits& to, const Given& is) { to.decision_s = is.time_s(); }},
     {"overhead", [](Limits& to, const Given& is) { to.overhead_s = is.time_s(); }},
     {"interference", set_interference},
     {"peers", set_peers}});

/// What `gpus:` calls a key of the table [bus].
std::string in_spec(std::string_view key) { return std::string(key == "sharing" ? "bus" : key); }

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

/// Refuses keys that are not `known`.
void check_keys(const toml::table& table, const std::string& path,
                const std::vector<std::string>& known) {
  for (const auto& [name, value] : table) {
    const std::string key(name.str());
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    refuse_unknown("key in " + where(path, value) + ":", key, known);
  }
}

/// Sets what the table has of these keys; `other` is a further one that it may have.
template <typename Of>
void set_all(const toml::table& table, const std::string& path,
             std::span<const PlatformKey<Of>> keys, Of& to, const char* other = nullptr) {
  std::vector<std::string> known;
  for (const auto& key : keys) known.emplace_back(key.name);
  if (other != nullptr) known.emplace_back(other);
  check_keys(table, path, known);
  for (const auto& [name, set] : keys) {
    const toml::node* const value = table.get(name);
    if (value != nullptr) set(to, {std::string(name), text_of(*value), where(path, *value)});
  }
}

void read_gpu(const toml::table& table, const std::string& path, Limits& limits) {
  GpuModel gpu = defaults().gpus.front();
  set_all<GpuModel>(table, path, gpu_keys, gpu, "count");
  std::uint64_t count = 1;
  if (const toml::node* const value = table.get("count")) {
    count = Given{"count", text_of(*value), where(path, *value)}.count(max_gpus);
  }
  if (limits.gpus.size() + count > max_gpus) {
    throw InvalidInput(fmt::format("{}: more than {} GPUs", where(path, table), max_gpus));
  }
  limits.gpus.insert(limits.gpus.end(), count, gpu);
}

/// `between = [0, 3]`, `bandwidth = "47.8GB/s"`
void read_link(const toml::table& table, const std::string& path, Limits& limits) {
  check_keys(table, path, {"between", "bandwidth"});
  const toml::array* const between = table["between"].as_array();
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; between != nullptr && at < between->size(); ++at) {
    const auto gpu = between->get(at)->value<std::int64_t>();
    if (gpu && *gpu >= 0 && static_cast<std::size_t>(*gpu) < limits.gpus.size()) {
      ends.push_back(static_cast<std::size_t>(*gpu));
    }
  }
  if (ends.size() != 2 || between->size() != 2 || ends[0] == ends[1]) {
    throw InvalidInput(fmt::format("{}: between must be two GPUs, as [0, 1], of {} (from 0)",
                                   where(path, table), limits.gpus.size()));
  }
  const toml::node* const bandwidth = table.get("bandwidth");
  if (bandwidth == nullptr) {
    throw InvalidInput(fmt::format(
        "{}: a link without bandwidth; give one, as bandwidth = \"24GB/s\"", where(path, table)));
  }
  const Given given{"bandwidth", text_of(*bandwidth), where(path, *bandwidth)};
  limits.peer_links.push_back({ends[0], ends[1], given.bytes_per_s()});
}

/// Those of `gpus:`.
std::vector<std::string> keys_of_spec() {
  std::vector<std::string> keys{"k", "preset", "precision"};
  for (const auto& key : gpu_keys) keys.emplace_back(key.name);
  for (const auto& key : bus_keys) keys.push_back(in_spec(key.name));
  return keys;
}

/// Sets what the spec has of these keys.
template <typename Of>
void set_all(const Spec& spec, std::span<const PlatformKey<Of>> keys, Of& to) {
  for (const auto& key : keys) {
    const std::string name = in_spec(key.name);
    const auto text = spec.word(name);
    if (text) key.set(to, {name, *text, fmt::format("platform '{}'", spec.text())});
  }
}

}  // namespace

Limits parse_gpus(const Spec& spec) {
  spec.allow(keys_of_spec());
  const GpuPreset& preset = gpu_preset(spec.word("preset").value_or("v100"));
  const Precision precision = precision_in(spec);
  if (!spec.has("gflops") && preset.gflops_in(precision) == 0) {
    spec.refuse(fmt::format("preset {} has no GFlop/s in {}; give gflops=", preset.name,
                            precision_word(precision)));
  }
  Limits limits = defaults(preset, precision);
  set_all<Limits>(spec, bus_keys, limits);
  set_all<GpuModel>(spec, gpu_keys, limits.gpus.front());
  limits.preset_rates = !spec.has("gflops") || !spec.has("bandwidth");
  if (!spec.has("gflops")) limits.preset_precision = precision;
  const auto k = spec.integer("k", 1, max_gpus).value_or(1);
  limits.gpus.resize(k, limits.gpus.front());
  check_peers(limits, fmt::format("platform '{}'", spec.text()));
  if (preset.own_links && !spec.has("bandwidth")) {
    limits.bus_bytes_per_s = static_cast<double>(k) * limits.gpus.front().link_bytes_per_s;
  }
  return limits;
}

Limits read_gpus(const toml::table& file, const std::string& path) {
  Limits limits = defaults();
  limits.gpus.clear();
  check_keys(file, path, {"bus", "gpus", "links"});
  if (const auto* const bus = file["bus"].as_table()) {
    set_all<Limits>(*bus, path, bus_keys, limits);
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
  check_peers(limits, fmt::format("platform file '{}'", path));
  if (!file.contains("links")) return limits;
  const auto* const links = file["links"].as_array();
  if (links == nullptr || !links->is_array_of_tables()) {
    throw InvalidInput(
        fmt::format("{}: links must be tables: [[links]]", where(path, *file.get("links"))));
  }
  for (const auto& node : *links) read_link(*node.as_table(), path, limits);
  return limits;
}

namespace {

Scenario gpus(const Spec& spec) { return Scenario::of_limits(spec.text(), parse_gpus(spec)); }

const Register gpus_form{PlatformForm{
    .name = "gpus",
    .place = 10,
    .form =
        {"gpus:k=K,memory=500MB",
         "K GPUs of limited memory on one bus; preset=v100 (the default: IPDPS'22) or another "
         "(`damocles list presets`), precision=single|double|tf32|bf16|fp16 (of its GFlop/s), "
         "memory=35data, gflops=, bandwidth=12GB/s, link=, latency=10us, request=0s, "
         "bus=fair|fifo, depth=, writeback=true|traffic, streams=2|1, duplex=, "
         "jitter=off|0.007, decision=0ns, overhead=0us, interference=0, peers=24GB/s+0-3:48GB/s "
         "(links between GPUs), "
         "times=POTRF:46.8ms+GEMM:1015us (of kinds of tasks, instead of flops over GFlop/s)"},
    .make = gpus}};

}  // namespace
}  // namespace damocles
