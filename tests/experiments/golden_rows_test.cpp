// What tests/golden holds: that every strategy, option and eviction policy stands there, and that
// the stored rows are right by means that do not share the code that made them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/results/csv.hpp"
#include "experiments/studies/rows.hpp"
#include "models/bounds/grid_bound.hpp"
#include "models/platforms/scenario.hpp"
#include "orders/partitioners.hpp"
#include "sim/limited_run.hpp"
#include "strategies/eviction/eviction.hpp"
#include "strategies/registry.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/run_audit.hpp"

namespace damocles::golden_rows_test {
namespace {

namespace fs = std::filesystem;

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Goes to the root, below which the files lie that rows name, and back.
class AtRoot {
 public:
  AtRoot() { fs::current_path(DAMOCLES_SOURCE); }
  ~AtRoot() { fs::current_path(before_); }
  AtRoot(const AtRoot&) = delete;
  AtRoot& operator=(const AtRoot&) = delete;

 private:
  fs::path before_ = fs::current_path();
};

/// The rows of each file, by its name.
const std::map<std::string, std::vector<Record>>& golden() {
  static const auto all = [] {
    std::map<std::string, std::vector<Record>> files;
    for (const auto& entry : fs::directory_iterator(fs::path(DAMOCLES_SOURCE) / "tests/golden")) {
      if (entry.path().extension() == ".csv")
        files[entry.path().stem().string()] = read_csv(entry.path());
    }
    return files;
  }();
  return all;
}

bool is_limited(const Record& row) { return row.makespan_lower_bound_s.has_value(); }

std::string name_of(const Record& row) { return row.strategy.substr(0, row.strategy.find(':')); }

/// Whether this build has what the strategy needs: rows of hypergraph that name no partitioner are
/// Zoltan's.
bool can_run(const Record& row) {
  if (name_of(row) == "hypergraph") {
    const Spec spec = Spec::parse(row.strategy, "strategy");
    if (!partitioner_built(spec.word("partitioner").value_or("zoltan"))) return false;
  }
  const Workload workload = Workload::parse(row.workload);
  const auto& all = strategies();
  const auto entry = std::find_if(all.begin(), all.end(),
                                  [&](const auto& one) { return one.name == name_of(row); });
  return entry != all.end() && why_unsupported(*entry, workload).empty();
}

template <typename Check>
void for_each_row(Check&& check) {
  const AtRoot root;
  for (const auto& [file, rows] : golden()) {
    for (const Record& row : rows) {
      SCOPED_TRACE(file + ": " + row.strategy + " replicate " + std::to_string(*row.replicate));
      check(row);
    }
  }
}

TEST(GoldenRows, NameEveryStrategyWhereMemoryIsLimited) {
  std::set<std::string> stored;
  for_each_row([&](const Record& row) {
    if (is_limited(row)) stored.insert(name_of(row));
  });

  for (const auto& entry : strategies()) EXPECT_TRUE(stored.contains(entry.name)) << entry.name;
}

TEST(GoldenRows, NameEveryStrategyMeantForUnlimitedMemoryThere) {
  std::set<std::string> stored;
  for_each_row([&](const Record& row) {
    if (!is_limited(row)) stored.insert(name_of(row));
  });

  for (const auto& entry : strategies()) {
    if (!entry.loads_implicit) {
      EXPECT_TRUE(stored.contains(entry.name)) << entry.name;
    }
  }
}

TEST(GoldenRows, NameEveryEvictionPolicy) {
  std::set<std::string> stored;
  for_each_row([&](const Record& row) { stored.insert(row.eviction); });

  for (const auto& entry : evictions()) EXPECT_TRUE(stored.contains(entry.name)) << entry.name;
  EXPECT_TRUE(stored.contains("belady-known"));
}

/// `key` of the strategy makes another run than none somewhere.
bool option_matters(const std::string& strategy, const std::string& key) {
  const std::string with_option = strategy + ":" + key + "=";
  for (const auto& [file, rows] : golden()) {
    std::map<std::string, const Record*> first;
    for (const Record& row : rows) first.emplace(row.strategy, &row);
    const auto plain = first.find(strategy);
    if (plain == first.end()) continue;
    for (const auto& [name, row] : first) {
      if (name.starts_with(with_option) &&
          std::pair(row->loads, row->makespan_s) !=
              std::pair(plain->second->loads, plain->second->makespan_s)) {
        return true;
      }
    }
  }
  return false;
}

/// Whether some valid value of the option makes another run than the stored one, which has none.
bool option_matters_in_a_run(const StrategyOption& option, const Record& stored) {
  for (const std::string& value : option.values.some()) {
    Experiment experiment{
        .workload = Workload::parse(stored.workload),
        .scenario = Scenario::parse(stored.platform),
        .strategies = {fmt::format("{}:{}={}", stored.strategy, option.key, value)},
        .seed = *stored.seed,
        .keep_infeasible = true};  // as an option that does not fit the workload
    const Record row = run_jobs(jobs(experiment), 1).front();
    if (row.status.kind == Status::Kind::ok &&
        std::pair(row.loads, row.makespan_s) != std::pair(stored.loads, stored.makespan_s)) {
      return true;
    }
  }
  return false;
}

/// Tries the option on the stored runs of the strategy that have none.
bool option_matters_somewhere(const std::string& strategy, const StrategyOption& option) {
  bool matters = false;
  for_each_row([&](const Record& row) {
    if (matters || row.strategy != strategy || *row.replicate != 0 || !can_run(row)) return;
    matters = option_matters_in_a_run(option, row);
  });
  return matters;
}

/// Stored rows name every option of a strategy, or none where the strategy is new.
TEST(GoldenRows, GiveEveryOptionAValueThatMakesAnotherRun) {
  for (const auto& entry : strategies()) {
    if (entry.reads_placement) continue;  // it makes no run without its option
    const auto is_stored = [&](const auto& option) {
      return option_matters(entry.name, option.key);
    };
    const bool any = std::any_of(entry.options.begin(), entry.options.end(), is_stored);
    for (const auto& option : entry.options) {
      EXPECT_TRUE(any ? is_stored(option) : option_matters_somewhere(entry.name, option))
          << entry.name << ":" << option.key;
    }
  }
}

/// Eager stands for a new strategy: its stored rows with options are not looked at.
TEST(GoldenRows, FindAnOptionThatNoRowNames) {
  const auto& eager = Table<StrategyEntry>::named("eager");
  EXPECT_TRUE(option_matters_somewhere("eager", eager.options.front()));
  EXPECT_FALSE(
      option_matters_somewhere("eager", {"buffer", "the default", OptionValues::words({"taken"})}));
}

TEST(GoldenRows, AddUp) {
  for_each_row([](const Record& row) {
    EXPECT_EQ(row.source, "simulated");
    EXPECT_EQ(row.status, Status{Status::Kind::ok});
    // Cores compute in host memory: nothing need be loaded, and what is loaded has no ratio to
    // that.
    ASSERT_TRUE(row.loads && row.lower_bound);
    EXPECT_EQ(row.balanced_bound.has_value(), !is_limited(row));
    const double bound = row.balanced_bound.value_or(*row.lower_bound);
    EXPECT_EQ(row.volume_ratio.has_value(), bound > 0);
    if (row.volume_ratio) {
      EXPECT_EQ(*row.volume_ratio, *row.loads / bound);
    }
    EXPECT_GE(*row.loads, *row.lower_bound);
    if (*row.lower_bound > 0) {
      EXPECT_GE(*row.loads, compulsory_loads(Workload::parse(row.workload)));
    }
    EXPECT_GT(*row.busy_fraction, 0);
    EXPECT_LE(*row.busy_fraction, 1);
    if (!is_limited(row)) return;
    // The bound can be met; a run adds up at most a few hundred times.
    EXPECT_GE(*row.makespan_s * (1 + 1000 * eps), *row.makespan_lower_bound_s);
    EXPECT_EQ(*row.makespan_ratio, *row.makespan_s / *row.makespan_lower_bound_s);
    EXPECT_DOUBLE_EQ(*row.gflops, *row.flops / *row.makespan_s * 1e-9);
    // All data of these workloads are alike.
    const Workload workload = Workload::parse(row.workload);
    const auto bytes = static_cast<double>(workload.graph().bytes(0));
    EXPECT_EQ(*row.bytes_loaded, *row.loads * bytes);
    EXPECT_DOUBLE_EQ(*row.flops, workload.graph().total_flops());
  });
}

/// A run of HPDC'14's engine, made again by a simulator and strategies of sets and linear scans.
TEST(GoldenRows, AreThoseOfTheOracleWhereMemoryIsUnlimited) {
  const std::set<std::string> known{"sorted", "random", "dynamic", "dynamic-2phases"};
  int compared = 0;
  for_each_row([&](const Record& row) {
    if (is_limited(row) || !known.contains(name_of(row))) return;
    const auto workload = Workload::parse(row.workload);
    const auto platform = Scenario::parse(row.platform).draw(*row.seed, *row.replicate);
    // exp(-beta) T of tasks-left=20 may come out just below 20, where phase 2 starts.
    const double beta = row.beta.value_or(0) * (1 - 8 * eps);

    const Trace slow =
        oracle::simulate(workload, platform, name_of(row), beta, *row.seed, *row.replicate);

    EXPECT_EQ(*row.loads, static_cast<double>(slow.total_loads()));
    EXPECT_EQ(*row.makespan_s, slow.makespan_s);
    ++compared;
  });
  // Files of two replicates and six strategies with options; files of every strategy, once.
  EXPECT_EQ(compared, 3 * 6 * 2 + 2 * 4);
}

/// Eager takes tasks in the order of submission, which on a grid is that of the indices.
TEST(GoldenRows, OfEagerAreThoseOfSortedInRowOrder) {
  for (const char* const file : {"outer", "limited_2d"}) {
    std::map<std::string, double> loads;
    for (const Record& row : golden().at(file)) loads.emplace(row.strategy, *row.loads);
    EXPECT_EQ(loads.at("eager"), loads.at("sorted")) << file;
  }
}

/// What the audit found, without tasks that take up to 0.7 % longer than their time.
std::string but_for_jitter(const std::string& broken) {
  std::istringstream lines(broken);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with("a task does not take its time")) rest += line + "\n";
  }
  return rest;
}

