#include "models/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <streambuf>

#include "models/error.hpp"
#include "models/gunzip.hpp"
#include "models/quantity.hpp"

namespace damocles {
namespace {

constexpr std::chrono::seconds patience{10};  // with a pipe that has no writer yet

/// What stands in the file system where a file should be, or nothing where a file is.
const char* instead_of_file(mode_t mode, bool pipe_is_fine) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "is a folder";
  if (S_ISSOCK(mode)) return "is a socket";
  if (S_ISFIFO(mode)) return pipe_is_fine ? nullptr : "is a pipe, which is read only once";
  return "is a device";
}

}  // namespace

/// The bytes of an open file, unpacked where gzip packed them, as a buffer of streams.
class InputFile::Bytes final : public std::streambuf {
 public:
  Bytes(std::string path, const InputKind& kind) : path_(std::move(path)), kind_(kind) {
    if (path_.empty()) refuse("has no name");
    if (const std::size_t before_nul = std::strlen(path_.c_str()); before_nul < path_.size()) {
      path_.resize(before_nul);  // an error's text would end there
      refuse("is how a name with a NUL begins");
    }
    // Looked at before it is opened: opening a device may do something, and a socket cannot be.
    struct stat is {};
    if (stat(path_.c_str(), &is) != 0) refuse_errno();
    check_kind(is.st_mode);
    file_ = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file_ < 0) refuse_errno();
    look_at();
  }
  /// Standard input.
  explicit Bytes(const InputKind& kind) : path_("-"), kind_(kind), is_standard_(true) {
    kind_.may_be_pipe = true;
    // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): errno is looked at at once
    file_ = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (file_ < 0) refuse_errno();
    look_at();
  }
  ~Bytes() override { close(file_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

 protected:
  int_type underflow() override {
    std::string_view piece = packed_ ? packed_->next() : "";
    while (piece.empty()) {
      const std::size_t bytes = read_some();
      const std::string_view read(buffer_.data(), bytes);
      if (bytes > 0 && bytes == seen_ && Gunzip::is_packed(read[0])) {
        packed_ = std::make_unique<Gunzip>();
      }
      if (packed_ && bytes > 0) packed_->feed(read);
      piece = packed_ ? packed_->next() : read;
      if (packed_ && !packed_->fault().empty()) refuse(packed_->fault());
      if (bytes > 0) continue;
      if (packed_ && !packed_->may_end()) refuse("ends too early for a gzip file");
      return traits_type::eof();
    }
    if (packed_) unpacked_ += piece.size();
    if (unpacked_ > kind_.most_bytes) refuse_size();
    if (unpacked_ > any_text && unpacked_ / seen_ > most_ratio) {
      refuse(fmt::format(
          "unpacks to more than {} times its size, as hardly a text does (if it is one, gunzip it first)",
          most_ratio));
    }
    char* const begin = const_cast<char*>(piece.data());  // NOLINT: nobody puts characters back
    setg(begin, begin, begin + piece.size());
    return traits_type::to_int_type(*gptr());
  }

 private:
  /// What is open now.
  void look_at() {
    struct stat is {};
    try {
      if (fstat(file_, &is) != 0) refuse_errno();
      check_kind(is.st_mode);
      is_pipe_ = !is_standard_ && S_ISFIFO(is.st_mode);
      if (S_ISREG(is.st_mode) && static_cast<std::uint64_t>(is.st_size) > kind_.most_bytes) {
        refuse_size();
      }
    } catch (...) {
      close(file_);
      throw;
    }
  }
  [[noreturn]] void refuse(std::string_view why) const {
    const std::string file =
        is_standard_ ? "standard input" : fmt::format("{} '{}'", kind_.what, path_);
    throw InvalidInput(fmt::format("{} {}; {}", file, why, kind_.right));
  }
  [[noreturn]] void refuse_errno() const {
    if (errno == ENOENT || errno == ENOTDIR) {
      throw InvalidInput(no_such_file(kind_.what, path_, kind_.right));
    }
    refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  [[noreturn]] void refuse_size() const {
    refuse(fmt::format("is larger than {}, the most that is read", size_text(kind_.most_bytes)));
  }
  void check_kind(mode_t mode) const {
    if (const char* const other = instead_of_file(mode, kind_.may_be_pipe)) refuse(other);
  }

  /// Reads into the buffer; 0 at the end of the file.
  std::size_t read_some() {
    while (true) {
      const ssize_t bytes = read(file_, buffer_.data(), buffer_.size());
      if (bytes > 0) {
        seen_ += static_cast<std::uint64_t>(bytes);
        if (seen_ > kind_.most_bytes) refuse_size();
        return static_cast<std::size_t>(bytes);
      }
      if (bytes < 0 && errno != EAGAIN && errno != EINTR) refuse_errno();
      if (bytes == 0 && (!is_pipe_ || seen_ > 0)) return 0;
      if (!wait(bytes == 0)) return 0;
    }
  }

  /// Waits for more of a pipe; false where it ended before it gave anything. One that nobody has
  /// opened for writing reads as ended, but is not hung up.
  bool wait(bool ended) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (true) {
      pollfd one{.fd = file_, .events = POLLIN, .revents = 0};
      constexpr int glance_ms = 100;
      const int ready = poll(&one, 1, glance_ms);
      if (ready < 0 && errno != EINTR) refuse_errno();
      if (ready > 0 && (one.revents & POLLIN) != 0) return true;
      if (ready > 0) return false;  // POLLHUP alone: the writer came and went
      if (ended && std::chrono::steady_clock::now() > until) {
        refuse("is a pipe into which nobody writes");
      }
    }
  }

  /// Of a packed text that is long: gzip packs blanks a thousandfold, task graphs fiftyfold.
  static constexpr std::uint64_t any_text = std::uint64_t{1} << 26U;
  static constexpr std::uint64_t most_ratio = 200;

  std::string path_;
  InputKind kind_;
  int file_ = -1;
  bool is_standard_ = false;  // standard input, which may wait where it likes
  bool is_pipe_ = false;
  std::uint64_t seen_ = 0;      // bytes of the file
  std::uint64_t unpacked_ = 0;  // bytes of its text, where it is packed
  std::unique_ptr<Gunzip> packed_;
  std::array<char, std::size_t{1} << 16U> buffer_{};
};

InputFile::InputFile(const std::string& path, const InputKind& kind)
    : bytes_(std::make_unique<Bytes>(path, kind)), stream_(bytes_.get()) {
  // What reading throws, the stream throws on.
  stream_.exceptions(std::ios::badbit);
}

InputFile::InputFile(const InputKind& kind)
    : bytes_(std::make_unique<Bytes>(kind)), stream_(bytes_.get()) {
  stream_.exceptions(std::ios::badbit);
}

InputFile::~InputFile() = default;

std::string InputFile::text() {
  std::string result;
  for (std::streambuf& bytes = *bytes_; bytes.sgetc() != std::char_traits<char>::eof();) {
    const auto there = static_cast<std::size_t>(bytes.in_avail());
    const std::size_t before = result.size();
    result.resize(before + there);
    (void)bytes.sgetn(result.data() + before, static_cast<std::streamsize>(there));
  }
  return result;
}

std::string read_file(const std::string& path, const InputKind& kind) {
  return InputFile(path, kind).text();
}

namespace {

struct StandardInput {
  std::mutex one;
  std::optional<std::string> text;
};

StandardInput& the_standard_input() {
  static StandardInput input;
  return input;
}

}  // namespace

const std::string& standard_input(const InputKind& kind) {
  auto& [one, text] = the_standard_input();
  const std::lock_guard lock(one);
  if (!text) text = InputFile(kind).text();
  return *text;
}

std::optional<std::string> standard_input_read() {
  auto& [one, text] = the_standard_input();
  const std::lock_guard lock(one);
  return text;
}

}  // namespace damocles
