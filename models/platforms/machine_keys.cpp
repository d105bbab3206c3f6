#include "models/platforms/machine_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "models/error.hpp"
#include "models/platforms/energy.hpp"
#include "models/platforms/kernel_times.hpp"
#include "models/platforms/measured_kernels.hpp"
#include "models/platforms/routing_table.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

constexpr std::uint64_t max_depth = 1'000'000;
constexpr double max_quantity = 1e18;
// A rate below 1 a second makes times that cannot be told from for ever, and beside days of latency
// the time of a task is lost to rounding.
constexpr double min_rate = 1;
constexpr double max_time_s = 1e6;

}  // namespace

void KeyValue::refuse(std::string_view want) const {
  throw InvalidInput(fmt::format("{}: {} must be {}, not '{}'", where, key, want, text));
}

double KeyValue::quantity(Unit unit) const {
  const auto value = parse_quantity(text, unit);
  if (!value) throw InvalidInput(fmt::format("{}: {}", where, quantity_error(key, text, unit)));
  if (*value <= 0) refuse(example(unit));
  if (*value > max_quantity) refuse(fmt::format("at most {:g}", max_quantity));
  return *value;
}

double KeyValue::bytes_per_s() const {
  const double value = quantity(Unit::bytes_per_s);
  if (value < min_rate) refuse(fmt::format("at least {:g} B/s", min_rate));
  return value;
}

double KeyValue::time_s() const {
  const auto value = parse_quantity(text, Unit::seconds);
  if (!value) {
    throw InvalidInput(fmt::format("{}: {}", where, quantity_error(key, text, Unit::seconds)));
  }
  if (*value > max_time_s) refuse(fmt::format("at most {:g} s", max_time_s));
  return *value;
}

std::uint64_t KeyValue::count(std::uint64_t most) const {
  const auto value = parse_integer(text);
  if (!value || *value < 1 || *value > most) {
    refuse(fmt::format("a whole number from 1 to {}", most));
  }
  return *value;
}

void KeyValue::one_of(std::initializer_list<std::string_view> words, std::string_view meant) const {
  if (std::find(words.begin(), words.end(), text) == words.end()) refuse(meant);
}

