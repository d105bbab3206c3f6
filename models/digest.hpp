#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;  // EVP_MD_CTX of OpenSSL

namespace damocles {

/// SHA-256 of bytes that come in pieces, computed by OpenSSL. The digest names the bytes: a name
/// can stand for a content.
///
/// Nobody can make two contents of one digest, and by accident it does not happen: of 10^12 files
/// two agree in the 128 bits that hex() gives with probability below 1e-14 (n^2 / 2^129).
class Digest {
 public:
  Digest();
  void add(std::string_view bytes);
  /// The first 32 hexadecimal digits of the digest of all that was added.
  [[nodiscard]] std::string hex() const;
  /// All 64 of them.
  [[nodiscard]] std::string full_hex() const;

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
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
  std::streamsize xsgetn(char* to, std::streamsize size) override;  ///< not by way of piece_

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
