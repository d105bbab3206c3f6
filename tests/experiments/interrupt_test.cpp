#include "experiments/interrupt.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace damocles::interrupt_test {
namespace {

/// How a child of a program that ends on interrupts ends after `signals`, as waitpid says it; 0
/// where they did not end it. All that either said goes into `said`.
int status_after(std::initializer_list<int> signals, std::string& rules) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  std::array<int, 2> answer{};
  EXPECT_EQ(pipe(answer.data()), 0);
  const pid_t program = fork();
  if (program == 0) {
    dup2(ends[1], STDERR_FILENO);
    std::signal(SIGHUP, SIG_IGN);  // as nohup does
    end_on_interrupt();
    const pid_t child = fork_in_silence();
    if (child == 0) {
      for (const int signal : signals) raise(signal);
      _exit(0);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    _exit(write(answer[1], &status, sizeof status) == sizeof status ? 0 : 1);
  }
  close(ends[1]);
  (void)waitpid(program, nullptr, 0);
  std::array<char, 256> text{};
  rules.assign(text.data(), static_cast<std::size_t>(read(ends[0], text.data(), text.size())));
  int status = -1;
  EXPECT_EQ(read(answer[0], &status, sizeof status), sizeof status);
  for (const int end : {ends[0], answer[0], answer[1]}) close(end);
  return status;
}

TEST(ForkInSilence, LeavesTheWordToTheProgram) {
  std::string rules;
  const int status = status_after({SIGINT, SIGTERM}, rules);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_EQ(rules, "");
}

TEST(ForkInSilence, LeavesIgnoredWhatIsIgnored) {
  std::string rules;
  EXPECT_EQ(status_after({SIGINT, SIGHUP}, rules), 0);
  EXPECT_EQ(rules, "");
}

}  // namespace
}  // namespace damocles::interrupt_test