/// The books of each stored run, kept from its events alone.
TEST(GoldenRows, KeepTheRulesOfLimitedMemory) {
  for_each_row([](const Record& row) {
    if (!is_limited(row) || !can_run(row)) return;
    const auto workload = Workload::parse(row.workload);
    if (workload.writes()) return;  // tests/sim/ordered_laws_test.cpp keeps other books of these
    const auto platform = Scenario::parse(row.platform).draw(*row.seed, *row.replicate);
    // Where decisions take time, a grant is told with the time at which it will have been made.
    if (platform.machine->decision_s > 0) return;
    RunAudit audit(workload, platform, workload.tasks(), RunAudit::Buffer::any_ready);
    double last_end_s = 0;

    const Trace trace = simulate_limited(workload, platform,
                                         resolve_strategy(row.strategy, workload, platform).choice,
                                         *row.seed, *row.replicate, [&](const RunEvent& event) {
                                           if (event.kind == RunEvent::Kind::task_ended)
                                             last_end_s = event.time_s;
                                           audit.take(event);
                                         });

    EXPECT_EQ(but_for_jitter(audit.broken()), "");
    EXPECT_EQ(audit.started(), std::vector<int>(workload.tasks(), 1));
    std::uint64_t loads = 0;
    for (const auto& gpu : audit.gpus()) loads += gpu.loads;
    EXPECT_EQ(*row.loads, static_cast<double>(loads));
    EXPECT_EQ(trace.makespan_s, *row.makespan_s);
    EXPECT_GE(*row.makespan_s, last_end_s);
  });
}

}  // namespace
}  // namespace damocles::golden_rows_test
