#include "models/quantity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "models/named_units.hpp"

namespace damocles::quantity_test {
namespace {

TEST(Quantity, TakesDecimalAndBinaryPrefixes) {
  EXPECT_EQ(parse_quantity("500MB", Unit::bytes), 500e6);
  EXPECT_EQ(parse_quantity("500MiB", Unit::bytes), 500.0 * 1024 * 1024);
  EXPECT_EQ(parse_quantity("1kB", Unit::bytes), 1e3);
  EXPECT_EQ(parse_quantity("1KiB", Unit::bytes), 1024);
  EXPECT_EQ(parse_quantity("2GB", Unit::bytes), 2e9);
  EXPECT_EQ(parse_quantity("2GiB", Unit::bytes), 2.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_quantity("3TB", Unit::bytes), 3e12);
  EXPECT_EQ(parse_quantity("3TiB", Unit::bytes), 3 * 0x1p40);
  EXPECT_EQ(parse_quantity("7B", Unit::bytes), 7);
}

TEST(Quantity, TakesEveryNamedUnit) {
  const std::array bases{"B", "B/s", "s", "F", "F/s", "W"};  // as Unit has them
  const auto units = named_units();
  for (const NamedUnit& unit : units) {
    const auto* const base = std::find(bases.begin(), bases.end(), unit.base);
    ASSERT_NE(base, bases.end()) << unit.base;
    EXPECT_EQ(parse_quantity("3" + unit.name, static_cast<Unit>(base - bases.begin())),
              3 * unit.factor)
        << unit.name;
  }
  EXPECT_EQ(units.size(), 5 * 9 + 4U);  // prefixes, and times
}

TEST(Quantity, TakesEveryUnit) {
  EXPECT_EQ(parse_quantity("12GB/s", Unit::bytes_per_s), 12e9);
  EXPECT_EQ(parse_quantity("1.5MiB/s", Unit::bytes_per_s), 1.5 * 1024 * 1024);
  EXPECT_EQ(parse_quantity("2s", Unit::seconds), 2);
  EXPECT_EQ(parse_quantity("7.1GF", Unit::flops), 7.1e9);
  EXPECT_EQ(parse_quantity("13253GF/s", Unit::flops_per_s), 13253e9);
  // One rounding of the factor, one of the product.
  EXPECT_DOUBLE_EQ(*parse_quantity("10us", Unit::seconds), 1e-5);
  EXPECT_DOUBLE_EQ(*parse_quantity("2.5ms", Unit::seconds), 2.5e-3);
  EXPECT_DOUBLE_EQ(*parse_quantity("3ns", Unit::seconds), 3e-9);
}

constexpr std::array all_units{Unit::bytes, Unit::bytes_per_s, Unit::seconds,
                               Unit::flops, Unit::flops_per_s, Unit::watts};

TEST(Quantity, RefusesANumberWithoutItsUnitButZero) {
  for (const auto unit : all_units) {
    EXPECT_FALSE(parse_quantity("1.5e3", unit));
    EXPECT_EQ(parse_quantity("0", unit), 0);
  }
  EXPECT_TRUE(lacks_unit("1.5e3"));
  for (const std::string text : {"0", "12GB/s", "much", "-1", ""}) EXPECT_FALSE(lacks_unit(text));
}

TEST(Quantity, ReadsRecordedNumbersWithoutUnitInTheBase) {
  {
    const UnitsOptional as_recorded;
    EXPECT_EQ(parse_quantity("1.5e3", Unit::bytes_per_s), 1500);
  }
  EXPECT_FALSE(parse_quantity("1.5e3", Unit::bytes_per_s));
}

TEST(Quantity, NamesTheLikelyUnitOfANumberWithoutOne) {
  const auto error = [](const std::string& text, Unit unit) {
    return quantity_error("key", text, unit);
  };
  EXPECT_EQ(error("500", Unit::bytes), "key 500 has no unit; did you mean 500MB?");
  EXPECT_EQ(error("5e8", Unit::bytes), "key 5e8 has no unit; did you mean 5e8B?");
  EXPECT_EQ(error("12", Unit::bytes_per_s), "key 12 has no unit; did you mean 12GB/s?");
  EXPECT_EQ(error("10", Unit::seconds), "key 10 has no unit; did you mean 10us?");
  EXPECT_EQ(error("0.001", Unit::seconds), "key 0.001 has no unit; did you mean 0.001s?");
  EXPECT_EQ(error("7.1", Unit::flops), "key 7.1 has no unit; did you mean 7.1GF?");
  EXPECT_EQ(error("40", Unit::flops_per_s), "key 40 has no unit; did you mean 40GF/s?");
  EXPECT_EQ(error("300", Unit::watts), "key 300 has no unit; did you mean 300W?");
  EXPECT_EQ(error("12GB", Unit::bytes_per_s),
            "key must be a rate in bytes per second, such as 12GB/s, not '12GB'");
  for (const auto unit : all_units) {
    for (const std::string number : {"0.001", "12", "1e9"}) {
      const std::string text = quantity_error("key", number, unit);
      const auto at = text.find("mean ") + 5;
      EXPECT_TRUE(parse_quantity(text.substr(at, text.size() - 1 - at), unit)) << text;
    }
  }
}

TEST(Quantity, NamesTheUnitOfAnotherCase) {
  const auto error = [](const std::string& text, Unit unit) {
    return quantity_error("key", text, unit);
  };
  EXPECT_EQ(error("500mb", Unit::bytes),
            "key 500mb has the unknown unit 'mb'; did you mean 500MB?");
  EXPECT_EQ(error("1e3KiB/S", Unit::bytes_per_s),
            "key 1e3KiB/S has the unknown unit 'KiB/S'; did you mean 1e3KiB/s?");
  EXPECT_EQ(error("2KB", Unit::bytes), "key 2KB has the unknown unit 'KB'; did you mean 2kB?");
  EXPECT_EQ(error("10US", Unit::seconds), "key 10US has the unknown unit 'US'; did you mean 10us?");
  EXPECT_EQ(error("7gf", Unit::flops), "key 7gf has the unknown unit 'gf'; did you mean 7GF?");
  EXPECT_EQ(error("7Gf/s", Unit::flops_per_s),
            "key 7Gf/s has the unknown unit 'Gf/s'; did you mean 7GF/s?");
  EXPECT_EQ(error("5w", Unit::watts), "key 5w has the unknown unit 'w'; did you mean 5W?");
  for (const std::string text : {"-5mb", "mb", "infb", "5 mb", "5bm", "-5MB"}) {
    EXPECT_TRUE(error(text, Unit::bytes).starts_with("key must be a size, such as 500MB")) << text;
  }
}

TEST(Counted, IsOneOfANounOrSeveral) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(2, "data item"), "2 data items");
}

