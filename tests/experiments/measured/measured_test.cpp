#include "experiments/measured/measured.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "experiments/figures/claims.hpp"
#include "tests/error_text.hpp"

namespace damocles::measured_test {
namespace {

const std::string header =
    "figure,run,application,gpus,n,strategy,gflops,time_ms,loads_from_host,loads_from_peer,"
    "MiB_from_host,MiB_from_peer,iterations,darts_decision_s,partition_or_packing_s,memory_MB,source,transfer_source\n";
const std::string row = "f,published,2D,2,10,EAGER,8055.3,22.0,10.0,0.5,140.6,7.0,11,,,500,a@b,c@d";

std::vector<Measurement> read(const std::string& text) {
  std::istringstream in(text);
  return read_measurements(in, "m.csv");
}

/// The error of a table whose second line is `row` with `from` replaced by `to`.
std::string refusal(const std::string& from, const std::string& to) {
  std::string line = row;
  line.replace(line.find(from), from.size(), to);
  return error_text([&] { static_cast<void>(read(header + line + "\n")); });
}

TEST(Measured, ReadsEveryColumn) {
  const auto rows = read("# said by hand\n" + header + row + "\n");

  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].figure, "f");
  EXPECT_EQ(rows[0].gpus, 2U);
  EXPECT_EQ(rows[0].strategy, "EAGER");
  EXPECT_EQ(rows[0].gflops, 8055.3);
  EXPECT_EQ(rows[0].time_ms, 22);
  EXPECT_EQ(rows[0].loads(), 10.5);
  EXPECT_EQ(rows[0].mib_from_peer, 7.0);
  EXPECT_EQ(rows[0].iterations, 11U);
  EXPECT_FALSE(rows[0].darts_decision_s);
  EXPECT_EQ(rows[0].memory_mib, 500U);
  EXPECT_EQ(rows[0].transfer_source, "c@d");
}

TEST(Measured, KeepsWhatIsAbsentAbsent) {
  const auto rows = read(header + ",\"a study, again\",3D,1,5,MST,1,1,,,,,,,,unlimited,s,\n");

  EXPECT_EQ(rows[0].run, "a study, again");
  EXPECT_FALSE(rows[0].loads());
  EXPECT_FALSE(rows[0].iterations);
  EXPECT_FALSE(rows[0].memory_mib);
  EXPECT_EQ(rows[0].transfer_source, "");
}

TEST(Measured, RefusesWhatItsHeaderDoesNotSay) {
  EXPECT_EQ(error_text([] { static_cast<void>(read("")); }).substr(0, 24),
            "m.csv: no columns; they ");
  EXPECT_EQ(error_text([] { static_cast<void>(read("n,gpus\n")); }).substr(0, 29),
            "m.csv, line 1: columns must b");
  EXPECT_EQ(refusal(",500,", ","), "m.csv, line 2: 17 cells under 18 columns");
  EXPECT_EQ(refusal("8055.3", "fast"), "m.csv, line 2: gflops is 'fast', not a number");
  EXPECT_EQ(refusal("8055.3", "inf"), "m.csv, line 2: gflops is 'inf', not a number");
  EXPECT_EQ(refusal("22.0", "-22"), "m.csv, line 2: time_ms is '-22', not a number of at least 0");
  EXPECT_EQ(refusal("8055.3", ""), "m.csv, line 2: gflops must be given, and above 0");
  EXPECT_EQ(refusal(",10,", ",0,"), "m.csv, line 2: n must be given, and above 0");
  EXPECT_EQ(refusal(",11,", ",1.5,"), "m.csv, line 2: iterations is '1.5', not a whole number");
  EXPECT_EQ(refusal(",500,", ",none,"), "m.csv, line 2: memory_MB is 'none', not a whole number");
  EXPECT_EQ(refusal("0.5,", ","),
            "m.csv, line 2: loads_from_peer and loads_from_host must be given together");
  EXPECT_EQ(refusal("EAGER", ""), "m.csv, line 2: strategy is empty; it must be given");
  EXPECT_EQ(refusal("2D", "2d").substr(0, 51),
            "unknown application in m.csv, line 2 '2d'; did you ");
  EXPECT_EQ(refusal("EAGER", "\"EAGER"), "m.csv, line 2: a quote is never closed");
  EXPECT_EQ(refusal("EAGER", "\"EA\"GER"),
            "m.csv, line 2: text behind the quotes around a value; write quotes within it twice");
  EXPECT_EQ(error_text([] { static_cast<void>(read(header + row + "\n" + row + "\n")); }),
            "m.csv, line 3: the same point of the same source was given before");
}

TEST(Measured, KnowsAllRowsAndTheirClaims) {
  std::set<std::string> ids;
  for (const auto& claim : claims()) ids.insert(claim.name);

  EXPECT_EQ(measurements().size(), 1771U);
  for (const auto& point : measurements()) {
    EXPECT_TRUE(point.figure.empty() || ids.contains(point.figure)) << point.figure;
    EXPECT_NE(point.source.find('@'), std::string::npos);
  }
}

/// Multiplies per task, from the tile sides in the head of the table; none for Cholesky, whose rate
/// counts n^3/3 of the matrix.
double flops(const Measurement& point) {
  const auto n = static_cast<double>(point.n);
  const double tile = 2.0 * 960 * 960 * 960;
  if (point.application == "cholesky-no-deps") return n * n * n / 3 * tile / 2;
  return n * n * 4 * tile * (point.application.starts_with("sparse") ? 0.02 : 1.0);
}

TEST(Measured, TimeIsFlopsOverRate) {
  for (const auto& point : measurements()) {
    const double ms = flops(point) / point.gflops / 1e6;
    // Rounded or cut to a ms by their program, and the rate to 0.1 GFlop/s.
    EXPECT_NEAR(point.time_ms, ms, 1 + ms * 0.05 / point.gflops)
        << point.application << ' ' << point.strategy << ' ' << point.n;
  }
}

TEST(Measured, BytesAreLoadsOfWholeBlocks) {
  for (const auto& point : measurements()) {
    if (!point.loads()) continue;
    const bool tiles = point.application == "3D" || point.application == "cholesky-no-deps";
    // As written in the authors' counts, where a tile's 3.515625 MiB are 3.5156; loads are to
    // 0.001.
    const double mib = tiles ? 3.5156 : 14.0625;
    const double rounding = 0.001 * mib + 1e-5 * point.mib_from_host.value();
    EXPECT_NEAR(*point.mib_from_host, *point.loads_from_host * mib, rounding);
    EXPECT_NEAR(point.mib_from_peer.value(), *point.loads_from_peer * mib, rounding);
    const double counted = *point.loads() * static_cast<double>(point.iterations.value());
    EXPECT_NEAR(counted, std::round(counted), 0.012);
  }
}

TEST(Measured, GivesACurveByN) {
  const auto curve = measured_curve("ipdps22.fig3-4", "DMDAR");

  ASSERT_EQ(curve.size(), 15U);
  EXPECT_EQ(curve[0]->n, 5U);
  EXPECT_EQ(curve[14]->n, 75U);
  EXPECT_EQ(curve[14]->loads(), 905);
  EXPECT_EQ(curve[14]->gflops, 9975.4);
  EXPECT_EQ(measured_strategies("ipdps22.fig3-4"),
            (std::vector<std::string>{"EAGER", "DMDAR", "DARTS(LRU)", "DARTS+LUF",
                                      "MHFP (no sched. time)", "MHFP"}));
  EXPECT_TRUE(measured_curve("ipdps22.fig10", "DMDAR").empty());
}

}  // namespace
}  // namespace damocles::measured_test
