// StarPU's example programs on SimGrid beside ours: the table is read whole, and where nothing is
// left to choose both agree.

#include "experiments/measured/peer_programs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "tests/error_text.hpp"

namespace damocles::peer_programs_test {
namespace {

const std::string head = "program,hints,n,gpus,cpus,memory_MiB,policy,gflops,loads\n";

std::string refusal(const std::string& text) {
  return error_text([&] {
    std::istringstream in(text);
    static_cast<void>(read_peer_programs(in, "x.csv"));
  });
}

TEST(PeerPrograms, HaveARunForEachRow) {
  std::map<std::string, int> runs;
  for (const PeerPoint& point : peer_programs()) ++runs[point.group];
  EXPECT_EQ(runs, (std::map<std::string, int>{
                      {"as shipped", 472}, {"without hints", 222}, {"written C", 77}}));
}

TEST(PeerPrograms, AreDescribedAsTheirMachinesAre) {
  std::istringstream in("# a comment\n" + head + "sgemm,yes,20,2,8,500,darts,1000.5,30\n");
  const auto points = read_peer_programs(in, "x.csv");
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].workload, "starpu-sgemm");
  EXPECT_EQ(platform_of_program(points[0]),
            "gpus:k=2,memory=500MiB,bandwidth=12GB/s,depth=4,request=28us,routes=bus:once,"
            "times=SGEMM:534.06us,cpus=8,cpu_times=SGEMM:33303us");
}

TEST(PeerPrograms, SendTilesHomeEarlyWhereTheySaySo) {
  std::istringstream in(head + "lu,yes,10,1,0,500,eager,100,50\nlu,yes,10,1,0,500,darts,100,50\n" +
                        "lu,no,10,1,0,500,random,100,50\n");
  const auto points = read_peer_programs(in, "x.csv");
  EXPECT_EQ(points[0].strategy, "eager:patient=true,eviction=lru-clean");
  EXPECT_EQ(points[1].strategy, "darts");
  EXPECT_EQ(points[2].strategy, "random-by-speed");
  EXPECT_NE(platform_of_program(points[0]).find(",synchronous=GETRF"), std::string::npos);
  EXPECT_EQ(platform_of_program(points[2]).find("synchronous"), std::string::npos);
}

TEST(PeerPrograms, RefuseARowThatIsNone) {
  EXPECT_EQ(refusal("program,n\n"),
            "x.csv, line 1: columns must be " + head.substr(0, head.size() - 1));
  EXPECT_EQ(refusal(head + "lu,yes,10\n"), "x.csv, line 2: 3 cells under 9 columns");
  EXPECT_EQ(refusal(head + "qr,yes,10,1,0,500,eager,10,5\n"),
            "unknown program in x.csv, line 2 'qr'; valid: cholesky, lu, sgemm");
  EXPECT_EQ(refusal(head + "lu,yes,10,one,0,500,eager,10,5\n"),
            "x.csv, line 2: gpus is 'one', not a whole number");
  EXPECT_EQ(refusal(head + "lu,yes,10,1,0,500,eager,0,5\n"),
            "x.csv, line 2: gflops must be given, and above 0");
}

/// One GPU that holds all data: only the order of tasks is left, and who waits for what.
TEST(PeerPrograms, OnOneGpuWithEnoughMemoryAreWithin3Percent) {
  std::vector<PeerPoint> points;
  std::copy_if(peer_programs().begin(), peer_programs().end(), std::back_inserter(points),
               [](const PeerPoint& point) {
                 return point.group != "written C" && point.gpus == 1 && point.cpus == 0 &&
                        point.enough_memory;
               });
  EXPECT_EQ(points.size(), 112U);
  for (const PeerCompared& row : compare_with_peer(points, 1, 1, 1)) {
    EXPECT_NEAR(row.gflops / row.peer->gflops, 1, 0.03)
        << row.peer->workload << ", n = " << row.peer->n << ", " << row.peer->policy;
    EXPECT_EQ(row.loads, row.peer->loads) << row.peer->policy;
  }
}

TEST(PeerPrograms, AreSummedUpByMachineAndByPolicy) {
  std::istringstream in(head +
                        "lu,no,10,1,0,500,eager,100,50\n"
                        "lu,no,10,1,0,500,ws,100,50\n");
  const auto points = read_peer_programs(in, "x.csv");
  // 10 % and 20 % off; two loads more are none.
  const auto tables = program_tables({{points.data(), 110, 52}, {&points[1], 80, 60}});
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0][1],
            (std::vector<std::string>{"starpu-lu", "without hints", "1", "500 MiB", "2",
                                      "15.0 / 20.0 / -20.0 %", "10.0 / 20.0 / +20.0 %"}));
  EXPECT_EQ(tables[1][2],
            (std::vector<std::string>{"ws", "without hints", "500 MiB", "1",
                                      "20.0 / 20.0 / -20.0 %", "20.0 / 20.0 / +20.0 %"}));
  EXPECT_TRUE(program_tables({}).empty());
}

}  // namespace
}  // namespace damocles::peer_programs_test