namespace {

void set_memory(ProcessorModel& gpu, const KeyValue& given) {
  std::string_view text = given.text;
  if (text.ends_with("data")) {
    text.remove_suffix(4);
    gpu.memory_data = KeyValue{given.key, std::string(text), given.where}.count(max_depth * 1000);
    gpu.memory_bytes = 0;
    return;
  }
  gpu.memory_bytes = static_cast<std::uint64_t>(given.quantity(Unit::bytes));
  gpu.memory_data = 0;
  if (gpu.memory_bytes == 0) given.refuse(example(Unit::bytes));
}

void set_gflops(ProcessorModel& gpu, const KeyValue& given) {
  const auto value = parse_number(given.text);
  if (!value || !(*value > 0)) given.refuse("a number of GFlop/s above 0, such as 13253");
  if (*value > max_quantity) given.refuse(fmt::format("at most {:g}", max_quantity));
  if (*value * 1e9 < min_rate) given.refuse(fmt::format("at least {:g}", min_rate / 1e9));
  gpu.flops_per_s = *value * 1e9;
  gpu.kernels = kernels_at_given_speed;
}

void set_link(ProcessorModel& gpu, const KeyValue& given) {
  gpu.link_bytes_per_s = given.bytes_per_s();
}

void set_jitter(MachineModel& machine, const KeyValue& given) {
  const auto value = given.text == "off" ? 0 : parse_number(given.text);
  if (!value || !(*value >= 0) || *value > 1) given.refuse("off or from 0 to 1, as 0.007");
  machine.jitter = *value;
}

void set_noise(MachineModel& machine, const KeyValue& given) {
  machine.noise.reset();
  if (given.text != "off") machine.noise = parse_noise(given.text, given.where);
}

/// Far more than what copies cost a task where both share all there is.
constexpr double most_interference = 100;

void set_loads_ahead(MachineModel& machine, const KeyValue& given) {
  constexpr std::uint64_t most = 1000;
  const auto value = parse_integer(given.text);
  if (!value || *value > most) given.refuse(fmt::format("a whole number from 0 to {}", most));
  machine.loads_ahead = *value;
}

void set_interference(MachineModel& machine, const KeyValue& given) {
  const auto value = parse_number(given.text);
  if (!value || !(*value >= 0) || *value > most_interference) {
    given.refuse(fmt::format("from 0 to {:g}, as 0.5", most_interference));
  }
  machine.interference = *value;
}

void set_sharing(MachineModel& machine, const KeyValue& given) {
  given.one_of({"fair", "fifo"}, "fair or fifo");
  machine.sharing = given.text == "fair" ? BusSharing::fair : BusSharing::fifo;
}

/// `12GB/s`, of every bus; `12GB/s+6GB/s`, of one after the other
void set_bandwidth(MachineModel& machine, const KeyValue& given) {
  machine.bus_rates.clear();
  for (const std::string_view one : summands(given.text)) {
    machine.bus_rates.push_back(KeyValue{given.key, std::string(one), given.where}.bytes_per_s());
  }
  if (machine.bus_rates.size() > most_buses) {
    given.refuse(fmt::format("of at most {} buses", most_buses));
  }
  machine.bus_bytes_per_s = machine.bus_rates.front();
  if (machine.bus_rates.size() == 1) machine.bus_rates.clear();
}

/// Whether the text ends in this word after a colon, which is then taken away.
bool take_word(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  const std::string_view rest = text.substr(0, text.size() - word.size());
  if (!rest.ends_with(':')) return false;
  text = rest.substr(0, rest.size() - 1);
  return true;
}

/// `24.1GB/s`, of every pair; `24.1GB/s+0-3:47.8GB/s`, but of GPUs 0 and 3; `0-3:47.8GB/s:half`:
/// both directions in turn
void set_peers(MachineModel& machine, const KeyValue& given) {
  machine.peer_bytes_per_s = 0;
  machine.peers_half_duplex = false;
  machine.peer_links.clear();
  for (std::string_view one : summands(given.text)) {
    const bool half = take_word(one, "half");
    const auto colon = one.find(':');
    const KeyValue bandwidth{given.key, std::string(one.substr(colon + 1)), given.where};
    if (colon == std::string_view::npos) {
      machine.peer_bytes_per_s = bandwidth.bytes_per_s();
      machine.peers_half_duplex = half;
      continue;
    }
    const std::string_view pair = one.substr(0, colon);
    const auto dash = std::min(pair.find('-'), pair.size());
    const auto a = parse_integer(pair.substr(0, dash));
    const auto b = parse_integer(pair.substr(std::min(dash + 1, pair.size())));
    if (!a || !b || *a == *b || *a >= most_limited_processors || *b >= most_limited_processors) {
      given.refuse(
          "a bandwidth, or one of a pair of GPUs, as 24GB/s+0-3:48GB/s or 0-3:48GB/s:half");
    }
    machine.peer_links.push_back({*a, *b, bandwidth.bytes_per_s(), half});
  }
}

/// The numbers between dashes, from 0 below `most_limited_processors`; empty where some are none.
std::vector<std::size_t> dashed(std::string_view text) {
  std::vector<std::size_t> result;
  while (true) {
    const auto dash = std::min(text.find('-'), text.size());
    const auto number = parse_integer(text.substr(0, dash));
    if (!number || *number >= most_limited_processors) return {};
    result.push_back(*number);
    if (dash == text.size()) return result;
    text.remove_prefix(dash + 1);
  }
}

/// `bus`, of every pair that has no link; `bus:once`, such copies cross one bus once; `0-1-3`, of
/// GPUs 0 and 3 over the links of GPU 1; `0-bus-2`, of GPUs 0 and 2 over the buses
void set_routes(MachineModel& machine, const KeyValue& given) {
  machine.peers_over_bus = false;
  machine.peers_cross_once = false;
  machine.peer_routes.clear();
  constexpr std::string_view over_bus = "-bus-";
  for (const std::string_view one : summands(given.text)) {
    if (one == "bus" || one == "bus:once") {
      machine.peers_over_bus = true;
      machine.peers_cross_once = one == "bus:once";
      continue;
    }
    const auto bus = one.find(over_bus);
    std::vector<std::size_t> gpus;
    if (bus == std::string_view::npos) {
      gpus = dashed(one);
    } else {
      const auto from = dashed(one.substr(0, bus));
      const auto to = dashed(one.substr(bus + over_bus.size()));
      if (from.size() == 1 && to.size() == 1) gpus = {from[0], to[0]};
    }
    if (gpus.size() < (bus == std::string_view::npos ? 3U : 2U)) {
      given.refuse("bus, bus:once, or GPUs from end to end, as 0-1-3 (over those of 1) or 0-bus-2");
    }
    machine.peer_routes.push_back({gpus.front(), gpus.back(), {gpus.begin() + 1, gpus.end() - 1}});
  }
}

/// @throws InvalidInput where a bus has no GPU or no bandwidth
void check_buses(const MachineModel& machine, const std::string& where) {
  if (!machine.bus_rates.empty() && machine.on_buses() > 0 &&
      machine.buses() != machine.bus_rates.size()) {
    throw InvalidInput(
        fmt::format("{}: {} bandwidths for {}; give one, or one a bus, as 12GB/s+6GB/s of two",
                    where, machine.bus_rates.size(),
                    machine.buses() == 1 ? "one bus" : fmt::format("{} buses", machine.buses())));
  }
  for (std::size_t bus = 0; machine.on_buses() > 0 && bus < machine.buses(); ++bus) {
    if (machine.on_bus(bus) > 0) continue;
    throw InvalidInput(
        fmt::format("{}: no GPU is on bus {} of {} (from 0)", where, bus, machine.buses()));
  }
}

/// @throws InvalidInput where a link is to a GPU that is not there
void check_peers(const MachineModel& machine, const std::string& where) {
  for (const PeerLink& link : machine.peer_links) {
    const std::size_t gpu = std::max(link.a, link.b);
    if (gpu < machine.on_buses()) continue;
    throw InvalidInput(fmt::format("{}: peers names GPU {}, but there are {}, numbered from 0",
                                   where, gpu, machine.on_buses()));
  }
}

/// As its user would write it.
std::string route_text(const PeerRoute& route) {
  std::string text = fmt::format("{}{}", route.a, route.via.empty() ? "-bus" : "");
  for (const std::size_t gpu : route.via) text += fmt::format("-{}", gpu);
  return fmt::format("{}-{}", text, route.b);
}

/// Of a route that needs these links.
std::string text_of_missing_links(const std::vector<std::pair<std::size_t, std::size_t>>& links) {
  std::string pairs;
  std::string keys;
  for (const auto& [a, b] : links) {
    pairs += fmt::format("{} GPUs {} and {}", pairs.empty() ? "" : " and between", a, b);
    keys += fmt::format("{}{}-{}:24GB/s", keys.empty() ? "" : "+", a, b);
  }
  return fmt::format("needs a link between{}; add peers={}", pairs, keys);
}

/// What is wrong with a route whose GPUs are there; "" where nothing is.
std::string fault_of(const PeerRoute& route, const MachineModel& machine) {
  const auto linked = [&](std::size_t a, std::size_t b) {
    return machine.peer_bytes_per_s > 0 ||
           std::any_of(machine.peer_links.begin(), machine.peer_links.end(), [&](const auto& link) {
             return std::minmax(link.a, link.b) == std::minmax(a, b);
           });
  };
  std::vector<std::size_t> gpus{route.a};
  gpus.insert(gpus.end(), route.via.begin(), route.via.end());
  gpus.push_back(route.b);
  for (std::size_t at = 0; at < gpus.size(); ++at) {
    if (std::find(gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(at), gpus[at]) !=
        gpus.begin() + static_cast<std::ptrdiff_t>(at)) {
      return fmt::format("comes to GPU {} twice; name each once", gpus[at]);
    }
  }
  if (linked(route.a, route.b)) {
    return "is of two GPUs with a link of their own, which they take; leave it out";
  }
  if (gpus.size() - 1 > most_links_of_route) {
    return fmt::format("goes over {} links; give at most {}", gpus.size() - 1, most_links_of_route);
  }
  std::vector<std::pair<std::size_t, std::size_t>> missing;
  for (std::size_t at = 1; !route.via.empty() && at < gpus.size(); ++at) {
    if (!linked(gpus[at - 1], gpus[at])) missing.emplace_back(gpus[at - 1], gpus[at]);
  }
  return missing.empty() ? "" : text_of_missing_links(missing);
}

/// @throws InvalidInput where a route is of or over GPUs or links that are not there, or goes in a
/// circle, or two are of one pair
void check_routes(const MachineModel& machine, const std::string& where) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const PeerRoute& route : machine.peer_routes) {
    std::size_t last = std::max(route.a, route.b);
    for (const std::size_t gpu : route.via) last = std::max(last, gpu);
    std::string fault;
    if (last >= machine.on_buses()) {
      fault =
          fmt::format("names GPU {}, but there are {}, numbered from 0", last, machine.on_buses());
    } else {
      fault = fault_of(route, machine);
    }
    if (fault.empty() && !pairs.insert(std::minmax(route.a, route.b)).second) {
      fault = fmt::format("is the second of GPUs {} and {}; give one", route.a, route.b);
    }
    if (fault.empty()) continue;
    throw InvalidInput(fmt::format("{}: route {} {}", where, route_text(route), fault));
  }
}

