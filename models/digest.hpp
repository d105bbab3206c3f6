#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace damocles {

using Sha256State = std::array<std::uint32_t, 8>;

/// What whole blocks of 64 bytes make of a state, in portable code.
void take_sha256_blocks(Sha256State& state, const unsigned char* blocks, std::size_t count);
/// The same by the processor's own instructions, five times as fast; false, and nothing done, where
/// it has none.
[[nodiscard]] bool take_sha256_blocks_fast(Sha256State& state, const unsigned char* blocks,
                                           std::size_t count);

/// SHA-256 of bytes that come in pieces: tells contents apart whatever they are, so that a name for
/// a content can stand for it.
///
/// Nobody can make two contents of one digest, and by accident it does not happen: of 10^12 files
/// two agree in the 128 bits that hex() gives with probability below 1e-14 (n^2 / 2^129).
/// Ours, because Boost's SHA-1 is a private detail that changes type between releases, and a
/// library of cryptography is much to install for one function.
/// Source: FIPS 180-4, section 6.2. Checked by tests/models/digest_test.cpp.
class Digest {
 public:
  void add(std::string_view bytes);
  /// The first 32 hexadecimal digits of the digest of all that was added.
  [[nodiscard]] std::string hex() const;
  /// All 64 of them.
  [[nodiscard]] std::string full_hex() const;

 private:
  static constexpr std::size_t block_bytes = 64;
  void take(const unsigned char* blocks, std::size_t count);

  Sha256State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, block_bytes> open_{};  // what does not fill a block yet
  std::size_t open_bytes_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Hands through what it reads from another buffer, and digests it: the bytes that were parsed are
/// the bytes that are named, also where the file changes meanwhile.
class DigestingBuffer : public std::streambuf {
 public:
  explicit DigestingBuffer(std::streambuf& from) : from_(from), piece_(piece_bytes) {}
  /// Reads what is left, and names all.
  [[nodiscard]] std::string hex();

 protected:
  int_type underflow() override;

 private:
  static constexpr std::size_t piece_bytes = 65536;
  std::streambuf& from_;
  std::vector<char> piece_;
  Digest digest_;
};

/// The digest of a whole file. @throws InvalidInput where it cannot be read
[[nodiscard]] std::string digest_of_file(const std::string& path);

/// A file that a workload or a platform was read from, the digest of what was in it, and what was
/// assumed where it does not say something: one text each, for the user.
struct SourceFile {
  std::string path;
  std::string digest;
  std::vector<std::string> notes{};
};

}  // namespace damocles
