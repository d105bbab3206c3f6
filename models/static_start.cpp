#include "models/static_start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/column_partition.hpp"
#include "models/cuboid_partition.hpp"
#include "models/nrrp_partition.hpp"

namespace damocles {
namespace {

template <class Shapes>
std::vector<TaskLines> lines_of(const Workload& workload, const Shapes& shapes) {
  std::vector<TaskLines> result;
  result.reserve(shapes.size());
  for (const auto& shape : shapes) result.emplace_back(workload, shape);
  return result;
}

std::vector<TaskLines> rectangles(const Workload& workload, std::span<const double> speeds) {
  const auto cut = column_partition(workload, speeds);
  return lines_of(workload, std::vector<Zone>(cut.begin(), cut.end()));
}

std::uint64_t data_of(const std::vector<TaskLines>& zones) {
  return std::accumulate(
      zones.begin(), zones.end(), std::uint64_t{0},
      [](std::uint64_t sum, const TaskLines& zone) { return sum + zone.data(); });
}

}  // namespace

double safe_share(double estimate, double error) {
  return 1 / (estimate + (1 - estimate) * (1 + error) / (1 - error));
}

StaticStart::StaticStart(const Spec& spec)
    : error_(spec.number("error", 0, most_wrong).value_or(0)),
      assumed_(spec.number("assumed", 0, most_wrong).value_or(error_)),
      partition_(spec.word("zones").value_or("auto")) {
  if (spec.word("share").value_or("auto") != "auto") share_ = spec.number("share", 0, 1);
}

std::vector<double> StaticStart::estimated(std::vector<double> speeds, Rng& rng) const {
  if (error_ > 0) {
    for (double& speed : speeds) speed *= 1 + error_ * (2 * rng.uniform() - 1);
  }
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  for (double& speed : speeds) speed /= sum;
  return speeds;
}

std::string StaticStart::misfit(const Spec& spec, const Workload& workload) {
  const auto valid = workload.dimensions() == 2
                         ? std::vector<std::string>{"auto", "columns", "nrrp"}
                         : std::vector<std::string>{"auto", "cuboids"};
  const std::string zones = spec.word("zones").value_or("auto");
  if (std::find(valid.begin(), valid.end(), zones) != valid.end()) return {};
  return fmt::format("zones must be {} on '{}', not '{}'", fmt::join(valid, " or "),
                     workload.text(), zones);
}

std::vector<TaskLines> StaticStart::zones(const Workload& workload,
                                          std::span<const double> relative_speeds) const {
  if (workload.dimensions() == 3) {
    return lines_of(workload, cuboid_partition(workload, relative_speeds));
  }
  if (partition_ == "columns") return rectangles(workload, relative_speeds);
  auto recursive = lines_of(workload, nrrp_partition(workload, relative_speeds));
  if (partition_ == "nrrp") return recursive;
  auto columns = rectangles(workload, relative_speeds);
  return data_of(columns) <= data_of(recursive) ? columns : recursive;
}

std::uint64_t StaticStart::kept(const TaskLines& zone, double relative_speed,
                                const Workload& workload) const {
  const auto mine = static_cast<double>(zone.tasks());
  if (share_) return static_cast<std::uint64_t>(std::llround(*share_ * mine));
  // Of what its speed gives it, not of its zone: rounded to whole blocks that may be more.
  const double due = relative_speed * static_cast<double>(workload.tasks());
  return static_cast<std::uint64_t>(
      std::min(mine, std::floor(safe_share(relative_speed, assumed_) * due)));
}

}  // namespace damocles