/// @throws InvalidInput where noise is to be as measured and nothing was
void check_noise(const MachineModel& machine, const std::string& where) {
  if (!machine.noise || !machine.noise->from_history()) return;
  if (!machine.times_files().empty() || machine.uses_recorded_times()) return;
  throw InvalidInput(fmt::format(
      "{}: noise=history without times of a file; give some, as times=GEMM:cuda@FILE", where));
}

void set_kernel_times(ProcessorModel& gpu, const KeyValue& given) {
  gpu.kernel_times.clear();
  gpu.kernels.clear();
  if (given.text == kernels_by_flops || measured_kernels_of(given.text) != nullptr) {
    gpu.kernels = given.text;
    if (given.text == kernels_by_flops) return;
  }
  gpu.kernel_times = parse_kernel_times(given.text, given.where);
}

void set_power(ProcessorModel& gpu, const KeyValue& given) {
  gpu.power.computing_w = given.quantity(Unit::watts);
}

void set_idle_power(ProcessorModel& gpu, const KeyValue& given) {
  const auto value = parse_quantity(given.text, Unit::watts);
  gpu.power.idle_w = value && *value == 0 ? 0 : given.quantity(Unit::watts);
}

void set_kernel_powers(ProcessorModel& gpu, const KeyValue& given) {
  gpu.power.of_kinds = parse_kernel_powers(given.text, given.where);
}

