#include "models/digest.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace damocles::digest_test {
namespace {

std::string of(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.full_hex();
}

// The examples of NIST for FIPS 180-4: one block, two blocks, and a million letters.
TEST(Digest, IsSha256) {
  EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Digest, MayBeAddedToAfterItWasRead) {
  Digest digest;
  digest.add("a");
  EXPECT_EQ(digest.full_hex(), of("a"));
  digest.add("bc");
  EXPECT_EQ(digest.full_hex(), of("abc"));
}

TEST(Digest, IsTheSameInAnyPieces) {
  // Around the block of 64 bytes and the 8 that hold the length.
  for (std::size_t size = 50; size < 140; ++size) {
    const std::string text(size, 'x');
    for (std::size_t cut = 0; cut <= size; cut += 7) {
      Digest digest;
      digest.add(text.substr(0, cut));
      digest.add(text.substr(cut));
      EXPECT_EQ(digest.full_hex(), of(text)) << size << " cut at " << cut;
    }
  }
}

TEST(DigestingBuffer, HandsThroughWhatItDigests) {
  const std::string text(200'000, 'y');
  std::stringbuf from(text);
  DigestingBuffer buffer(from);
  std::istream in(&buffer);
  std::string word;

  in >> word;

  EXPECT_EQ(word, text);
  EXPECT_EQ(buffer.hex(), of(text).substr(0, 32));
}

TEST(DigestingBuffer, DigestsAlsoWhatNobodyRead) {
  std::stringbuf from("a line\nanother");
  DigestingBuffer buffer(from);

  EXPECT_EQ(buffer.hex(), of("a line\nanother").substr(0, 32));
}

}  // namespace
}  // namespace damocles::digest_test
