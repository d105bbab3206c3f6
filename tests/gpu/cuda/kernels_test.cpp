#include "gpu/cuda/kernels.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "models/error.hpp"
#include "tests/gpu/cuda/with_gpu.hpp"

namespace damocles {
namespace {

constexpr ProcessorId p0{0};

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = uniform(engine);
  return numbers;
}

class CudaProduct : public WithGpu {
 protected:
  // c = x y, or += on top of ones, on the GPU and by three loops.
  template <class Real>
  void expect_right(ProcessorId processor, const Kernel& kernel, bool accumulate) {
    const auto [m, n, k] = std::tuple(kernel.m, kernel.n, kernel.k);
    const auto real = [](const std::vector<double>& numbers) {
      return std::vector<Real>(numbers.begin(), numbers.end());
    };
    const auto x = real(random_numbers(m * k, 1));
    const auto y = real(random_numbers(k * n, 2));
    // What is not accumulated overwrites a poison, which must not shine through.
    const Real before = accumulate ? Real{1} : std::numeric_limits<Real>::quiet_NaN();
    device_->prepare(kernel);
    TaskCall call;
    call.inputs = {{loaded(processor, x), m * k * sizeof(Real)},
                   {loaded(processor, y), k * n * sizeof(Real)}};
    call.output = loaded(processor, std::vector<Real>(m * n, before));
    call.accumulate = accumulate;

    (void)run(processor, call);

    const auto c = read<Real>(processor, call.output, m * n);
    // |computed - exact| <= gamma_k |x| |y| in any order of summation, gamma_k ~ k epsilon / 2, and
    // |x|, |y| < 1; one more for the number added, and the double sum's own error is far less.
    const double tolerance =
        static_cast<double>((k + 1) * (k + 1)) * std::numeric_limits<Real>::epsilon();
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double exact = accumulate ? 1 : 0;
        for (std::size_t l = 0; l < k; ++l) exact += double{x[i * k + l]} * double{y[l * n + j]};
        ASSERT_NEAR(double{c[i * n + j]}, exact, tolerance) << i << " " << j;
      }
    }
  }
};

struct Shape {
  std::size_t m, n, k;
};
constexpr Shape shapes[] = {{1, 1, 1}, {1, 7, 3}, {32, 32, 8}, {17, 64, 33}, {128, 96, 250}};

TEST_F(CudaProduct, IsThatOfThreeLoopsInSinglePrecision) {
  make({});
  for (const auto& [m, n, k] : shapes) {
    for (const bool accumulate : {false, true})
      expect_right<float>(p0, {Kernel::Kind::product, Precision::fp32, m, n, k}, accumulate);
  }
}

TEST_F(CudaProduct, IsThatOfThreeLoopsInDoublePrecision) {
  make({});
  for (const auto& [m, n, k] : shapes) {
    for (const bool accumulate : {false, true})
      expect_right<double>(p0, {Kernel::Kind::product, Precision::fp64, m, n, k}, accumulate);
  }
}

TEST_F(CudaProduct, IsTheSameOnAPartOfAGpu) {
  make({.processors = 3});
  expect_right<float>(ProcessorId{2}, {Kernel::Kind::product, Precision::fp32, 65, 64, 63}, true);
}

// Numbers of few bits, whose products and sums are exact in any precision.
TEST_F(CudaProduct, IsExactInMixedPrecisionsWhereThatIsPossible) {
  constexpr std::size_t m = 24;
  constexpr std::size_t n = 40;
  constexpr std::size_t k = 16;
  Device& device = make({});
  const auto expect = [&](Precision precision, auto one, auto two, auto three, auto sum) {
    using Number = decltype(one);
    device.prepare({Kernel::Kind::product, precision, m, n, k});
    TaskCall call;
    call.inputs = {{loaded(p0, std::vector<Number>(m * k, two)), m * k * sizeof(Number)},
                   {loaded(p0, std::vector<Number>(k * n, three)), k * n * sizeof(Number)}};
    call.output = loaded(p0, std::vector<Number>(m * n, one));
    call.accumulate = true;
    (void)run(p0, call);  // 1 + 16 * 2 * 3
    EXPECT_EQ(read<Number>(p0, call.output, m * n), std::vector<Number>(m * n, sum));
  };
  expect(Precision::tf32, 1.0F, 2.0F, 3.0F, 97.0F);
  // As bits, which every compiler can compare: 1, 2, 3 and 97.
  using Bits = std::uint16_t;
  expect(Precision::bf16, Bits{0x3f80}, Bits{0x4000}, Bits{0x4040}, Bits{0x42c2});
  expect(Precision::fp16, Bits{0x3c00}, Bits{0x4000}, Bits{0x4200}, Bits{0x5610});
}

