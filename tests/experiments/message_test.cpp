#include "experiments/message.hpp"

#include <gtest/gtest.h>

namespace damocles::message_test {
namespace {

TEST(PrintableLine, KeepsWhatATerminalShows) {
  EXPECT_EQ(printable_line("n is '2'; write n=3 – größer, β ≥ 1, 𝛽, 中"),
            "n is '2'; write n=3 – größer, β ≥ 1, 𝛽, 中");
  EXPECT_EQ(printable_line(""), "");
}

TEST(PrintableLine, IsOneLine) {
  EXPECT_EQ(printable_line("a\nb\tc"), "a b c");
  EXPECT_EQ(printable_line("a\rb\u2028c\u2029d"), "a\\x0db\\u{2028}c\\u{2029}d");
}

TEST(PrintableLine, EscapesWhatWouldMoveTheCursorOrTurnTheWriting) {
  EXPECT_EQ(printable_line("\x1b[2J\x07\x7f"), "\\x1b[2J\\x07\\x7f");
  EXPECT_EQ(printable_line(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable_line("\u009b31m"), "\\u{9b}31m");  // one character for ESC [
  // NOLINTNEXTLINE(misc-misleading-bidirectional)
  EXPECT_EQ(printable_line("\u202etxt.exe"), "\\u{202e}txt.exe");
}

TEST(PrintableLine, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(printable_line("\xff"), "\\xff");
  EXPECT_EQ(printable_line("caf\xe9 x"), "caf\\xe9 x");                   // Latin 1
  EXPECT_EQ(printable_line("\xc0\xaf"), "\\xc0\\xaf");                    // overlong '/'
  EXPECT_EQ(printable_line("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // the same in 3
  EXPECT_EQ(printable_line("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable_line("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(printable_line("\xe2\x82"), "\\xe2\\x82");                    // cut off
  EXPECT_EQ(printable_line("\xe2\x82z"), "\\xe2\\x82z");
}

TEST(PrintableLine, LeavesOutTheMiddleOfWhatIsLong) {
  const std::string exactly(1000, 'x');
  EXPECT_EQ(printable_line(exactly), exactly);
  const std::string longer = "unknown key '" + std::string(5'000'000, 'k') + "'; valid: n, m";
  const std::string line = printable_line(longer);
  EXPECT_EQ(line.size(), 1007U);  // 1000 and " [...] "
  EXPECT_TRUE(line.starts_with("unknown key 'kkk"));
  EXPECT_TRUE(line.ends_with("kkk'; valid: n, m"));
}

TEST(PrintableLine, CountsAnEscapeAsItIsShown) {
  std::string text;
  // NOLINTNEXTLINE(misc-misleading-bidirectional)
  for (int i = 0; i < 20'000; ++i) text += "\u202e";
  const std::string line = printable_line(text);
  EXPECT_LE(line.size(), 1007U);
  EXPECT_GT(line.size(), 980U);  // whole escapes of 8 letters on both sides
}

TEST(PrintableLine, CutsBetweenLetters) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "β";
  for (const char* const before : {"", "a", "aβ"}) {
    EXPECT_EQ(printable_line(before + text).find('\\'), std::string::npos);
  }
}

/// What other tests of this process left to be told.
void tell_the_rest() {
  testing::internal::CaptureStderr();
  (void)print_notes();
  (void)testing::internal::GetCapturedStderr();
}

TEST(Notes, AreToldOnceAndTogether) {
  tell_the_rest();
  testing::internal::CaptureStderr();
  note("note: one");
  note("note: two");
  note("note: one");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  (void)print_notes();
  (void)print_notes();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "damocles: note: one\ndamocles: note: two\n");
}

TEST(Notes, NameTheFilesThatWereWrittenUnlessQuiet) {
  tell_the_rest();
  const auto said = [](int files, bool quiet) {
    for (int i = 0; i < files; ++i) note_written("run" + std::to_string(i) + ".csv");
    if (files > 0) note_written("run0.csv");
    testing::internal::CaptureStderr();
    (void)print_notes(quiet);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(0, false), "");
  EXPECT_EQ(said(2, false), "damocles: wrote run0.csv, run1.csv\n");
  EXPECT_EQ(said(2, true), "");
  EXPECT_EQ(
      said(8, false),
      "damocles: wrote run0.csv, run1.csv, run2.csv, run3.csv, run4.csv, run5.csv and 2 more\n");
}

}  // namespace
}  // namespace damocles::message_test
