#include "experiments/measured/fields.hpp"

#include "damocles_version.hpp"
#include "experiments/results/csv.hpp"
#include "experiments/results/formats.hpp"

namespace damocles {
namespace {

std::string text(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string csv_text(const std::vector<Fields>& rows) {
  std::string lines;
  for (const auto& row : rows) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const auto& [name, value] : row) {
      names.push_back(name);
      values.push_back(text(value));
    }
    if (lines.empty()) lines = csv_line(names);
    lines += csv_line(values);
  }
  return lines;
}

}  // namespace

std::string machine_view(const std::vector<Fields>& rows, Format format, const std::string& name) {
  if (format == Format::csv) return csv_text(rows);
  auto all = nlohmann::ordered_json::array();
  for (const auto& row : rows) {
    nlohmann::ordered_json object;
    for (const auto& [key, value] : row) object[key] = value;
    all.push_back(std::move(object));
  }
  const nlohmann::ordered_json whole{{"command", "measured"}, {"version", version}, {name, all}};
  return json_text(whole);
}

}  // namespace damocles