// A factor of 1 + 2^-12 is 1 in tf32, whether it is rounded or cut off. cuBLAS may take it whole.
TEST_F(CudaProduct, MayLeaveOutBitsInTf32) {
  constexpr std::size_t n = 64;
  Device& device = make({});
  device.prepare({Kernel::Kind::product, Precision::tf32, n, n, n});
  TaskCall call;
  call.inputs = {{loaded(p0, std::vector<float>(n * n, 1.0F + 0x1p-12F)), n * n * 4},
                 {loaded(p0, std::vector<float>(n * n, 1.0F)), n * n * 4}};
  call.output = memory(p0, n * n * 4);

  (void)run(p0, call);

  const auto product = read<float>(p0, call.output, n * n);
  if (product[0] != 64.0F) {
    EXPECT_EQ(product[0], 64.0F * (1.0F + 0x1p-12F));
  }
  EXPECT_EQ(product, std::vector<float>(n * n, product[0]));
}

// TF32 keeps 10 bits behind the point and would round 1 + 2^-12 to 1.
TEST_F(CudaProduct, KeepsAllBitsOfSinglePrecision) {
  constexpr std::size_t n = 256;
  Device& device = make({});
  device.prepare({Kernel::Kind::product, Precision::fp32, n, n, n});
  const float fine = 1.0F + 0x1p-12F;
  TaskCall call;
  call.inputs = {{loaded(p0, std::vector<float>(n * n, fine)), n * n * 4},
                 {loaded(p0, std::vector<float>(n * n, 1.0F)), n * n * 4}};
  call.output = memory(p0, n * n * 4);

  (void)run(p0, call);

  // 256 (1 + 2^-12): this sum and every sum of some of its terms fits into 21 bits.
  for (const float number : read<float>(p0, call.output, n * n)) ASSERT_EQ(number, 256.0F * fine);
}

TEST_F(CudaProduct, RefusesAShapeOfNothing) {
  Device& device = make({});
  EXPECT_THROW(device.prepare({Kernel::Kind::product, Precision::fp32, 4, 0, 4}), InvalidInput);
}

class CudaChecksum : public WithGpu {
 protected:
  using Bytes = std::vector<unsigned char>;

  static Bytes random_bytes(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    Bytes bytes(count);
    for (auto& byte : bytes) byte = static_cast<unsigned char>(engine());
    return bytes;
  }

  static std::uint64_t fold(const std::vector<Bytes>& inputs) {
    std::uint64_t sum = 0;
    for (std::size_t q = 0; q < inputs.size(); ++q) {
      for (std::size_t i = 0; i * 8 < inputs[q].size(); ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, inputs[q].data() + i * 8,
                    std::min<std::size_t>(8, inputs[q].size() - i * 8));
        sum += folded_word(word, q, i);
      }
    }
    return sum;
  }

  /// Of inputs that begin `offset` bytes into their memory.
  std::uint64_t folded_by_gpu(const std::vector<Bytes>& inputs, std::size_t offset = 0) {
    TaskCall call;
    for (const Bytes& input : inputs) {
      Bytes shifted(offset);
      shifted.insert(shifted.end(), input.begin(), input.end());
      call.inputs.push_back({loaded(p0, shifted) + offset, input.size()});
    }
    call.output = loaded(p0, std::vector<std::uint64_t>{0xffffffffffffffffU});
    (void)run(p0, call);
    return read<std::uint64_t>(p0, call.output, 1)[0];
  }
};

TEST_F(CudaChecksum, IsTheFoldOfAllWords) {
  make({}).prepare({Kernel::Kind::checksum});
  for (const std::size_t bytes : {8U, 16U, 4096U, 1'000'000U}) {
    const std::vector<Bytes> inputs{random_bytes(bytes, 1), random_bytes(2 * bytes, 2)};
    EXPECT_EQ(folded_by_gpu(inputs), fold(inputs)) << bytes;
  }
}

TEST_F(CudaChecksum, FillsTheLastWordWithZeros) {
  make({}).prepare({Kernel::Kind::checksum});
  for (std::size_t bytes = 0; bytes < 20; ++bytes) {
    const std::vector<Bytes> inputs{random_bytes(bytes, 1), random_bytes(3, 2)};
    EXPECT_EQ(folded_by_gpu(inputs), fold(inputs)) << bytes;
  }
}

