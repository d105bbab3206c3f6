#include "experiments/traces/decision_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/results/output_file.hpp"
#include "experiments/studies/study.hpp"
#include "tests/error_text.hpp"
#include "tests/experiments/folder.hpp"

namespace damocles::decision_files_test {
namespace {

using Kind = RunEvent::Kind;
using Json = nlohmann::json;

Record row() {
  Record record;
  record.source = "simulated";
  record.strategy = "random";
  record.workload = "outer:n=2";
  record.platform = "homogeneous:p=3";
  record.processors = 3;
  record.seed = 18446744073709551615U;
  record.replicate = 4;
  record.loads = 2;
  return record;
}

const std::vector<RunEvent> events{
    {Kind::granted, 0, ProcessorId{2}, 3},      {Kind::load_started, 0, ProcessorId{2}, 1},
    {Kind::load_ended, 0.5, ProcessorId{2}, 1}, {Kind::task_started, 0.5, ProcessorId{2}, 3},
    {Kind::task_ended, 2, ProcessorId{2}, 3},   {Kind::evicted, 2, ProcessorId{2}, 1}};

/// A good file with one change.
Json good(const Folder& folder) {
  write_recording(folder / "good.json", row(), events);
  return Json::parse(content(folder / "good.json"));
}

std::string refusal(const Folder& folder, const std::string& text) {
  std::ofstream(folder / "bad.json") << text;
  const std::string refused = error_text([&] { (void)read_recording(folder / "bad.json"); });
  const std::string name = fmt::format("'{}'", (folder / "bad.json").string());
  const std::string start = (refused.starts_with("rec") ? "recording " : "") + name;
  EXPECT_TRUE(refused.starts_with(start)) << refused;
  EXPECT_EQ(refused.find('\n'), std::string::npos) << refused;
  EXPECT_TRUE(refused.ends_with(
      "; write one with `damocles simulate ... --record FILE` or `damocles run ... --record FILE`"))
      << refused;
  const std::string rest = refused.substr(std::min(start.size(), refused.size()));
  return rest.starts_with(": ") ? rest.substr(2) : rest;
}

TEST(Recording, ReadsBackWhatWasDecidedWithoutTimesAndGrants) {
  const Folder folder;
  write_recording(folder / "run.json", row(), events);

  const Recording read = read_recording(folder / "run.json");

  EXPECT_EQ(read.record.source, "simulated");
  EXPECT_EQ(read.record.strategy, "random");
  EXPECT_EQ(read.record.workload, "outer:n=2");
  EXPECT_EQ(read.record.platform, "homogeneous:p=3");
  EXPECT_EQ(read.record.seed, 18446744073709551615U);
  EXPECT_EQ(read.record.replicate, 4U);
  EXPECT_EQ(read.record.loads, 2);
  EXPECT_EQ(read.decisions.processors, 3U);
  ASSERT_EQ(read.decisions.events.size(), events.size() - 1);
  for (std::size_t i = 1; i < events.size(); ++i) {
    RunEvent timeless = events[i];
    timeless.time_s = 0;
    EXPECT_EQ(read.decisions.events[i - 1], timeless) << i;
  }
}

TEST(Recording, ReadsBackWhatTasksWroteAndWhoLent) {
  const Folder folder;
  const ProcessorId p{1};
  std::vector<RunEvent> moves{{Kind::created, 0, p, 1},      {Kind::return_started, 0, p, 1},
                              {Kind::return_ended, 0, p, 1}, {Kind::load_started, 0, p, 0},
                              {Kind::evicted, 0, p, 0},      {Kind::evicted, 0, p, 1}};
  moves[3].lender = ProcessorId{2};
  moves[5].overwritten = true;
  write_recording(folder / "run.json", row(), moves);

  EXPECT_EQ(read_recording(folder / "run.json").decisions.events, moves);
  EXPECT_EQ(Json::parse(content(folder / "run.json"))["decisions"],
            Json::parse(R"([["create", 1, 1], ["return", 1, 1], ["returned", 1, 1],
                            ["load", 1, 0, 2], ["evict", 1, 0], ["drop", 1, 1]])"));
}

TEST(Recording, IsWrittenWholeOrNotAtAll) {
  const Folder folder;
  EXPECT_NE(error_text([&] { check_writable(folder / "no/run.json"); }).find("create it first"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
}

TEST(Recording, RefusesWhatIsNoRecording) {
  const Folder folder;

  EXPECT_NE(error_text([&] {
              (void)read_recording(folder / "none.json");
            }).find(": no such file; check the path"),
            std::string::npos);
  EXPECT_NE(
      error_text([&] { (void)read_recording(folder / ""); }).find("is a folder; write one with"),
      std::string::npos);
  EXPECT_TRUE(refusal(folder, "").starts_with(" is not a recording: invalid or truncated JSON"));
  const std::string whole = good(folder).dump();
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    EXPECT_TRUE(refusal(folder, whole.substr(0, size))
                    .starts_with(" is not a recording: invalid or truncated JSON"))
        << size;
  }
  for (const char* const other : {"[]", "7", "null", "{}", R"({"damocles": 1})"}) {
    EXPECT_TRUE(refusal(folder, other).starts_with(" is not a recording; ")) << other;
  }
}

TEST(Recording, NamesTheKeyThatIsWrong) {
  const Folder folder;
  for (const char* const key : {"source", "strategy", "workload", "platform"}) {
    for (const Json& wrong : {Json(nullptr), Json(1), Json::array()}) {
      Json file = good(folder);
      file[key] = wrong;
      EXPECT_TRUE(
          refusal(folder, file.dump()).starts_with(fmt::format("\"{}\" must be a text;", key)));
    }
  }
  for (const char* const key : {"processors", "seed", "replicate", "loads"}) {
    for (const Json& wrong : {Json(nullptr), Json(-1), Json(0.5), Json("1")}) {
      Json file = good(folder);
      file[key] = wrong;
      EXPECT_TRUE(refusal(folder, file.dump())
                      .starts_with(fmt::format("\"{}\" must be a whole number;", key)));
    }
    Json file = good(folder);
    file.erase(key);
    EXPECT_TRUE(refusal(folder, file.dump())
                    .starts_with(fmt::format("\"{}\" must be a whole number;", key)));
  }
  Json file = good(folder);
  file["decisions"] = "none";
  EXPECT_TRUE(refusal(folder, file.dump()).starts_with("\"decisions\" must be a list;"));
}

TEST(Recording, NamesTheDecisionThatIsWrong) {
  const Folder folder;
  for (const char* const wrong :
       {"7", "[]", R"(["load",0])", R"(["evict",0,1,2])", R"(["load",0,1,-2])",
        R"(["load",0,1,4294967296])", R"(["load",0,1,2,3])", R"(["granted",0,1])",
        R"(["Load",0,1])", R"([0,0,1])", R"(["load","0",1])", R"(["load",-1,1])",
        R"(["load",0,-1])", R"(["load",0,1.5])", R"(["load",4294967296,1])",
        R"(["load",0,null])"}) {
    Json file = good(folder);
    file["decisions"][2] = Json::parse(wrong);
    const std::string refused = refusal(folder, file.dump());
    EXPECT_TRUE(refused.starts_with("decision 2 must be [\"load\"|")) << refused;
    EXPECT_NE(refused.find(fmt::format("not {};", wrong)), std::string::npos) << refused;
  }
}

}  // namespace
}  // namespace damocles::decision_files_test
