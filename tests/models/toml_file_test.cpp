#include "models/toml_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/models/platforms/platform_file.hpp"

namespace damocles::toml_file_test {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string parse_refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(parse_toml(text, "file 'x'")); });
}

TEST(ParseToml, ReadsWhatNestsAsOurFilesDo) {
  const auto file = parse_toml("[vary]\nn = [[1, 2.5], [3]]\np.q = {x = 'a.b.c'}\n", "file 'x'");

  EXPECT_EQ(file["vary"]["n"][0][1].value<double>(), 2.5);
  EXPECT_EQ(file["vary"]["p"]["q"]["x"].value<std::string>(), "a.b.c");
}

TEST(ParseToml, CountsNoBracketsAndDotsOfStringsAndComments) {
  const std::string many = repeated("[{a.b.c.", 50);
  for (const char* const form : {"x = '{0}'", R"(x = "{0}\"{0}")", "# {0}\nx = 1",
                                 "x = '''{0}'{0}\n{0}'''", "x = \"\"\"{0}\\\"\"{0}\n\"\"\""}) {
    const std::string text = fmt::format(fmt::runtime(form), many);
    EXPECT_TRUE(parse_toml(text, "file 'x'").contains("x")) << text;
  }
  const auto list = parse_toml(fmt::format("x = [{}]", repeated("1.5, ", 1000)), "file 'x'");
  EXPECT_EQ(list["x"].as_array()->size(), 1000U);
}

TEST(ParseToml, RefusesWhatNestsDeeplyBeforeItIsParsed) {
  EXPECT_EQ(parse_refusal(fmt::format("a = 1\nx = {}", repeated("[", 100'000))),
            "file 'x', line 2: lists and tables more than 16 deep; write fewer");
  EXPECT_EQ(parse_refusal(fmt::format("x = {}", repeated("{a=", 100'000))),
            "file 'x', line 1: lists and tables more than 16 deep; write fewer");
  for (const char* const part : {"a.", "a . ", "'a'.", "\"a\"."}) {
    EXPECT_EQ(parse_refusal(fmt::format("\n\n{}a = 1", repeated(part, 50'000))),
              "file 'x', line 3: a key of more than 16 parts; write fewer");
    EXPECT_EQ(parse_refusal(fmt::format("[{}a]", repeated(part, 50'000))),
              "file 'x', line 1: a key of more than 16 parts; write fewer");
  }
}

TEST(ParseToml, RefusesANul) {
  for (const char* const text : {"\nx = \"a\\u0000\"", "\nx = \"\\U00000000\"",
                                 "\nx = \"\"\"\\\\\\u0000\"\"\"", "\n\"\\u0000\" = 1"}) {
    EXPECT_EQ(parse_refusal(text),
              "file 'x', line 2: a NUL, which no name or number has; take it out");
  }
  EXPECT_TRUE(parse_toml("x = '\\u0000'\ny = \"\\\\u0000\"", "file 'x'").contains("y"));
}

TEST(ParseToml, LeavesToTheParserWhatIsNoToml) {
  for (const char* const text : {"x = ", "x = 'abc", "x = \"abc", "x = '''abc", R"(x = "\)", "]]]",
                                 "x = \"a\n", "\xff", "x = [1", "'", R"("""\)"}) {
    EXPECT_TRUE(parse_refusal(text).starts_with("file 'x', line ")) << text;
  }
}

TEST(ParseToml, NamesTheStringThatIsNotClosed) {
  EXPECT_EQ(parse_refusal("a = 1\nx = \"abc\ny = 2\n"),
            "file 'x', line 2: a string is not closed; end it with \"");
  EXPECT_EQ(parse_refusal("a = 1\nx = 'abc"),
            "file 'x', line 2: a string is not closed; end it with '");
  EXPECT_EQ(parse_refusal("a = \"\"\"\"b\"\"\"\"\nx = \"\"\"abc\n\ny = 2\n"),
            "file 'x', line 2: a string is not closed; end it with \"\"\"");
}

TEST(ParseToml, SaysWhatToWriteInsteadOfALine) {
  EXPECT_EQ(parse_refusal("a = 1\n  [[gpus] # two\nb = 2\n"),
            "file 'x', line 2: '[[gpus]' lacks its ]]; write [[gpus]]");
  EXPECT_EQ(parse_refusal("[bus\nb = 2\n"), "file 'x', line 1: '[bus' lacks its ]; write [bus]");
  EXPECT_EQ(parse_refusal("\nmemory = 1GB # each\n"),
            "file 'x', line 2: 'memory = 1GB' is not valid; write a text in quotes, as "
            "memory = \"1GB\"");
  // Elsewhere the parser says it.
  for (const char* const text : {"a = 1\na = 2\n", "a = \n", "a = [1\n", "a\n"}) {
    EXPECT_NE(parse_refusal(text).find(": Error while parsing"), std::string::npos) << text;
  }
}

class PlatformFileOfMany : public PlatformFile {};

TEST_F(PlatformFileOfMany, IsRefusedBeforeItTakesTheMemory) {
  EXPECT_EQ(file_refusal(repeated("[[processors]]\nspeed = 1\ncount = 1000000\n", 1000)),
            "platform file 'FILE', line 4: more than 1000000 processors");
  EXPECT_EQ(file_refusal(repeated("[[gpus]]\ncount = 4096\n", 1000)),
            "platform file 'FILE', line 3: more than 4096 processors");
}

TEST_F(PlatformFileOfMany, IsRefusedAboveAMegabyte) {
  EXPECT_EQ(
      file_refusal(repeated("#", 1'000'001)),
      "platform file 'FILE' is larger than 1 MB, the most that is read; give a TOML file with [[processors]] or [[gpus]]");
}

}  // namespace
}  // namespace damocles::toml_file_test