TEST_F(CudaChecksum, TakesInputsOfAnyAlignment) {
  make({}).prepare({Kernel::Kind::checksum});
  for (std::size_t offset = 0; offset < 9; ++offset) {
    const std::vector<Bytes> inputs{random_bytes(10'001, 1)};
    EXPECT_EQ(folded_by_gpu(inputs, offset), fold(inputs)) << offset;
  }
}

TEST_F(CudaChecksum, TakesMoreInputsThanOneLaunch) {
  make({}).prepare({Kernel::Kind::checksum});
  std::vector<Bytes> inputs;
  for (unsigned q = 0; q < 130; ++q) inputs.push_back(random_bytes(100 + q, q));
  EXPECT_EQ(folded_by_gpu(inputs), fold(inputs));
}

TEST_F(CudaChecksum, IsZeroOfNothing) {
  make({}).prepare({Kernel::Kind::checksum});
  EXPECT_EQ(folded_by_gpu({}), 0U);
}

TEST_F(CudaChecksum, AddsUpWhereItAccumulates) {
  make({}).prepare({Kernel::Kind::checksum});
  const std::vector<Bytes> inputs{random_bytes(1000, 1)};
  TaskCall call;
  call.inputs = {{loaded(p0, inputs[0]), 1000}};
  call.output = loaded(p0, std::vector<std::uint64_t>{5});
  call.accumulate = true;

  (void)run(p0, call);

  EXPECT_EQ(read<std::uint64_t>(p0, call.output, 1)[0], fold(inputs) + 5);
}

/// Data of any length, one of them read too; nothing beyond their ends is touched.
TEST_F(CudaChecksum, IsInEveryWordOfWhatTheTaskWrites) {
  make({}).prepare({Kernel::Kind::checksum});
  for (const std::size_t bytes : {1U, 7U, 8U, 13U, 4096U, 1'000'001U}) {
    const std::vector<Bytes> inputs{random_bytes(bytes, 1), random_bytes(24, 2)};
    Bytes guarded = inputs[0];
    guarded.resize(bytes + 16, 0xee);
    std::byte* const both = loaded(p0, guarded);
    std::byte* const written = loaded(p0, Bytes(24));
    TaskCall call;
    call.inputs = {{both, bytes}, {loaded(p0, inputs[1]), 24}};
    call.written = {{both, bytes, 0}, {written, 24, 2}};

    (void)run(p0, call);

    const std::uint64_t sum = fold(inputs);
    const auto expected = [&](std::size_t size, std::uint64_t position) {
      Bytes words(size);
      for (std::size_t i = 0; i * 8 < size; ++i) {
        const std::uint64_t word = written_word(sum, position, i);
        std::memcpy(words.data() + i * 8, &word, std::min<std::size_t>(8, size - i * 8));
      }
      return words;
    };
    Bytes in_place = expected(bytes, 0);
    in_place.resize(bytes + 16, 0xee);
    EXPECT_EQ(read<unsigned char>(p0, both, bytes + 16), in_place) << bytes;
    EXPECT_EQ(read<unsigned char>(p0, written, 24), expected(24, 2)) << bytes;
  }
}

/// Of any length, to what is there or to nothing; what lies beyond the end stays.
TEST_F(CudaChecksum, IsAddedToWhatTasksAddTo) {
  make({}).prepare({Kernel::Kind::checksum});
  for (const std::size_t bytes : {1U, 7U, 8U, 13U, 4096U, 1'000'001U}) {
    for (const bool fresh : {false, true}) {
      const std::vector<Bytes> inputs{random_bytes(24, 2)};
      Bytes guarded = random_bytes(bytes, 1);
      guarded.resize(bytes + 16, 0xee);
      std::byte* const added = loaded(p0, guarded);
      TaskCall call;
      call.inputs = {{loaded(p0, inputs[0]), 24}};
      call.written = {{.at = added, .bytes = bytes, .position = 1, .adds = true, .fresh = fresh}};

      (void)run(p0, call);

      Bytes expected = guarded;
      for (std::size_t i = 0; i * 8 < bytes; ++i) {
        const std::size_t part = std::min<std::size_t>(8, bytes - i * 8);
        std::uint64_t word = 0;
        if (!fresh) std::memcpy(&word, guarded.data() + i * 8, part);
        word += added_factor(fold(inputs), 1) * added_word(i);
        std::memcpy(expected.data() + i * 8, &word, part);
      }
      EXPECT_EQ(read<unsigned char>(p0, added, bytes + 16), expected) << bytes << " " << fresh;
    }
  }
}

}  // namespace
}  // namespace damocles