void set_speedups(ProcessorModel& cpu, const KeyValue& given) {
  cpu.speedups = parse_speedups(given.text, given.where);
}

/// Of "3outputs"; 0 where it is no such word.
std::uint64_t places_of(const KeyValue& given) {
  constexpr std::string_view unit = "outputs";
  constexpr std::uint64_t most = 1000;
  if (!given.text.ends_with(unit)) return 0;
  const std::string_view number(given.text.data(), given.text.size() - unit.size());
  const auto count = parse_integer(number);
  if (count && *count > most) given.refuse(fmt::format("at most {}outputs", most));
  return count.value_or(0);
}

void set_write_back(MachineModel& machine, const KeyValue& given) {
  machine.output_places = places_of(given);
  if (machine.output_places > 0) {
    machine.write_back = false;
    return;
  }
  given.one_of({"true", "false", "traffic"}, "true, false, traffic, or a number as 3outputs");
  machine.write_back = given.text != "false";
  machine.outputs_take_memory = given.text == "true";
}

void set_duplex(MachineModel& machine, const KeyValue& given) {
  given.one_of({"true", "false"}, "true or false");
  machine.duplex = given.text == "true";
}

/// Names of kinds of tasks, as POTRF+GETRF.
void set_synchronous(MachineModel& machine, const KeyValue& given) {
  machine.synchronous.clear();
  for (const std::string_view kind : summands(given.text)) {
    if (kind.empty()) given.refuse("names of kinds of tasks, as POTRF+GETRF");
    machine.synchronous.emplace_back(kind);
  }
}

