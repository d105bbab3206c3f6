// Digests of bytes and of files: SHA-256 by OpenSSL.
#include "models/digest.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include "models/error.hpp"
#include "models/modules.hpp"

namespace damocles {
namespace {

/// What a call of OpenSSL says of itself.
void expect_done(bool done) {
  if (!done) throw std::runtime_error("OpenSSL cannot compute a SHA-256 digest");
}

/// OpenSSL, opened for the first digest: its start takes longer than that of the whole program.
struct OpenSsl {
  SharedLibrary library{"libcrypto.so.3"};
  decltype(&OPENSSL_init_crypto) init = DAMOCLES_FUNCTION_OF(library, OPENSSL_init_crypto);
  decltype(&EVP_sha256) sha256 = DAMOCLES_FUNCTION_OF(library, EVP_sha256);
  decltype(&EVP_MD_CTX_new) make = DAMOCLES_FUNCTION_OF(library, EVP_MD_CTX_new);
  decltype(&EVP_MD_CTX_free) free = DAMOCLES_FUNCTION_OF(library, EVP_MD_CTX_free);
  decltype(&EVP_MD_CTX_copy_ex) copy = DAMOCLES_FUNCTION_OF(library, EVP_MD_CTX_copy_ex);
  decltype(&EVP_DigestInit_ex) begin = DAMOCLES_FUNCTION_OF(library, EVP_DigestInit_ex);
  decltype(&EVP_DigestUpdate) update = DAMOCLES_FUNCTION_OF(library, EVP_DigestUpdate);
  decltype(&EVP_DigestFinal_ex) end = DAMOCLES_FUNCTION_OF(library, EVP_DigestFinal_ex);
};

/// @throws std::runtime_error where it is not installed
const OpenSsl& openssl() {
  static const OpenSsl calls;
  if (calls.end == nullptr) {
    throw std::runtime_error("digests need OpenSSL 3 (libcrypto.so.3): install libssl3");
  }
  return calls;
}

}  // namespace

void Digest::Free::operator()(evp_md_ctx_st* context) const { openssl().free(context); }

Digest::Digest() : context_(openssl().make()) {
  // What this machine is configured to do, such as to allow only certain algorithms, is for
  // connections. It must not change a name.
  expect_done(openssl().init(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1);
  expect_done(openssl().begin(context_.get(), openssl().sha256(), nullptr) == 1);
}

void Digest::add(std::string_view bytes) {
  expect_done(openssl().update(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Digest::full_hex() const {
  const Digest ended;  // a copy: more may be added to this one
  std::array<unsigned char, 32> digest{};
  expect_done(openssl().copy(ended.context_.get(), context_.get()) == 1);
  expect_done(openssl().end(ended.context_.get(), digest.data(), nullptr) == 1);
  return fmt::format("{:02x}", fmt::join(digest, ""));
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

std::streamsize DigestingBuffer::xsgetn(char* to, std::streamsize size) {
  const auto there = std::min(size, egptr() - gptr());
  std::copy_n(gptr(), there, to);
  setg(eback(), gptr() + there, egptr());
  const auto got = from_.sgetn(to + there, size - there);
  digest_.add({to + there, static_cast<std::size_t>(got)});
  return there + got;
}

}  // namespace damocles
