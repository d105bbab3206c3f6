#include "gpu/host/host_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gpu/host/host_products.hpp"
#include "models/rng.hpp"

namespace damocles::host_kernels_test {
namespace {

using Product = void (*)(const Kernel&, const TaskCall&);

/// x (m x k) y (k x n) by three loops, added to `start`; small whole numbers, so that every sum is
/// exact and every order gives the same.
template <typename Number>
void check(Product product, std::size_t m, std::size_t n, std::size_t k, bool accumulate) {
  Rng rng(1, Draw::test, 0);
  const auto numbers = [&](std::size_t count) {
    std::vector<Number> result(count);
    for (auto& number : result) number = static_cast<Number>(rng.below(17)) - 8;
    return result;
  };
  const auto x = numbers(m * k);
  const auto y = numbers(k * n);
  auto expected = numbers(m * n);
  auto result = expected;
  if (!accumulate) {
    std::fill(expected.begin(), expected.end(), Number{0});
    // What was there does not count, not even as 0 * NaN.
    std::fill(result.begin(), result.end(), std::numeric_limits<Number>::quiet_NaN());
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) expected[i * n + j] += x[i * k + l] * y[l * n + j];
    }
  }

  TaskCall call;
  call.inputs = {{reinterpret_cast<const std::byte*>(x.data()), x.size() * sizeof(Number)},
                 {reinterpret_cast<const std::byte*>(y.data()), y.size() * sizeof(Number)}};
  call.output = reinterpret_cast<std::byte*>(result.data());
  call.accumulate = accumulate;
  product({.precision = sizeof(Number) == 4 ? Precision::fp32 : Precision::fp64,
           .m = m,
           .n = n,
           .k = k},
          call);

  EXPECT_EQ(result, expected) << m << " x " << k << " x " << n;
}

void check_all(Product product) {
  constexpr std::array<std::array<std::size_t, 3>, 5> shapes{
      {{1, 1, 1}, {2, 3, 5}, {32, 32, 8}, {17, 31, 300}, {130, 5, 64}}};
  for (const auto& [m, n, k] : shapes) {
    for (const bool accumulate : {false, true}) {
      check<float>(product, m, n, k, accumulate);
      check<double>(product, m, n, k, accumulate);
    }
  }
}

TEST(HostKernels, MultiplyAsThreeLoopsDo) { check_all(run_on_host); }

TEST(HostKernels, MultiplyByEigenAsThreeLoopsDo) { check_all(product_by_eigen); }

TEST(HostKernels, AddToAnInputInPlace) {
  const std::array<float, 4> x{1, 2, 3, 4};
  const std::array<float, 4> y{5, 6, 7, 8};
  std::array<float, 4> c{100, 200, 300, 400};
  TaskCall call;
  call.inputs = {{reinterpret_cast<const std::byte*>(x.data()), 16},
                 {reinterpret_cast<const std::byte*>(y.data()), 16},
                 {reinterpret_cast<const std::byte*>(c.data()), 16}};
  call.output = reinterpret_cast<std::byte*>(c.data());
  call.accumulate = true;

  run_on_host({.m = 2, .n = 2, .k = 2}, call);

  EXPECT_EQ(c, (std::array<float, 4>{119, 222, 343, 450}));  // (19 22; 43 50) added
}

std::uint64_t checksum(const std::vector<std::vector<std::byte>>& inputs) {
  std::uint64_t result = 0;
  TaskCall call;
  for (const auto& input : inputs) call.inputs.push_back({input.data(), input.size()});
  call.output = reinterpret_cast<std::byte*>(&result);
  run_on_host({.kind = Kernel::Kind::checksum}, call);
  return result;
}

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

TEST(HostKernels, FoldTheWordsOfAllInputs) {
  // 10 bytes: one whole word and two bytes filled up with zeros; little-endian.
  const auto first = bytes({1, 0, 0, 0, 0, 0, 0, 0, 2, 1});
  const auto second = bytes({3});

  EXPECT_EQ(checksum({first, second}),
            folded_word(1, 0, 0) + folded_word(0x102, 0, 1) + folded_word(3, 1, 0));
}

TEST(HostKernels, FoldTellsInputsAndTheirOrderApart) {
  const auto one = bytes({1, 2, 3, 4, 5, 6, 7, 8});
  const auto two = bytes({8, 7, 6, 5, 4, 3, 2, 1});

  EXPECT_NE(checksum({one, two}), checksum({two, one}));
  EXPECT_NE(checksum({one, two}), checksum({one, one}));
  EXPECT_NE(checksum({one}), checksum({one, bytes({0})}));
}

TEST(HostKernels, EmptyNeitherReadsNorWrites) {
  std::byte output{7};
  TaskCall call;
  call.inputs = {{nullptr, std::size_t{1} << 20U}};
  call.output = &output;

  run_on_host({.kind = Kernel::Kind::empty}, call);

  EXPECT_EQ(output, std::byte{7});
}

TEST(HostKernels, NameTheirLibraryWithItsVersion) {
  const std::string name = host_kernel_library();

  EXPECT_TRUE(name.starts_with("OpenBLAS 0.") || name.starts_with("Eigen 3.")) << name;
  EXPECT_EQ(std::count(name.begin(), name.end(), ' '), 1) << name;
}

}  // namespace
}  // namespace damocles::host_kernels_test