constexpr std::string_view kernel_times =
    "v100|h200|core|flops|POTRF:never+GEMM:1015us|TRSM:2e-13*bytes^1.5|GEMM:cuda@FILE|recorded";
constexpr std::string_view meaning_of_times =
    "time by kind of task; v100, h200, core: kernels of Cholesky and LU as measured on such a GPU or a core, the default with deps=true and without gflops=; flops: all kinds at gflops=; "
    "never: cannot run it; FILE: a performance model of StarPU; recorded: as tasks.rec says";

constexpr auto keys_of_gpus = std::to_array<PlatformKey<ProcessorModel>>(
    {{"gflops", set_gflops, "13253", "(preset)", "speed of a GPU in GFlop/s"},
     {"memory", set_memory, "500MB|500MiB|35data", "(preset)",
      "memory of a GPU; 35data: room for 35 data items"},
     {"link", set_link, "12GB/s", "(preset)", "bandwidth between a GPU and its bus"},
     {"times", set_kernel_times, kernel_times, "(flops/gflops)", meaning_of_times},
     {"power", set_power, "300W", "(unknown)",
      "power of a GPU while it computes; result rows then have energy_j"},
     {"idle", set_idle_power, "50W", "0W", "power of a GPU while it does not compute"},
     {"powers", set_kernel_powers, "GEMM:280W+POTRF:120W", "(power)",
      "power of a GPU by kind of task"}});

/// Of cores, which compute where all data lie.
constexpr auto keys_of_cpus = std::to_array<PlatformKey<ProcessorModel>>(
    {{"gflops", set_gflops, "40", "40", "speed of a core in GFlop/s"},
     {"times", set_kernel_times, kernel_times, "(flops/gflops)", meaning_of_times},
     {"power", set_power, "10W", "(unknown)", "power of a core while it computes"},
     {"idle", set_idle_power, "2W", "0W", "power of a core while it does not compute"},
     {"powers", set_kernel_powers, "GEMM:9W+POTRF:8W", "(power)",
      "power of a core by kind of task"},
     {"speedup", set_speedups,
      "amdahl:0.05|power:0.9|table:1/1.9/2.7|GEMM:amdahl:0.05+SYRK:power:0.9", "(one core a task)",
      "speedup of several cores that compute one task together, as pheft and peager let them"}});

