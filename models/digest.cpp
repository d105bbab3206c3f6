#include "models/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "models/error.hpp"

namespace damocles {
namespace {

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes: FIPS 180-4,
/// section 4.2.2.
constexpr std::array<std::uint32_t, 64> cube_roots{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// The message schedule W of a block: section 6.2.2, step 1.
std::array<std::uint32_t, 64> schedule(const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    w[t] = static_cast<std::uint32_t>(block[4 * t]) << 24U |
           static_cast<std::uint32_t>(block[4 * t + 1]) << 16U |
           static_cast<std::uint32_t>(block[4 * t + 2]) << 8U | block[4 * t + 3];
  }
  for (std::size_t t = 16; t < w.size(); ++t) {
    const std::uint32_t early =
        std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3U;
    const std::uint32_t late = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10U;
    w[t] = late + w[t - 7] + early + w[t - 16];
  }
  return w;
}

/// Section 6.2.2, steps 2 to 4.
void take_block(Sha256State& state, const unsigned char* block) {
  const auto w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < w.size(); ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + cube_roots[t] + w[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Sha256State change{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += change[i];
}

#ifdef __x86_64__

bool has_sha_instructions() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned sha = 1U << 29U;  // of leaf 7
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & sha) != 0;
}

/// The instructions hold the state as the words ABEF and CDGH and do two rounds each. Source:
/// Gulley et al., "Intel SHA Extensions", 2013.
__attribute__((target("sha,sse4.1"))) void take_by_instructions(Sha256State& state,
                                                                const unsigned char* blocks,
                                                                std::size_t count) {
  const auto load = [](const void* from) __attribute__((target("sha,sse4.1"))) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i cdab = _mm_shuffle_epi32(load(state.data()), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(load(state.data() + 4), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; count > 0; --count, blocks += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i w[4];  // NOLINT(*-avoid-c-arrays): a template would lose the alignment
    for (std::size_t i = 0; i < 4; ++i) {
      w[i] = _mm_shuffle_epi8(load(blocks + 16 * i), big_endian);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < 16; ++i) {
      const __m128i now = w[i % 4];
      const __m128i four = _mm_add_epi32(now, load(cube_roots.data() + 4 * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, four);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(four, 0x0E));
      const __m128i last = w[(i + 3) % 4];
      const __m128i early = _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]),
                                          _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
      w[i % 4] = _mm_sha256msg2_epu32(early, last);  // of no use in the last four
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): as the instructions take memory
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
}

#endif

}  // namespace

void take_sha256_blocks(Sha256State& state, const unsigned char* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += 64) take_block(state, blocks);
}

#ifdef __x86_64__
bool take_sha256_blocks_fast(Sha256State& state, const unsigned char* blocks, std::size_t count) {
  static const bool has = has_sha_instructions();
  if (has) take_by_instructions(state, blocks, count);
  return has;
}
#else
bool take_sha256_blocks_fast(Sha256State&, const unsigned char*, std::size_t) { return false; }
#endif

void Digest::take(const unsigned char* blocks, std::size_t count) {
  if (!take_sha256_blocks_fast(state_, blocks, count)) take_sha256_blocks(state_, blocks, count);
}

void Digest::add(std::string_view bytes) {
  bytes_ += bytes.size();
  if (open_bytes_ > 0) {
    const std::size_t part = std::min(block_bytes - open_bytes_, bytes.size());
    std::memcpy(open_.data() + open_bytes_, bytes.data(), part);
    open_bytes_ += part;
    bytes.remove_prefix(part);
    if (open_bytes_ < block_bytes) return;
    take(open_.data(), 1);
    open_bytes_ = 0;
  }
  const std::size_t whole = bytes.size() / block_bytes;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the same bytes
  take(reinterpret_cast<const unsigned char*>(bytes.data()), whole);
  bytes.remove_prefix(whole * block_bytes);
  if (bytes.empty()) return;
  std::memcpy(open_.data(), bytes.data(), bytes.size());
  open_bytes_ = bytes.size();
}

std::string Digest::full_hex() const {
  // Padding, section 5.1.1: a bit 1, zeros, the length in bits.
  Digest padded = *this;
  const std::size_t zeros = (2 * block_bytes - 9 - open_bytes_) % block_bytes;
  std::string tail(1 + zeros + 8, '\0');
  tail.front() = '\x80';
  for (std::size_t i = 0; i < 8; ++i) {
    tail[tail.size() - 1 - i] = static_cast<char>(8 * bytes_ >> 8 * i & 0xffU);
  }
  padded.add(tail);
  std::string text;
  for (const std::uint32_t word : padded.state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string Digest::hex() const { return full_hex().substr(0, 32); }

std::string DigestingBuffer::hex() {
  while (underflow() != traits_type::eof()) {
  }
  return digest_.hex();
}

std::string digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidInput(fmt::format("file '{}' cannot be read", path));
  return DigestingBuffer(*file.rdbuf()).hex();
}

DigestingBuffer::int_type DigestingBuffer::underflow() {
  const auto got = from_.sgetn(piece_.data(), static_cast<std::streamsize>(piece_.size()));
  if (got <= 0) return traits_type::eof();
  digest_.add({piece_.data(), static_cast<std::size_t>(got)});
  setg(piece_.data(), piece_.data(), piece_.data() + got);
  return traits_type::to_int_type(piece_.front());
}

}  // namespace damocles
