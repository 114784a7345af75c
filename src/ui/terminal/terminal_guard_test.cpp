#include "ui/terminal/terminal_guard.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "ui/terminal/pseudo_terminal_test.h"

namespace drover::ui {
namespace {

constexpr tcflag_t shown_keys = ICANON | ECHO;

// Takes the terminal as the screen does.
void take_terminal(int fd, TerminalGuard& guard) {
  termios before{};
  tcgetattr(fd, &before);
  termios screen = before;
  screen.c_lflag &= ~shown_keys;
  tcsetattr(fd, TCSANOW, &screen);
  tcgetattr(fd, &screen);
  guard.begin(before, screen);
}

class TerminalGuardTest : public testing::Test {
 protected:
  TerminalGuardTest() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
      stray_.reset(ends[0]);
      stray_write_.reset(ends[1]);
    }
  }

  bool keys_are_shown() const { return (terminal_.modes().c_lflag & shown_keys) == shown_keys; }

  // In a process of its own: makes a guard, takes the terminal and ends by `end`.
  template <class End>
  void end_a_process(End end) {
    const pid_t pid = fork();
    if (pid == 0) {
      TerminalGuard guard(terminal_.terminal(), terminal_.terminal(), stray_.get(), "<left>");
      take_terminal(terminal_.terminal(), guard);
      end();
      _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
  }

  PseudoTerminal terminal_;
  file::FileDescriptor stray_;
  file::FileDescriptor stray_write_;
};

TEST_F(TerminalGuardTest, PutsTheTerminalInOrderAfterAKill) {
  end_a_process([] { raise(SIGKILL); });
  EXPECT_EQ(terminal_.shown_until("<left>"), "<left>");
  EXPECT_TRUE(keys_are_shown());
}

TEST_F(TerminalGuardTest, PutsTheTerminalInOrderAfterExit) {
  end_a_process([] { _exit(130); });
  EXPECT_EQ(terminal_.shown_until("<left>"), "<left>");
  EXPECT_TRUE(keys_are_shown());
}

TEST_F(TerminalGuardTest, ShowsWhatWasSaidAtLast) {
  end_a_process([this] {
    const std::string text = "assertion failed\x1b[2J\n";
    (void)!write(stray_write_.get(), text.data(), text.size());
    raise(SIGKILL);
  });
  const std::string text = terminal_.shown_until("\n");
  EXPECT_EQ(text, "<left>assertion failed [2J\r\n");
}

TEST_F(TerminalGuardTest, LeavesATerminalAloneThatIsInOrder) {
  {
    TerminalGuard guard(terminal_.terminal(), terminal_.terminal(), stray_.get(), "<left>");
    take_terminal(terminal_.terminal(), guard);
    guard.end();
  }
  EXPECT_EQ(terminal_.shown(), "");
  EXPECT_FALSE(keys_are_shown());  // it was not asked to
}

TEST_F(TerminalGuardTest, PutsInOrderWhatItsOwnerLeaves) {
  {
    TerminalGuard guard(terminal_.terminal(), terminal_.terminal(), stray_.get(), "<left>");
    take_terminal(terminal_.terminal(), guard);
  }
  EXPECT_EQ(terminal_.shown_until("<left>"), "<left>");
  EXPECT_TRUE(keys_are_shown());
}

// A shell that has taken over has its own modes.
TEST_F(TerminalGuardTest, LeavesModesOfOthersAlone) {
  {
    TerminalGuard guard(terminal_.terminal(), terminal_.terminal(), stray_.get(), "<left>");
    take_terminal(terminal_.terminal(), guard);
    termios shell = terminal_.modes();
    shell.c_lflag &= ~static_cast<tcflag_t>(ISIG);
    tcsetattr(terminal_.terminal(), TCSANOW, &shell);
  }
  EXPECT_EQ(terminal_.shown_until("<left>"), "<left>");
  EXPECT_FALSE(keys_are_shown());
}

// Otherwise what reads from us would wait for the guard, and locks would outlive us.
TEST_F(TerminalGuardTest, HoldsNothingElseOpen) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  file::FileDescriptor read_end(ends[0]);
  file::FileDescriptor write_end(ends[1]);
  TerminalGuard guard(terminal_.terminal(), terminal_.terminal(), stray_.get(), "");
  write_end.reset();
  pollfd readable{.fd = read_end.get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&readable, 1, 20'000), 1);
  char byte = 0;
  EXPECT_EQ(read(read_end.get(), &byte, 1), 0);
}

TEST_F(TerminalGuardTest, IsNoChildWhenItIsOver) {
  {
    const TerminalGuard guard(terminal_.terminal(), terminal_.terminal(), stray_.get(), "");
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace drover::ui
