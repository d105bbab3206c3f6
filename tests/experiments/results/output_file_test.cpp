#include "experiments/results/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <iterator>

#include "tests/experiments/folder.hpp"

namespace damocles::output_file_test {
namespace {

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// From here on every file system is one without nameless files; false where the kernel has no
/// such filters. It stays so until the process ends.
bool refuse_nameless_files() {
#ifdef __x86_64__
  constexpr std::uint32_t flags = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);
  constexpr auto flag = static_cast<std::uint32_t>(O_TMPFILE & ~O_DIRECTORY);
  std::array<sock_filter, 6> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  // NOLINTBEGIN(cppcoreguidelines-pro-type-vararg): there is no other
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  // NOLINTEND(cppcoreguidelines-pro-type-vararg)
#else
  return false;
#endif
}

constexpr int cannot_refuse = 77;

/// Exit status of `body` in a process that cannot have nameless files.
int status_without_nameless_files(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (!refuse_nameless_files()) _exit(cannot_refuse);
    if (open("/tmp", O_TMPFILE | O_WRONLY, 0600) >= 0) _exit(2);
    try {
      body();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  (void)waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ReplaceFile, WorksWhereNoFileIsWithoutAName) {
  const Folder folder;
  const auto path = folder / "rows.csv";
  std::ofstream(path) << "old";
  std::filesystem::permissions(path, std::filesystem::perms(0640));

  const int status = status_without_nameless_files([&] { replace_file(path, "new"); });

  if (status == cannot_refuse) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(files_in(folder / ""), 1U);
}

TEST(ReplaceFile, LeavesNothingWhereItFailsWithoutNamelessFiles) {
  const Folder folder;
  const auto path = folder / "rows.csv";
  std::filesystem::create_directory(path);

  const int status = status_without_nameless_files([&] { replace_file(path, "new"); });

  if (status == cannot_refuse) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_EQ(status, 1);
  EXPECT_EQ(files_in(folder / ""), 1U);
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

}  // namespace
}  // namespace damocles::output_file_test
