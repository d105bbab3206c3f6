#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/error.hpp"
#include "models/platforms/machine_file.hpp"
#include "models/platforms/scenario.hpp"
#include "models/toml_file.hpp"

namespace damocles {
namespace {

double speed_in(const toml::table& table, const std::string& where) {
  if (!table.contains("speed")) {
    throw InvalidInput(where + " [[processors]] has no speed; write speed = 100");
  }
  return positive_speed(table["speed"].value<double>(), where + " speed");
}

}  // namespace

Scenario read_scenario(const std::string& path) {
  const toml::table file =
      read_toml(path, {.what = "platform file",
                       .right = "give a TOML file with [[processors]] or [[gpus]]",
                       .most_bytes = most_toml_bytes});
  const bool is_machine = file.contains("gpus") || file.contains("cpus") || file.contains("bus");
  if (is_machine && file.contains("processors")) {
    throw InvalidInput(fmt::format(
        "platform file '{}' has both [[processors]] (unlimited memory) and [[gpus]], [[cpus]] or [bus] (limited memory); keep one of them",
        path));
  }
  if (is_machine) return Scenario::of_machine(path, read_machine(file, path));
  const auto line = [](const toml::node& node) { return node.source().begin.line; };
  const auto known = [&](const toml::table& table, const std::vector<std::string>& keys) {
    for (const auto& [key, value] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        refuse_unknown(fmt::format("key in platform file '{}', line {}:", path, line(value)),
                       key.str(), keys);
      }
    }
  };
  if (file.contains("speeds")) {
    throw InvalidInput(fmt::format(
        "platform file '{}' has speeds in a list; write a [[processors]] table with speed = ... for each, or "
        "put the numbers into a text file and give speeds:@FILE",
        path));
  }
  known(file, {"processors", "bus", "buses", "gpus", "cpus", "links", "routes"});
  const auto* const processors = file["processors"].as_array();
  if (processors == nullptr || processors->empty() || !processors->is_array_of_tables()) {
    throw InvalidInput(fmt::format(
        "platform file '{}' has neither [[processors]] nor [[gpus]]; write [[processors]] with speed = 100, or [bus] and [[gpus]]",
        path));
  }
  SpeedSource speeds;
  for (const auto& node : *processors) {
    const auto& table = *node.as_table();
    known(table, {"speed", "count"});
    const double speed =
        speed_in(table, fmt::format("platform file '{}', line {}:", path, line(table)));
    const auto count = table.contains("count") ? table["count"].value<std::int64_t>() : 1;
    if (!count || *count < 1 || static_cast<std::uint64_t>(*count) > max_processors) {
      throw InvalidInput(
          fmt::format("platform file '{}', line {}: count must be a whole number from 1 to {}",
                      path, line(table), max_processors));
    }
    // Before they are there: many tables of many processors take the memory of all.
    speeds.processors += static_cast<std::size_t>(*count);
    if (speeds.processors > max_processors) {
      throw InvalidInput(fmt::format("platform file '{}', line {}: more than {} processors", path,
                                     line(table), max_processors));
    }
    speeds.given.insert(speeds.given.end(), static_cast<std::size_t>(*count), speed);
  }
  return Scenario::of_speeds(path, std::move(speeds));
}

}  // namespace damocles