TEST(Quantity, TakesAnExponentBeforeTheUnit) {
  EXPECT_EQ(parse_quantity("1e3B", Unit::bytes), 1000);
  EXPECT_EQ(parse_quantity("1e-3s", Unit::seconds), 1e-3);
}

TEST(Quantity, IsNoneWhereTheUnitIsAnother) {
  EXPECT_FALSE(parse_quantity("500MB", Unit::bytes_per_s));
  EXPECT_FALSE(parse_quantity("12GB/s", Unit::bytes));
  EXPECT_FALSE(parse_quantity("10us", Unit::bytes));
  EXPECT_FALSE(parse_quantity("10MB", Unit::seconds));
  EXPECT_FALSE(parse_quantity("1GF", Unit::flops_per_s));
  EXPECT_FALSE(parse_quantity("1GF/s", Unit::flops));
}

TEST(Quantity, IsNoneWhereTheTextIsNoQuantity) {
  for (const std::string text : {"", "MB", "-1MB", "nan", "inf", "infMB", "5 MB", "5mb", "5M",
                                 "5KB", "5MBx", "0x10", "5MB5", "1,5MB", "--5", "5PB", "5kiB"}) {
    EXPECT_FALSE(parse_quantity(text, Unit::bytes)) << text;
  }
  for (const std::string text : {"5min", "5m", "5S", "5ks", "-1us"}) {
    EXPECT_FALSE(parse_quantity(text, Unit::seconds)) << text;
  }
}

TEST(SizeText, RoundsToThreeDigitsInTheUnitBelowAThousand) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(512), "512 B");
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(1000), "1 kB");
  EXPECT_EQ(size_text(29'491'200), "29.5 MB");
  EXPECT_EQ(size_text(999'499), "999 kB");
  EXPECT_EQ(size_text(999'500), "1 MB");  // not 1e+03 kB
  EXPECT_EQ(size_text(4'000'000'000), "4 GB");
  EXPECT_EQ(size_text(2'000'000'000'000'000), "2e+03 TB");
}

TEST(Quantity, ShowsHowItIsWritten) {
  for (const auto unit :
       {Unit::bytes, Unit::bytes_per_s, Unit::seconds, Unit::flops, Unit::flops_per_s}) {
    // "a size, such as 500MB (10^6 bytes) or ...": the word after "as" is one.
    const std::string text(example(unit));
    const auto at = text.find(" such as ") + 9;
    EXPECT_TRUE(parse_quantity(text.substr(at, text.find(' ', at) - at), unit)) << text;
  }
}

}  // namespace
}  // namespace damocles::quantity_test
