#include "experiments/studies/all_strategies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/platforms/platform.hpp"
#include "strategies/registry.hpp"

namespace damocles {
namespace {

/// Why `all` does not contain the strategy, or "".
std::string why_left_out(const StrategyEntry& entry, const Workload& workload,
                         const Platform& platform) {
  if (entry.reads_placement) return "it needs a file, placement=FILE";
  std::string why = why_unsupported(entry, workload);
  if (why.empty() && entry.loads_implicit && !platform.machine)
    return "it is made for limited memory";
  if (why.empty()) why = why_not_heterogeneous(entry, workload, platform);
  return why.substr(0, why.find(';'));  // it goes on with what to use instead
}

}  // namespace

AllStrategies AllStrategies::on(const Workload& workload,
                                const std::optional<MachineModel>& machine) {
  const Platform platform{std::vector<double>(machine ? machine->processors.size() : 0, 1), 0,
                          machine};
  AllStrategies result;
  for (const auto& entry : strategies()) {
    const std::string why = why_left_out(entry, workload, platform);
    if (why.empty()) {
      result.chosen.push_back(entry.name);
      continue;
    }
    const auto group = std::find_if(result.left_out.begin(), result.left_out.end(),
                                    [&](const LeftOut& one) { return one.why == why; });
    if (group == result.left_out.end()) {
      result.left_out.push_back({why, {entry.name}});
    } else {
      group->names.push_back(entry.name);
    }
  }
  return result;
}

namespace {

/// "it is made for limited memory", said of several: "they are made for limited memory".
std::string of_several(std::string why) {
  constexpr std::array<std::array<std::string_view, 2>, 3> verbs{
      {{"it is ", "they are "}, {"it does ", "they do "}, {"it needs ", "they need "}}};
  for (const auto& [one, several] : verbs) {
    if (why.starts_with(one)) return why.replace(0, one.size(), several);
  }
  return why;
}

}  // namespace

std::string AllStrategies::text_of_left_out() const {
  std::string text;
  for (const auto& [why, names] : left_out) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", first_names(names),
                        names.size() > 1 ? of_several(why) : why);
  }
  return text;
}

std::string AllStrategies::counts_of_left_out() const {
  std::string text;
  for (const auto& [why, names] : left_out) {
    const std::string said = names.size() > 1 ? of_several(why) : why;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", names.size(),
                        said.substr(said.find(' ') + 1));  // without "they" or "it"
  }
  return text;
}

}  // namespace damocles
