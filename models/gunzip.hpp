#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace damocles {

/// Unpacks what gzip packed (RFC 1952), piece by piece; several files one after the other are one
/// text, as for gunzip. Needs zlib when the program is built.
class Gunzip {
 public:
  /// Whether a file that begins so is packed; no text begins with this control character.
  [[nodiscard]] static bool is_packed(char first) { return first == '\x1f'; }

  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// Takes the next packed bytes. They must outlive the calls of next().
  /// @pre next() has returned an empty piece since the last call
  void feed(std::string_view packed);
  /// A piece of the text, or nothing where more has to be fed first or something is wrong.
  [[nodiscard]] std::string_view next();
  /// Whether the packed bytes may end here.
  [[nodiscard]] bool may_end() const;
  /// What is wrong with the packed bytes, to follow a file's name; or "".
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  struct Stream;

  std::unique_ptr<Stream> stream_;
  std::string fault_;
};

}  // namespace damocles
