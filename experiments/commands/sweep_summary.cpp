#include "experiments/commands/sweep_summary.hpp"

#include <fmt/format.h>

#include <map>

#include "experiments/results/best_strategies.hpp"

namespace damocles {
namespace {

constexpr std::size_t most_settings_told = 10;

std::string workload_on_platform(const std::string& workload, const std::string& platform) {
  return fmt::format("{} on {}", workload, platform);
}

/// "memory=5data, n=4".
std::string words_on_values(const std::vector<std::string>& varied, const Values& values) {
  std::string words;
  for (const std::string& key : varied) {
    const auto value = values.find(key);
    if (value == values.end()) continue;
    words += fmt::format("{}{}={}", words.empty() ? "" : ", ", key, value->second);
  }
  return words;
}

/// By workload and platform, the values there: "" where others are there too, or elsewhere as well.
std::map<std::string, std::string> names_of_settings(const std::vector<std::string>& varied,
                                                     const std::vector<SweepPoint>& points) {
  std::map<std::string, std::string> names;
  std::map<std::string, std::string> settings;
  for (const SweepPoint& point : points) {
    const std::string setting = workload_on_platform(point.workload, point.platform);
    const std::string words = words_on_values(varied, point.values);
    const auto [other, is_new] = settings.try_emplace(words, setting);
    const bool again = !names.try_emplace(setting, words).second;
    if (!again && is_new) continue;
    names[setting].clear();
    names[other->second].clear();
  }
  return names;
}

}  // namespace

std::string best_by_setting(const std::vector<std::string>& varied,
                            const std::vector<SweepPoint>& points,
                            const std::vector<Record>& records) {
  const auto names = names_of_settings(varied, points);
  const auto name = [&](const Record& row) {
    const std::string setting = workload_on_platform(row.workload, row.platform);
    const auto known = names.find(setting);
    return known == names.end() || known->second.empty() ? setting : known->second;
  };
  std::string text;
  for (const std::string& line : best_at_points(records, most_settings_told, name)) {
    text += line + "\n";
  }
  return text.empty() ? "no setting has two strategies to compare\n" : text;
}

}  // namespace damocles
