#include "models/platforms/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/platforms/machine_keys.hpp"
#include "models/spec.hpp"

namespace damocles {
namespace {

/// The V100 of IPDPS'22 in single precision, where nothing else is said.
MachineModel usual() { return machine_of(gpu_preset("v100"), Precision::fp32); }

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

/// Sets what the table has of these keys; `others` are further ones that it may have.
template <typename Of>
void set_of_table(const toml::table& table, const std::string& path,
                  std::span<const PlatformKey<Of>> keys, Of& to,
                  const std::vector<std::string>& others = {}) {
  std::vector<std::string> known;
  for (const auto& key : keys) known.emplace_back(key.name);
  known.insert(known.end(), others.begin(), others.end());
  check_keys(table, path, known);
  for (const auto& key : keys) {
    const toml::node* const value = table.get(key.name);
    if (value != nullptr)
      key.set(to, {std::string(key.name), text_of(*value), where(path, *value)});
  }
}

/// Adds `count` such processors of the table's `kind`.
void add(ProcessorModel processor, const toml::table& table, const std::string& path,
         MachineModel& machine) {
  std::uint64_t count = 1;
  if (const toml::node* const value = table.get("count")) {
    count = KeyValue{"count", text_of(*value), where(path, *value)}.count(most_limited_processors);
  }
  if (const toml::node* const value = table.get("kind")) {
    processor.kind = text_of(*value);
    if (!value->is_string() || processor.kind.empty()) {
      KeyValue{"kind", processor.kind, where(path, *value)}.refuse("a name, as \"V100\"");
    }
  }
  if (const toml::node* const value = table.get("bus")) {
    const KeyValue given{"bus", text_of(*value), where(path, *value)};
    const auto bus = parse_integer(given.text);
    if (!bus || *bus >= most_buses) {
      given.refuse(fmt::format("a whole number from 0 to {}", most_buses - 1));
    }
    processor.bus = *bus;
  }
  if (machine.processors.size() + count > most_limited_processors) {
    throw InvalidInput(
        fmt::format("{}: more than {} processors", where(path, table), most_limited_processors));
  }
  machine.processors.insert(machine.processors.end(), count, processor);
}

void read_gpu(const toml::table& table, const std::string& path, MachineModel& machine) {
  ProcessorModel gpu = usual().processors.front();
  set_of_table<ProcessorModel>(table, path, gpu_keys(), gpu, {"count", "kind", "bus"});
  add(gpu, table, path, machine);
  if (table.contains("gflops")) return;
  machine.preset_rates = true;
  machine.preset_precision = Precision::fp32;
}

void read_cpu(const toml::table& table, const std::string& path, MachineModel& machine) {
  ProcessorModel cpu = unnamed_core();
  set_of_table<ProcessorModel>(table, path, cpu_keys(), cpu, {"count", "kind"});
  if (!table.contains("gflops")) machine.preset_rates = true;
  add(cpu, table, path, machine);
}

/// Calls visit(table) for each of [[name]], where there are some.
template <typename Visit>
void for_each_table(const toml::table& file, const std::string& path, const char* name,
                    Visit&& visit) {
  const toml::node* const node = file.get(name);
  if (node == nullptr) return;
  const auto* const tables = node->as_array();
  if (tables == nullptr || tables->empty() || !tables->is_array_of_tables()) {
    throw InvalidInput(
        fmt::format("{}: {} must be tables: [[{}]]", where(path, *node), name, name));
  }
  for (const auto& table : *tables) visit(*table.as_table());
}

/// The next bus: `bandwidth = "6GB/s"`, else that of [bus].
void read_bus(const toml::table& table, const std::string& path, MachineModel& machine) {
  check_keys(table, path, {"bandwidth"});
  if (machine.bus_rates.size() == most_buses) {
    throw InvalidInput(fmt::format("{}: more than {} buses", where(path, table), most_buses));
  }
  const toml::node* const value = table.get("bandwidth");
  machine.bus_rates.push_back(
      value == nullptr ? machine.bus_bytes_per_s
                       : KeyValue{"bandwidth", text_of(*value), where(path, *value)}.bytes_per_s());
}

/// Of each bus, in their order.
void read_buses(const toml::table& file, const std::string& path, MachineModel& machine) {
  const toml::node* const buses = file.get("buses");
  if (buses == nullptr) return;
  if (!machine.bus_rates.empty()) {
    throw InvalidInput(
        fmt::format("{}: bandwidths of buses are given in [bus] too; give those of one place",
                    where(path, *buses)));
  }
  bool all = true;
  for_each_table(file, path, "buses", [&](const auto& table) {
    all = all && table.contains("bandwidth");
    read_bus(table, path, machine);
  });
  if (all) machine.preset_rates = false;
}

/// The GPUs that a list names; nothing where it is no list of whole numbers.
/// @throws InvalidInput on a GPU that is not there
std::optional<std::vector<std::size_t>> gpus_in(const toml::node* node, const std::string& path,
                                                const MachineModel& machine) {
  const toml::array* const list = node == nullptr ? nullptr : node->as_array();
  if (list == nullptr) return std::nullopt;
  std::vector<std::size_t> gpus;
  for (const toml::node& one : *list) {
    const auto gpu = one.value<std::int64_t>();
    if (!gpu) return std::nullopt;
    if (*gpu < 0 || static_cast<std::size_t>(*gpu) >= machine.on_buses()) {
      throw InvalidInput(fmt::format(
          "{}: there is no GPU {}; the platform has {}", where(path, *node), *gpu,
          machine.on_buses() == 1 ? "one GPU, number 0"
                                  : fmt::format("GPUs 0 to {}", machine.on_buses() - 1)));
    }
    gpus.push_back(static_cast<std::size_t>(*gpu));
  }
  return gpus;
}

/// `between = [0, 3]`
std::pair<std::size_t, std::size_t> read_ends(const toml::table& table, const std::string& path,
                                              const MachineModel& machine) {
  const auto ends = gpus_in(table.get("between"), path, machine);
  if (ends && ends->size() == 2 && ends->front() != ends->back()) {
    return {ends->front(), ends->back()};
  }
  throw InvalidInput(
      fmt::format("{}: between must be two different GPUs, as [0, 1]", where(path, table)));
}

/// `between = [0, 3]`, `bandwidth = "47.8GB/s"`, `duplex = false`
void read_link(const toml::table& table, const std::string& path, MachineModel& machine) {
  check_keys(table, path, {"between", "bandwidth", "duplex"});
  const auto [a, b] = read_ends(table, path, machine);
  const toml::node* const bandwidth = table.get("bandwidth");
  if (bandwidth == nullptr) {
    throw InvalidInput(fmt::format(
        "{}: a link without bandwidth; give one, as bandwidth = \"24GB/s\"", where(path, table)));
  }
  const KeyValue given{"bandwidth", text_of(*bandwidth), where(path, *bandwidth)};
  PeerLink link{a, b, given.bytes_per_s()};
  if (const toml::node* const duplex = table.get("duplex")) {
    const KeyValue of_duplex{"duplex", text_of(*duplex), where(path, *duplex)};
    of_duplex.one_of({"true", "false"}, "true or false");
    link.half_duplex = of_duplex.text == "false";
  }
  machine.peer_links.push_back(link);
}

/// `between = [0, 3]`, `via = [1]` or `via = "bus"`
void read_route(const toml::table& table, const std::string& path, MachineModel& machine) {
  check_keys(table, path, {"between", "via"});
  const auto [a, b] = read_ends(table, path, machine);
  const toml::node* const via = table.get("via");
  const bool over_bus = via != nullptr && via->is_string() && text_of(*via) == "bus";
  const auto gpus = gpus_in(via, path, machine);
  if (!over_bus && (!gpus || gpus->empty())) {
    throw InvalidInput(fmt::format(
        "{}: via must be \"bus\", or the GPUs from one end to the other, as [1], of {} (from 0)",
        where(path, via == nullptr ? static_cast<const toml::node&>(table) : *via),
        machine.on_buses()));
  }
  machine.peer_routes.push_back({a, b, gpus.value_or(std::vector<std::size_t>{})});
}

}  // namespace

MachineModel read_machine(const toml::table& file, const std::string& path) {
  MachineModel machine = usual();
  machine.processors.clear();
  check_keys(file, path, {"bus", "buses", "gpus", "cpus", "links", "routes"});
  if (const auto* const bus = file["bus"].as_table()) {
    set_of_table<MachineModel>(*bus, path, bus_keys(), machine);
  } else if (file.contains("bus")) {
    throw InvalidInput(
        fmt::format("{}: bus must be a table: [bus]", where(path, *file.get("bus"))));
  }
  if (!file.contains("gpus") && !file.contains("cpus")) {
    throw InvalidInput(fmt::format(
        "platform file '{}' has no [[gpus]] table; write one with memory = \"500MB\"", path));
  }
  machine.preset_rates = !file["bus"]["bandwidth"];
  read_buses(file, path, machine);
  for_each_table(file, path, "gpus", [&](const auto& table) { read_gpu(table, path, machine); });
  for_each_table(file, path, "cpus", [&](const auto& table) { read_cpu(table, path, machine); });
  for_each_table(file, path, "links", [&](const auto& table) { read_link(table, path, machine); });
  for_each_table(file, path, "routes",
                 [&](const auto& table) { read_route(table, path, machine); });
  check_machine(machine, fmt::format("platform file '{}'", path));
  return machine;
}

}  // namespace damocles
