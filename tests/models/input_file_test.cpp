#include "models/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/error_text.hpp"

namespace damocles::input_file_test {
namespace {

namespace fs = std::filesystem;

constexpr InputKind small{.what = "test file", .right = "give another", .most_bytes = 1000};
constexpr InputKind piped{
    .what = "test file", .right = "give another", .most_bytes = 100'000, .may_be_pipe = true};

/// A folder of its own for the running test, removed with it.
class InputFiles : public testing::Test {
 protected:
  InputFiles() { fs::create_directories(folder_); }
  ~InputFiles() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string written(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  /// The refusal without the file's name.
  static std::string refusal(const std::string& path, const InputKind& kind = small) {
    auto message = error_text([&] { static_cast<void>(read_file(path, kind)); });
    const auto at = message.find(path);
    return at == std::string::npos ? message : message.replace(at, path.size(), "FILE");
  }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) /
                     (std::string("damocles_input_") +
                      testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(InputFiles, AreReadToTheByte) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i % 256);

  EXPECT_EQ(read_file(written("x", text), small), text);
  EXPECT_EQ(read_file(written("empty", ""), small), "");
}

TEST_F(InputFiles, AreStreams) {
  InputFile file(written("x", "first\nsecond\n"), small);
  std::string line;

  std::getline(file.stream(), line);

  EXPECT_EQ(line, "first");
  EXPECT_EQ(file.text(), "second\n");
}

TEST_F(InputFiles, LargerThanTheLimitAreRefusedUnread) {
  EXPECT_EQ(read_file(written("just", std::string(1000, 'x')), small).size(), 1000U);
  EXPECT_EQ(refusal(written("more", std::string(1001, 'x'))),
            "test file 'FILE' is larger than 1 kB, the most that is read; give another");
}

TEST_F(InputFiles, WithoutASizeAreBoundedAsTheyAreRead) {
  // Of this the system says 0 bytes.
  const InputKind tiny{.what = "test file", .right = "give another", .most_bytes = 10};
  EXPECT_GT(read_file("/proc/self/stat", small).size(), 10U);
  EXPECT_NE(refusal("/proc/self/stat", tiny).find("is larger than"), std::string::npos);
}

TEST_F(InputFiles, ThatAreNoneAreRefusedByWhatTheyAre) {
  EXPECT_EQ(refusal(path("none")),
            "cannot open test file 'FILE': no such file; check the path, or give another");
  EXPECT_EQ(refusal(path("none/x")),
            "cannot open test file 'FILE': no such file; check the path, or give another");
  EXPECT_EQ(refusal(path(".")), "test file 'FILE' is a folder; give another");
  EXPECT_EQ(refusal("/dev/zero"), "test file 'FILE' is a device; give another");
  EXPECT_EQ(refusal("/dev/null", piped), "test file 'FILE' is a device; give another");
  EXPECT_EQ(error_text([] { static_cast<void>(read_file("", small)); }),
            "test file '' has no name; give another");
  EXPECT_EQ(refusal(std::string("a\0b", 3)),
            "test file 'a' is how a name with a NUL begins; give another");
  EXPECT_NE(refusal(std::string(5000, 'x')).find("File name too long"), std::string::npos);
}

TEST_F(InputFiles, ThatAreLinksInACircleAreRefused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));

  EXPECT_NE(refusal(path("a")).find("cannot be read: Too many levels"), std::string::npos);
}

TEST_F(InputFiles, ThatAreSocketsAreRefused) {
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path("s");
  ASSERT_LT(name.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  ASSERT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);

  EXPECT_EQ(refusal(name), "test file 'FILE' is a socket; give another");
  close(made);
}

TEST_F(InputFiles, ThatMayNotBeReadAreRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string name = written("x", "text");
  chmod(name.c_str(), 0);

  EXPECT_NE(refusal(name).find("cannot be read: Permission denied"), std::string::npos);
}

TEST_F(InputFiles, ThatArePipesAreReadWhereThatIsAllowed) {
  ASSERT_EQ(mkfifo(path("p").c_str(), 0600), 0);
  EXPECT_EQ(refusal(path("p")),
            "test file 'FILE' is a pipe, which is read only once; give another");

  // A writer that takes its time, more than a pipe holds at once.
  const std::string text(90'000, 'x');
  std::jthread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::ofstream(path("p")) << text;
  });
  EXPECT_EQ(read_file(path("p"), piped), text);
}

TEST_F(InputFiles, ThatArePipesWithoutEndAreBounded) {
  ASSERT_EQ(mkfifo(path("p").c_str(), 0600), 0);
  std::jthread writer([&] {
    signal(SIGPIPE, SIG_IGN);
    const int out = open(path("p").c_str(), O_WRONLY | O_CLOEXEC);
    const std::string text(1000, 'x');
    while (write(out, text.data(), text.size()) > 0) {
    }
    close(out);
  });

  EXPECT_NE(refusal(path("p"), piped).find("is larger than 100 kB"), std::string::npos);
}

/// "hello\n", packed by hand: header, one stored block, CRC-32 and length.
const std::string packed_hello(
    "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x06\0\xf9\xffhello\n\x20\x30\x3a\x36\x06\0\0\0", 29);

TEST_F(InputFiles, AreUnpackedWhereGzipPackedThem) {
  const auto read = [&](const std::string& text) {
    return read_file(written("x.gz", text), small);
  };
  if (refusal(written("x.gz", packed_hello)).find("zlib1g-dev") != std::string::npos) {
    GTEST_SKIP() << "built without zlib";
  }
  EXPECT_EQ(read(packed_hello), "hello\n");
  EXPECT_EQ(read(packed_hello + packed_hello), "hello\nhello\n");
  EXPECT_EQ(read("hello"), "hello");  // the bytes say it, not the name

  const auto said = [&](const std::string& text) { return refusal(written("x.gz", text)); };
  EXPECT_EQ(said(packed_hello.substr(0, 25)),
            "test file 'FILE' ends too early for a gzip file; give another");
  EXPECT_EQ(said(packed_hello.substr(0, 1)),
            "test file 'FILE' ends too early for a gzip file; give another");
  std::string damaged = packed_hello;
  damaged[17] = 'j';
  EXPECT_EQ(said(damaged), "test file 'FILE' is damaged, or no gzip file; give another");
  EXPECT_EQ(said("\x1f text"), "test file 'FILE' is damaged, or no gzip file; give another");
  EXPECT_EQ(said(packed_hello + "more"),
            "test file 'FILE' is damaged, or no gzip file; give another");
}

TEST_F(InputFiles, AreRefusedWhereTheirUnpackedTextIsTooLarge) {
  // 1024 zeros, as gzip packs them.
  const std::string zeros(
      "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x63\x60\x18\x05\xa3\x60\x14\x8c\x54\0\0\x2e\xaf\xb5\xef\0\x04"
      "\0\0",
      29);
  const auto said = refusal(written("x.gz", zeros));
  if (said.find("zlib1g-dev") != std::string::npos) GTEST_SKIP() << "built without zlib";

  EXPECT_EQ(said, "test file 'FILE' is larger than 1 kB, the most that is read; give another");
  EXPECT_EQ(read_file(written("x.gz", zeros), piped), std::string(1024, '\0'));
}

}  // namespace
}  // namespace damocles::input_file_test
