#include "ui/terminal/terminal_output.h"

#include <gtest/gtest.h>

#include "ui/terminal/pseudo_terminal_test.h"

namespace drover::ui {
namespace {

using namespace std::chrono_literals;

TEST(TerminalOutput, OpensTheTerminalWithoutTouchingTheOther) {
  const PseudoTerminal terminal;
  const file::FileDescriptor own = open_terminal_of(terminal.terminal());
  EXPECT_NE(fcntl(own.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(fcntl(terminal.terminal(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(TerminalOutput, NoTerminalIsAnError) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const file::FileDescriptor read_end(ends[0]);
  const file::FileDescriptor write_end(ends[1]);
  // The link of a pipe can be opened; that of nothing cannot.
  EXPECT_THROW(open_terminal_of(9999), std::runtime_error);
}

TEST(TerminalOutput, KeepsWhatTheTerminalDoesNotTake) {
  PseudoTerminal terminal;
  const file::FileDescriptor own = open_terminal_of(terminal.terminal());
  TerminalOutput output(own.get());
  output.write("first");
  EXPECT_FALSE(output.pending());
  ASSERT_EQ(tcflow(terminal.terminal(), TCOOFF), 0);
  const std::string picture(10'000, 'x');
  output.write(picture);
  output.write("last");
  EXPECT_TRUE(output.pending());
  EXPECT_FALSE(output.flush());
  EXPECT_FALSE(output.flush_within(10ms));
  EXPECT_FALSE(output.gone());
  ASSERT_EQ(tcflow(terminal.terminal(), TCOON), 0);
  std::string text;
  while (!output.flush()) text += terminal.shown();
  text += terminal.shown_until("last");
  EXPECT_EQ(text, "first" + picture + "last");
}

TEST(TerminalOutput, ATerminalThatIsGoneTakesAll) {
  file::FileDescriptor own;
  {
    const PseudoTerminal terminal;
    own = open_terminal_of(terminal.terminal());
  }
  TerminalOutput output(own.get());
  output.write("nobody reads this");
  EXPECT_TRUE(output.gone());
  EXPECT_FALSE(output.pending());
  output.write("nor this");
  EXPECT_FALSE(output.pending());
}

}  // namespace
}  // namespace drover::ui
