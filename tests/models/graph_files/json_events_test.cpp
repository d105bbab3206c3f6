// The two readers of JSON tell the same, and lines are those of what was read last.

#include "models/graph_files/json_events.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "models/rng.hpp"
#include "models/workload.hpp"
#include "tests/models/graph_files/graph_parts.hpp"
#include "tests/models/graph_files/json_recorder.hpp"

namespace damocles::json_events_test {
namespace {

bool is_read_fast(const std::string& json) {
  std::istringstream in(json);
  JsonText text(in);
  JsonRecorder events(text);
  return text.tell_fast(events);
}

std::string written(const Workload& workload) {
  std::ostringstream out;
  write_json(workload.graph(), out);
  return out.str();
}

const std::vector<std::string> odd_texts{
    R"({})",
    R"({"a": [], "b": {}, "c": ""})",
    R"({"a": true, "b": [false, true]})",
    R"({"a":
[1,
-1, 0,-0,
1.5,1e3 ,1E-2, 18446744073709551615, 18446744073709551616,
-9223372036854775808, -9223372036854775809, 1e-400, 123456789012345678901234567890]})",
    "{ \"\\u0041\\n\\\"\\\\\" : \"\\ud83d\\ude00 é\" ,\r\n\t\"b\":[[[[]]]] }\n\n",
};

TEST(JsonText, TellsTheSameByBothReaders) {
  for (const std::string& text : odd_texts) EXPECT_TRUE(readers_agree(text)) << text;
  for (const auto* workload :
       {"gemm2d:n=3", "cholesky:n=4,deps=true,updates=reduce", "layered:n=3"}) {
    EXPECT_TRUE(readers_agree(written(Workload::parse(workload)))) << workload;
  }
}

TEST(JsonText, TellsTheSameOfDamagedTexts) {
  const std::string good = written(Workload::parse("cholesky:n=3,deps=true")) + " ";
  const std::string pieces = "{}[],:\"\\ue0-+.19tn \n\x01\xc3";
  Rng rng(1, Draw::test, 0);
  for (int round = 0; round < 3000; ++round) {
    std::string bad = round % 2 == 0 ? good : odd_texts[rng.below(odd_texts.size())];
    for (auto edits = 1 + rng.below(3); edits > 0; --edits) {
      const auto at = rng.below(bad.size());
      const char piece = pieces[rng.below(pieces.size())];
      switch (rng.below(4)) {
        case 0:
          bad[at] = piece;
          break;
        case 1:
          bad.insert(at, 1, piece);
          break;
        case 2:
          bad.erase(at, 1 + rng.below(3));
          break;
        default:
          bad.resize(at + 1);
      }
    }
    ASSERT_TRUE(readers_agree(bad)) << bad;
  }
}

TEST(JsonText, ReadsTaskGraphsFastWhereSimdjsonIsBuilt) {
  if (!is_read_fast("{}")) GTEST_SKIP() << "built without simdjson";

  EXPECT_TRUE(is_read_fast(written(Workload::parse("cholesky:n=4,deps=true"))));
  for (const std::string& text : odd_texts) EXPECT_TRUE(is_read_fast(text)) << text;
  EXPECT_FALSE(is_read_fast("[]"));  // no task graph begins so
  EXPECT_FALSE(is_read_fast("{} {}"));
}

TEST(JsonText, SkipsAByteOrderMark) {
  const std::string text = written(Workload::parse("gemm2d:n=2"));
  std::istringstream plain(text);
  std::istringstream marked("\xef\xbb\xbf" + text);

  EXPECT_TRUE(equal_parts(read_json(marked, "x.json"), read_json(plain, "x.json")));
}

TEST(JsonText, TakesStreamsOfAnySize) {
  constexpr std::size_t piece = 65536;
  for (const std::size_t size : {piece - 1, piece, piece + 1, 2 * piece, 4 * piece + 1}) {
    std::istringstream in(R"({"a": ")" + std::string(size - 9, 'x') + "\"}");
    JsonText text(in);
    JsonRecorder events(text);

    text.tell(events);

    EXPECT_FALSE(events.refused());
    EXPECT_EQ(events.told().size(),
              size - 9 + std::string("1 { \n1 key a\n1 string \n0 } \n").size());
  }
}

}  // namespace
}  // namespace damocles::json_events_test
