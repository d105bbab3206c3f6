// SimGrid as an oracle of the engine: it carries out what we decided, by its own models of networks
// and hosts, and everything ends when it does with us.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/platforms/scenario.hpp"
#include "sim/limited_run.hpp"
#include "tests/sim/naive/draws.hpp"
#include "tests/simgrid/oracle.hpp"
#include "tests/strategies/writing_graphs.hpp"

namespace damocles::simgrid_test {
namespace {

using simgrid::Recorded;
using Kind = RunEvent::Kind;

/// What the oracle does not model is left out.
void leave_out(MachineModel& machine) {
  machine.jitter = 0;
  machine.interference = 0;
  machine.request_s = 0;
  machine.decision_s = 0;
  machine.sharing = BusSharing::fair;
  machine.copy_streams = 2;
  machine.output_places = 0;
  machine.write_back = machine.write_back && !machine.has_peers();
  machine.peer_bytes_per_s = 0;
  machine.peer_links.clear();
  machine.peer_routes.clear();
  machine.peers_over_bus = false;
}

Recorded record(const Workload& workload, Platform platform, const StrategyChoice& choice) {
  leave_out(*platform.machine);
  if (!workload.graph().parts().output_bytes.empty()) platform.machine->write_back = false;
  Recorded run{workload, platform, Durations::drawn(workload, platform, 3, 1), {}};
  (void)simulate_limited(run.workload, run.platform, choice, 3, 1,
                         [&](const RunEvent& event) { run.events.push_back(event); });
  return run;
}

Recorded record(const std::string& workload, const std::string& platform,
                const std::string& strategy) {
  const Workload parsed = Workload::parse(workload);
  return record(parsed, Scenario::parse(platform).draw(3, 1),
                StrategyChoice::parse(strategy, parsed));
}

std::vector<Recorded> runs() {
  std::vector<Recorded> result;
  // Machines as the papers have them.
  for (const auto* strategy : {"eager", "darts", "dmdar"}) {
    for (const auto* gpus : {"gpus:k=1,memory=8data", "gpus:k=2,memory=8data",
                             "gpus:k=4,memory=8data", "gpus:k=4,memory=8data,buses=2"}) {
      result.push_back(record("gemm2d:n=10", gpus, strategy));
    }
    for (const auto* gpus : {"gpus:k=2,memory=9data", "gpus:k=3,memory=9data,writeback=true",
                             "gpus:k=3,memory=9data,duplex=true"}) {
      result.push_back(record("cholesky:n=6,tile=960,deps=true", gpus, strategy));
    }
  }
  result.push_back(record("cholesky:n=8,tile=960,deps=true",
                          "gpus:k=2,memory=9data,cpus=3,cpu_gflops=900", "lws"));
  Rng rng(23, Draw::test, 0);
  const Spec spec = Spec::parse("wild", "strategy");
  for (int i = 0; i < 160; ++i) {
    const naive::Drawn drawn = i % 2 == 0 ? naive::draw_reading(rng, naive::Processors::gpus)
                                          : naive::draw_writing(rng, naive::Processors::gpus);
    result.push_back(record(drawn.workload, drawn.platform, {&wild(), spec}));
  }
  return result;
}

/// Every event of some kind at the time that our run says. @return how many there were
std::size_t compared(const Recorded& run, const std::vector<double>& times, Kind kind) {
  // Both add up as many durations as there are events, each rounded; and SimGrid takes work below
  // 1e-9 of a unit (here at 1e9 a second) and times below 1e-12 s as nothing at each of them.
  const double last = run.events.back().time_s;
  const double tolerance = static_cast<double>(run.events.size()) * (1e-15 * last + 1e-12);
  std::size_t count = 0;
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    if (run.events[i].kind != kind) continue;
    ++count;
    EXPECT_NEAR(times[i], run.events[i].time_s, tolerance)
        << "event " << i << " of " << run.events.size() << ", of " << run.events[i].id << " on "
        << raw(run.events[i].processor);
    if (testing::Test::HasFailure()) return count;
  }
  return count;
}

TEST(SimGrid, EndsEverythingWhenOurEngineDoes) {
  const std::vector<Recorded> recorded = runs();

  const auto times = simgrid::times_in_simgrid(recorded);

  std::size_t tasks = 0;
  std::size_t loads = 0;
  std::size_t returns = 0;
  double most = 0;
  for (std::size_t i = 0; i < recorded.size() && !HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "run " << i << ", " << recorded[i].workload.text());
    ASSERT_EQ(times[i].size(), recorded[i].events.size());
    tasks += compared(recorded[i], times[i], Kind::task_ended);
    loads += compared(recorded[i], times[i], Kind::load_ended);
    returns += compared(recorded[i], times[i], Kind::return_ended);
    for (std::size_t e = 0; e < times[i].size(); ++e) {
      const double ours = recorded[i].events[e].time_s;
      if (ours > 0) most = std::max(most, std::abs(times[i][e] - ours) / ours);
    }
  }
  EXPECT_GT(tasks, 4000U);
  EXPECT_GT(loads, 4000U);
  EXPECT_GT(returns, 200U);
  RecordProperty("relative difference", std::to_string(most * 1e15) + "e-15");
}

}  // namespace
}  // namespace damocles::simgrid_test