constexpr auto keys_of_bus = std::to_array<PlatformKey<MachineModel>>(
    {{"bandwidth", set_bandwidth, "12GB/s|12GB/s+6GB/s", "(preset)",
      "bandwidth of the bus; with +, one for each bus"},
     {"latency", [](MachineModel& to, const KeyValue& is) { to.latency_s = is.time_s(); }, "10us",
      "10us", "latency of each transfer"},
     {"sharing", set_sharing, "fair|fifo", "fair",
      "how transfers share a bus: max-min fair, or one after the other"},
     {"depth", [](MachineModel& to, const KeyValue& is) { to.depth = is.count(max_depth); }, "4",
      "(strategy)",
      "tasks in a GPU's buffer, the running one included; default: the strategy's own, else 2 to "
      "16, more where transfers take long beside tasks"},
     {"loads_ahead", set_loads_ahead, "2", "0",
      "a GPU requests the inputs of a further task while at most so many of its loads are on "
      "their way"},
     {"writeback", set_write_back, "true|false|traffic|3outputs", "false",
      "whether outputs return to host memory; true: they hold GPU memory until then; "
      "traffic: they use only free memory; 3outputs: a GPU has room for 3 beside its memory"},
     {"streams", [](MachineModel& to, const KeyValue& is) { to.copy_streams = is.count(2); }, "1|2",
      "2", "copy streams of a GPU; 2: one for each direction; 1: one for both"},
     {"duplex", set_duplex, "true|false", "false",
      "true: only links limit copies to host memory, not the bus"},
     {"jitter", set_jitter, "off|0.007", "(0.007 if alike)",
      "tasks take up to this share longer, at random; default: 0.007 if processors are alike"},
     {"noise", set_noise, "off|lognormal:0.05|history", "off",
      "random factor on the time of each task; history: with the standard deviation that StarPU measured"},
     {"request", [](MachineModel& to, const KeyValue& is) { to.request_s = is.time_s(); }, "5us",
      "0s", "added to the latency of a transfer for which the next task waits"},
     {"decision", [](MachineModel& to, const KeyValue& is) { to.decision_s = is.time_s(); }, "45ns",
      "0s", "time that a decision takes for each task or data item that it inspects"},
     {"handover", [](MachineModel& to, const KeyValue& is) { to.handover_s = is.time_s(); }, "30us",
      "0s", "delay of a processor that waited while another one decided"},
     {"overhead", [](MachineModel& to, const KeyValue& is) { to.overhead_s = is.time_s(); }, "20us",
      "0s", "added to the time of each task"},
     {"interference", set_interference, "0.5", "0",
      "share of a copy's time by which it delays the tasks of its processor"},
     {"synchronous", set_synchronous, "POTRF+GETRF", "(none)",
      "kinds of tasks during which a GPU takes no task and requests no copy"},
     {"peers", set_peers, "24GB/s|24GB/s+0-3:48GB/s:half", "(none)",
      "bandwidth of links between GPUs, of all pairs or of one; half: one direction at a time"},
     {"routes", set_routes, "0-1-2|0-bus-3|bus|bus:once", "(none)",
      "routes for GPUs without a link, over other GPUs or the bus; bus: for all such pairs; "
      "once: a copy uses the bus once, not twice"}});

}  // namespace

std::span<const PlatformKey<ProcessorModel>> gpu_keys() { return keys_of_gpus; }
std::span<const PlatformKey<ProcessorModel>> cpu_keys() { return keys_of_cpus; }
std::span<const PlatformKey<MachineModel>> bus_keys() { return keys_of_bus; }

MachineModel machine_of(const GpuPreset& preset, Precision precision) {
  MachineModel machine;
  machine.bus_bytes_per_s = *parse_quantity(preset.bandwidth, Unit::bytes_per_s);
  machine.latency_s = 10e-6;
  machine.processors.resize(1);
  machine.processors.front() = {
      .flops_per_s = preset.gflops_in(precision) * 1e9,
      .memory_bytes = static_cast<std::uint64_t>(*parse_quantity(preset.memory, Unit::bytes)),
      .link_bytes_per_s =
          preset.own_links ? machine.bus_bytes_per_s : std::numeric_limits<double>::infinity()};
  if (precision == MeasuredKernels::precision) machine.processors.front().kernels = preset.kernels;
  return machine;
}

ProcessorModel unnamed_core() {
  return {.flops_per_s = usual_core_flops_per_s,
          .link_bytes_per_s = std::numeric_limits<double>::infinity(),
          .kernels = "core",
          .kind = "cpu",
          .in_host_memory = true};
}

void check_machine(const MachineModel& machine, const std::string& where) {
  check_buses(machine, where);
  check_peers(machine, where);
  check_routes(machine, where);
  check_noise(machine, where);
  check_powers(machine, where);
}

}  // namespace damocles
