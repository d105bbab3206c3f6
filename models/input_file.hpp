#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace damocles {

/// What a file is to its reader.
struct InputKind {
  std::string_view what;         ///< "platform file": what errors call it
  std::string_view right;        ///< "give a TOML file": what errors say would be right
  std::uint64_t most_bytes = 0;  ///< larger files are refused
  /// Whether it may be a pipe, as <(command) is. Not where rows name the file, or it is read again.
  bool may_be_pipe = false;
};

/// A file that the user named: every reader opens its file here.
///
/// A folder, a device or a socket is refused, and so is a pipe into which nobody writes for 10
/// seconds. Opening never waits, and never more than `most_bytes` are read. What gzip packed is
/// unpacked (Gunzip); its text has the same bound.
class InputFile {
 public:
  /// @throws InvalidInput, naming file and reason, where it is not there or cannot be read, is no
  /// file, is too large, or has a name with a NUL
  InputFile(const std::string& path, const InputKind& kind);
  /// Standard input, which may be a pipe.
  explicit InputFile(const InputKind& kind);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// The bytes, in order. Reading throws InvalidInput where that fails or most_bytes are exceeded.
  [[nodiscard]] std::istream& stream() { return stream_; }
  /// All that the stream has not given yet.
  [[nodiscard]] std::string text();

 private:
  class Bytes;

  std::unique_ptr<Bytes> bytes_;
  std::istream stream_;
};

/// The whole file. @throws InvalidInput as InputFile
[[nodiscard]] std::string read_file(const std::string& path, const InputKind& kind);

/// All of standard input: read once, so that whoever asks again gets the same.
/// @throws InvalidInput as InputFile
[[nodiscard]] const std::string& standard_input(const InputKind& kind);
/// What it gave, where somebody has asked: a process that we start finds nothing left in it.
[[nodiscard]] std::optional<std::string> standard_input_read();

}  // namespace damocles
