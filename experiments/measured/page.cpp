#include "experiments/measured/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "experiments/measured/causes.hpp"
#include "experiments/measured/views.hpp"
#include "experiments/results/tables.hpp"

namespace damocles {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string code(const std::string& text) { return text.empty() ? "–" : "`" + text + "`"; }

std::string markdown(const Rows& rows) { return markdown_table(rows) + "\n"; }

bool is_published(const Measurement& point) {
  return !point.figure.empty() && point.run == "published";
}

const ComparedGroup* group_named(const std::vector<ComparedGroup>& groups,
                                 const std::string& figure, const std::string& strategy) {
  const auto at = std::find_if(groups.begin(), groups.end(), [&](const ComparedGroup& group) {
    return is_published(*group.first) && group.first->figure == figure &&
           group.first->strategy == strategy;
  });
  return at == groups.end() ? nullptr : &*at;
}

/// "equal to the last one at all 15 sizes", "equal to the last one at 14 of 15 sizes". Equal: where
/// a measured mean over iterations rounds to ours.
std::string equal_loads(const ComparedGroup& group) {
  const auto equal =
      std::count_if(group.points.begin(), group.points.end(), [](const Compared* point) {
        return std::abs(point->loads.value() - point->measured->loads().value()) < 0.5;
      });
  const auto all = static_cast<std::ptrdiff_t>(group.points.size());
  return equal == all ? fmt::format("equal to the last one at all {} sizes", all)
                      : fmt::format("equal to the last one at {} of {} sizes", equal, all);
}

std::string opening(const std::vector<ComparedGroup>& groups) {
  std::string text;
  if (const auto* one = group_named(groups, "ipdps22.fig3-4", "DARTS+LUF")) {
    text += fmt::format(
        "**DARTS+LUF on one V100: the simulated loads are {}, GFlop/s within {:.1f} % at every one "
        "of them** (median {:.1f} %).",
        equal_loads(*one), std::ceil(1000 * std::abs(one->gflops->worst)) / 10,
        100 * one->gflops->median);
  }
  if (const auto* two = group_named(groups, "ipdps22.fig5-7", "DARTS+LUF")) {
    text += fmt::format(
        " On two V100s, {} sizes: loads {:.1f} % off in the median and {:.1f} % at worst, GFlop/s {:.1f} % and {:.1f} %.",
        two->points.size(), 100 * two->loads->median, 100 * std::abs(two->loads->worst),
        100 * two->gflops->median, 100 * std::abs(two->gflops->worst));
  }
  return text + "\n\n";
}

std::string mapping_table(const std::string& theirs, const std::vector<MappingRow>& mapped) {
  Rows rows{{theirs, "simulated as", "what that leaves out"}};
  for (const auto& row : mapped) {
    const auto why = row.ours.empty() ? "no counterpart: " + row.leaves_out : row.leaves_out;
    rows.push_back({row.theirs, code(row.ours), why.empty() ? "–" : why});
  }
  return markdown(rows);
}

/// Of a group's measured loads, the share that came from another GPU.
std::string from_gpus(const ComparedGroup& group) {
  double peer = 0;
  double all = 0;
  for (const auto* const point : group.points) {
    peer += point->measured->loads_from_peer.value_or(0);
    all += point->measured->loads().value_or(0);
  }
  return peer > 0 ? fmt::format("{:.0f} %", 100 * peer / all) : "–";
}

/// Of the measured time at the last point, what a GPU spent in the scheduler.
std::string deciding(const ComparedGroup& group) {
  const auto& last = *group.points.back()->measured;
  if (!last.darts_decision_s) return "–";
  const double ms = 1000 * *last.darts_decision_s / static_cast<double>(last.gpus);
  return fmt::format("{:.0f} %", 100 * ms / last.time_ms);
}

std::string goal(const ComparedGroup& group) {
  const bool loads = !group.loads || group.loads->median <= loads_goal;
  const bool gflops = !group.gflops || group.gflops->median <= gflops_goal;
  if (loads && gflops) return "met";
  return loads ? "GFlop/s" : gflops ? "loads" : "both";
}

bool is_compared(const ComparedGroup& group) { return group.gflops || group.loads; }

/// The names of what is known to keep a group from its goal.
std::string known(const ComparedGroup& group) {
  std::vector<std::string> names;
  for (const auto& cause : causes()) {
    if (cause.applies(*group.first)) names.push_back(cause.name);
  }
  return names.empty() ? "not known" : fmt::format("{}", fmt::join(names, ", "));
}

std::string deviation_table(const std::vector<ComparedGroup>& groups, bool published) {
  Rows rows{{"where", "application", "GPUs", "strategy", "points", "loads", "GFlop/s", "from GPUs",
             "deciding", "goal"}};
  for (const auto& group : groups) {
    const auto& first = *group.first;
    if (is_published(first) != published || !is_compared(group)) continue;
    const auto reached = goal(group);
    rows.push_back({place_of(first), first.application, std::to_string(first.gpus), first.strategy,
                    std::to_string(group.points.size()), spread_cell(group.loads),
                    spread_cell(group.gflops), from_gpus(group), deciding(group),
                    reached == "met" ? reached : fmt::format("{}: {}", reached, known(group))});
  }
  return rows.size() > 1 ? markdown(rows) : "Nothing was asked for.\n\n";
}

std::string known_causes(const std::vector<ComparedGroup>& groups) {
  std::string text;
  for (const auto& cause : causes()) {
    const bool named = std::any_of(groups.begin(), groups.end(), [&](const ComparedGroup& group) {
      return is_compared(group) && goal(group) != "met" && cause.applies(*group.first);
    });
    if (named) text += fmt::format("- **{}**: {}\n", cause.name, cause.text);
  }
  return text + "\n";
}

std::string absent_table(const std::vector<ComparedGroup>& groups) {
  Rows rows{{"points", "strategies", "why"}};
  for (const auto& reason : reasons(groups)) {
    rows.push_back({std::to_string(reason.points),
                    fmt::format("{}", fmt::join(reason.strategies, ", ")), reason.text});
  }
  return rows.size() > 1 ? markdown(rows) : "None.\n\n";
}

/// Why points that are simulated are not predicted, and how many.
std::string unpredicted_table(const std::vector<Compared>& compared) {
  std::map<std::string, std::size_t> points;
  for (const auto& point : compared) {
    if (!point.how.absent.empty() || point.no_prediction.empty()) continue;
    constexpr std::string_view outside = "outside validated domain";
    const bool has_model = point.no_prediction.starts_with(outside);
    ++points[has_model ? std::string(outside) : point.no_prediction];
  }
  Rows rows{{"points", "why"}};
  for (const auto& [why, count] : points) rows.push_back({std::to_string(count), why});
  return rows.size() > 1 ? markdown(rows) : "None.\n\n";
}

constexpr const char* how_predicted =
    "## Predicted without simulation\n\nThe models of "
    "[limited memory](limited_memory_theory.md) predict the same points. They know a simpler "
    "machine: memory, rate and\nlinks are the same, but all data items come from host memory, no "
    "outputs return, and decisions take no time. The two buses of\nthree and four GPUs are one "
    "bus of both rates. So a deviation has two causes, the model and the simpler machine. The "
    "simulator's\ndeviations are of the same points. Points outside the models' validated domain "
    "are left out.\n\n";

std::string predictions(const std::vector<Compared>& compared,
                        const std::vector<ComparedGroup>& groups) {
  const Rows rows = predicted_table(groups);
  return how_predicted + (rows.size() > 1 ? markdown(rows) : "None.\n\n") +
         "Simulated, but not predicted:\n\n" + unpredicted_table(compared);
}

std::string pair_of(const std::optional<double>& ours, const std::optional<double>& measured,
                    const std::optional<double>& deviation) {
  if (!measured) return "–";
  return fmt::format("{} / {:.0f} ({})", number_cell(ours, "{:.0f}"), *measured,
                     signed_percent(deviation));
}

std::string every_point(const std::vector<Compared>& compared) {
  Rows rows{
      {"where", "GPUs", "strategy", "n", "loads: ours / measured", "GFlop/s: ours / measured"}};
  for (const auto& point : compared) {
    const auto& measured = *point.measured;
    if (!is_published(measured) || !point.how.absent.empty()) continue;
    rows.push_back({measured.figure, std::to_string(measured.gpus), measured.strategy,
                    std::to_string(measured.n),
                    pair_of(point.loads, measured.loads(), point.loads_deviation()),
                    pair_of(point.gflops, measured.gflops, point.gflops_deviation())});
  }
  return markdown(rows);
}

constexpr const char* introduction =
    "The authors of [GMT22] ran their figures on real V100s and kept the raw output in the public "
    "history of\nstarpu-runtime/starpu. {} of those points, with the file and commit each was "
    "taken from, are in\n`experiments/measured/v100.csv` and in the program. Here each is "
    "simulated and laid beside its measurement; this\npage is written by\n\n    {}\n\nA deviation "
    "is ours / measured − 1. A group is one strategy on one number of GPUs in one figure; its "
    "three numbers\nare the median and the 90th percentile of the absolute deviations, and the "
    "worst with its sign. Loads are those from\nmain memory and from other GPUs together. The goal "
    "is a median of {:.0f} % for loads and {:.0f} % for GFlop/s. Tests hold\nthe groups this page "
    "opens with (`tests/experiments/measured/measured_bounds_test.cpp`).\n\n";

constexpr const char* how_simulated =
    "## How a point is simulated\n\nTheir runs: one process, no CPU workers, all tasks submitted "
    "before the clock starts, `STARPU_NTASKS_THRESHOLD=10`,\n`STARPU_CUDA_PIPELINE=5`, 500 MiB a "
    "GPU; 11 iterations, each beginning with empty GPU memories. GFlop/s are of the last\n10, "
    "loads a mean of all 11. Ours: the mean of the runs asked for. Bus and most rates are those of "
    "their own\n"
    "calibration and performance models, 10.8 GB/s to a GPU, 12.36 GB/s for the host link that "
    "several share; see below.\n\n";

constexpr const char* chosen_after = R"(## What was chosen after seeing the numbers

- Tasks of a 3D product reduce into a tile of C (`gemm3d:m=,n=,k=4,c=made,updates=reduce`), as the codelets of the authors' program do
  (STARPU_REDUX). Each GPU makes a partial sum. The sum takes memory and returns to host memory when its room is needed. Three other ways
  were tried on the rows of 2022-01 on one GPU. Without C, the median deviation of loads is 58 % for MST, 50 % for RCM and
  60 % for HFP(Ready). With partial sums it is 0.0, 0.2 and 0.0 %. If updates wait for each other (`c=made`), DMDAR loads 3.3 times as many
  (rows of 2021-12). If sums return as soon as the last task of a tile ends, HFP(Ready) loads 38 % fewer.
- The bounds in the test are what was seen, rounded up.
- The kernel rate of 3D on several GPUs, 11535 GFlop/s, is the mean of what their performance models say of GPUs 0 and 1.
- Of the machines above, latency, links and buses are StarPU's calibration. The next three are fitted, and so is the rate of 13253 GFlop/s.
- Fitted: one stream for loads and outputs. Where the bus is the limit, the measured time is 1.37 ms a load plus 0.3 ms a task, for
  DARTS(LRU) to 1 %.
- Fitted: a return path that GPUs do not share.
- Fitted: 45 ns for each task that a decision inspects, and 30 us for a lock to be handed over. These come from DARTS+LUF at n = 180 to 300
  on four GPUs alone.
- Four GPUs are behind two buses, each as calibrated for two. This follows from what they load together: up to 22.5 GB/s.
- HMETIS+R: two cuts of a 2D product are equally good. Damocles takes the one into bands of columns. From n = 90 on the measured
  loads are n² + 2n on two GPUs and n² + 4n on four. Bands of columns give these numbers; bands of rows would give n² + n.
- HMETIS+R uses Ready over 10 tasks, the value of `STARPU_NTASKS_THRESHOLD`. In 2D the scripts leave `STARPU_SCHED_READY` unset. Ready was on
  all the same: at n = 70 and 80, row order alone would load n² + 2n as well.
- In random order the parts were those of other tasks. This follows from the scripts and from n = 15: 59 loads were measured. All data items
  on both GPUs are 60, and any cut would load 48.
- Loads on one GPU depend on none of these: they follow from the rules of docs/reference/limited_memory.md.

)";

}  // namespace

std::string measured_page(const std::vector<Compared>& compared, const std::string& command) {
  const auto groups = grouped(compared);
  return "# Comparison with measured V100s\n\n" + opening(groups) +
         fmt::format(introduction, measurements().size(), command, 100 * loads_goal,
                     100 * gflops_goal) +
         "## The published figures\n\n" + deviation_table(groups, true) +
         "*from GPUs*: of the measured loads, those from another GPU. *deciding*: of the measured "
         "time at the largest size, what a\nGPU spent in the scheduler. *goal*: what misses it, "
         "and the names of the causes below.\n\n" +
         "What keeps a group from its goal, as far as it is known:\n\n" + known_causes(groups) +
         how_simulated + mapping_table("machine", mapped_machines()) +
         mapping_table("application", mapped_applications()) +
         mapping_table("strategy", mapped_strategies()) + chosen_after +
         predictions(compared, groups) + "## Other sessions\n\n" + deviation_table(groups, false) +
         "## Without a counterpart\n\n" + absent_table(groups) + "## Every published point\n\n" +
         every_point(compared);
}

}  // namespace damocles
