#include <gtest/gtest.h>

#include <sstream>

#include "models/graph_files/graph_files.hpp"
#include "tests/error_text.hpp"

namespace damocles::matrix_market_test {
namespace {

using Indices = std::vector<TaskGraph::Index>;

TaskGraph read(const std::string& text, const GraphDefaults& defaults = {}) {
  std::istringstream in(text);
  return read_matrix_market(in, "x.mtx", defaults);
}

std::string refusal(const std::string& text) {
  return error_text([&] { static_cast<void>(read(text)); });
}

Indices inputs(const TaskGraph& graph, TaskGraph::Index task) {
  return {graph.inputs(task).begin(), graph.inputs(task).end()};
}

TEST(MatrixMarket, TakesRowsAsTasksAndColumnsAsData) {
  const auto graph = read(
      "%%MatrixMarket matrix coordinate real general\n"
      "% a comment\n\n"
      "3 4 4\n"
      "1 4 0.5\n"
      "3 1 -1e-3\n"
      "% between\n"
      "1 1 nan\r\n"
      "3 2 7\n\n");

  EXPECT_EQ(graph.tasks(), 3U);
  EXPECT_EQ(graph.data(), 4U);
  EXPECT_EQ(inputs(graph, 0), (Indices{3, 0}));  // in the file's order
  EXPECT_EQ(inputs(graph, 1), Indices{});        // a row without entries stays a task
  EXPECT_EQ(inputs(graph, 2), (Indices{0, 1}));
}

TEST(MatrixMarket, TakesSizesAndFlopsFromTheDefaults) {
  const std::string text = "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n";
  const auto papers = read(text);
  const auto given = read(text, {.data_bytes = 5, .task_flops = 0.5});

  EXPECT_EQ(papers.bytes(0), 14'745'600U);      // 960 x 3840 floats, COLOC21's 14.7 MB
  EXPECT_EQ(papers.flops(0), 7'077'888'000.0);  // 2 x 960 x 960 x 3840
  EXPECT_EQ(given.bytes(0), 5U);
  EXPECT_EQ(given.flops(0), 0.5);
}

TEST(MatrixMarket, ExpandsWhatASymmetricFileLeavesOut) {
  for (const std::string kind : {"symmetric", "hermitian"}) {
    const auto graph = read("%%matrixmarket MATRIX Coordinate complex " + kind +
                            "\n3 3 3\n1 1 1 0\n3 1 2 0\n3 2 1 1\n");

    EXPECT_EQ(inputs(graph, 0), (Indices{0, 2}));
    EXPECT_EQ(inputs(graph, 1), (Indices{2}));
    EXPECT_EQ(inputs(graph, 2), (Indices{0, 1}));
  }
  const auto skew = read("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n");
  EXPECT_EQ(inputs(skew, 0), Indices{1});
  EXPECT_EQ(inputs(skew, 1), Indices{0});
  // An explicit zero is an entry like others, on the diagonal too.
  const auto zero =
      read("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 2\n1 1 0 -0.0\n2 1 0 0\n");
  EXPECT_EQ(inputs(zero, 0), (Indices{0, 1}));
}

TEST(MatrixMarket, CountsARepeatedEntryOnce) {
  const auto graph =
      read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n2 1\n1 2\n2 1\n");

  EXPECT_EQ(graph.edges(), 2U);
}

TEST(MatrixMarket, ReadsAsManyColumnsAsThereAreEvenWithoutEntries) {
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n2 0 0").data(), 0U);
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n2 9 0").data(), 9U);
}

TEST(MatrixMarket, ReadsPatternEntriesThatHaveValues) {
  const std::string start = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1 1\n";
  EXPECT_EQ(inputs(read(start + "2 2 0.5\n"), 1), Indices{1});
  EXPECT_EQ(inputs(read(start + "2 2\n"), 1), Indices{1});
  EXPECT_EQ(refusal(start + "2 2 x\n"),
            "file 'x.mtx', line 4: '2 2 x' has 3 words; write row, column and 0 values");
}

TEST(MatrixMarket, ReadsBannersOfOnePercentSignAndByteOrderMarks) {
  const std::string rest = "MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n";
  EXPECT_EQ(read("%" + rest).edges(), 2U);
  EXPECT_EQ(read("\xef\xbb\xbf%%" + rest).edges(), 2U);
  EXPECT_TRUE(refusal("\xef\xbb\xbf" + rest).starts_with("file 'x.mtx', line 1: 'Matrix"));
  EXPECT_TRUE(refusal("%" + rest + "\xef\xbb\xbf" + "1 1\n").starts_with("file 'x.mtx', line 4"));
}

TEST(MatrixMarket, ReadsUnsignedIntegers) {
  const std::string text = "%%MatrixMarket matrix coordinate unsigned-integer general\n1 2 1\n";
  EXPECT_EQ(inputs(read(text + "1 2 18446744073709551615\n"), 0), Indices{1});
}

TEST(MatrixMarket, RefusesAnotherBannerByName) {
  const std::string right = "write %%MatrixMarket matrix coordinate real general";
  EXPECT_EQ(refusal(""), "file 'x.mtx', line 1: the file is empty; " + right);
  EXPECT_EQ(refusal("3 3 1\n"),
            "file 'x.mtx', line 1: '3 3 1' is no Matrix Market banner; " + right);
  EXPECT_EQ(
      refusal("%%MatrixMarket matrix coordinate real\n"),
      "file 'x.mtx', line 1: '%%MatrixMarket matrix coordinate real' is no Matrix Market banner; " +
          right);
  const std::string start = "%%MatrixMarket ";
  EXPECT_EQ(refusal(start + "vector coordinate real general\n"),
            "file 'x.mtx', line 1: object 'vector'; write matrix");
  EXPECT_EQ(
      refusal(start + "matrix array real general\n"),
      "file 'x.mtx', line 1: format 'array' is a dense matrix, of which every task reads all; write coordinate");
  EXPECT_EQ(refusal(start + "matrix dense real general\n"),
            "file 'x.mtx', line 1: format 'dense'; write coordinate");
  EXPECT_EQ(
      refusal(start + "matrix coordinate float general\n"),
      "file 'x.mtx', line 1: field 'float'; write pattern, real, integer, unsigned-integer or complex");
  EXPECT_EQ(
      refusal(start + "matrix coordinate real lower\n"),
      "file 'x.mtx', line 1: symmetry 'lower'; write general, symmetric, skew-symmetric or hermitian");
}

TEST(MatrixMarket, RefusesAMalformedSizeLine) {
  const std::string start = "%%MatrixMarket matrix coordinate pattern general\n%\n";
  EXPECT_EQ(refusal(start),
            "file 'x.mtx', line 2: the file ends here; write 'rows columns entries'");
  EXPECT_EQ(refusal(start + "3 3\n"), "file 'x.mtx', line 3: '3 3'; write 'rows columns entries'");
  EXPECT_EQ(
      refusal(start + "0 3 0\n"),
      "file 'x.mtx', line 3: the number of rows is '0'; write a whole number from 1 to 2147483648");
  EXPECT_EQ(
      refusal(start + "3 -1 0\n"),
      "file 'x.mtx', line 3: the number of columns is '-1'; write a whole number from 0 to 2147483648");
  EXPECT_EQ(
      refusal(start + "3 3 99999999999999999999\n"),
      "file 'x.mtx', line 3: the number of entries is '99999999999999999999'; write a whole number from 0 to 2147483648");
  EXPECT_EQ(
      refusal("%%MatrixMarket matrix coordinate pattern symmetric\n3 4 0\n"),
      "file 'x.mtx', line 2: a symmetric matrix of 3 rows and 4 columns; write as many of both");
}

TEST(MatrixMarket, RefusesAMalformedEntryNamingItsLine) {
  const std::string start = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n";
  EXPECT_EQ(refusal(start),
            "file 'x.mtx', line 3: the file ends after 1 of 2 entries; write the rest");
  EXPECT_EQ(refusal(start + "2 2\n"),
            "file 'x.mtx', line 4: '2 2' has 2 words; write row, column and 1 values");
  EXPECT_EQ(refusal(start + "\n4 2 1\n"),
            "file 'x.mtx', line 5: the row is '4'; write a whole number from 1 to 3");
  EXPECT_EQ(refusal(start + "1 0 1\n"),
            "file 'x.mtx', line 4: the column is '0'; write a whole number from 1 to 3");
  EXPECT_EQ(refusal(start + "1 2x 1\n"),
            "file 'x.mtx', line 4: the column is '2x'; write a whole number from 1 to 3");
  EXPECT_EQ(
      refusal(start + "2 2 1\n3 3 1\n"),
      "file 'x.mtx', line 5: more than the 2 entries announced on line 2; correct one of them");
  EXPECT_EQ(
      refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n"),
      "file 'x.mtx', line 3: a skew-symmetric matrix has zeros on its diagonal; write 0, or take the entry out");
}

TEST(MatrixMarket, BelievesAHeaderOnlyAsFarAsEntriesFollow) {
  const std::string start = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_EQ(
      refusal(start + "2147483648 3 1\n1 1\n"),
      "file 'x.mtx', line 2: 2147483648 rows, but only 1 entries follow; write at most 1048576 more rows than entries");
  EXPECT_EQ(
      refusal(start + "3 2147483648 1\n1 1\n"),
      "file 'x.mtx', line 2: 2147483648 columns, but only 1 entries follow; write at most 1048576 more columns than entries");
  EXPECT_EQ(refusal(start + "3 3 2147483648\n1 1\n"),
            "file 'x.mtx', line 3: the file ends after 1 of 2147483648 entries; write the rest");
  EXPECT_EQ(read(start + "1048577 3 1\n1 1\n").tasks(), 1'048'577U);
}

TEST(MatrixMarket, ShowsALongOrBinaryPieceShortAndOnOneLine) {
  EXPECT_EQ(refusal("%%MatrixMarket matrix " + std::string(41, 'x') + "\t real general\n"),
            "file 'x.mtx', line 1: format '" + std::string(40, 'x') + "...'; write coordinate");
  EXPECT_EQ(refusal("%%MatrixMarket matrix a\x01z real general\n"),
            "file 'x.mtx', line 1: format 'a?z'; write coordinate");
}

}  // namespace
}  // namespace damocles::matrix_market_test
