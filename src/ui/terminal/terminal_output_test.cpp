#include "ui/terminal/terminal_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "file/file_descriptor.h"
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

using testing::ElementsAre;

// The error stream of this program into a file, for as long as it lives.
class CapturedErrors {
 public:
  CapturedErrors() : file_(std::tmpfile()), before_(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    dup2(fileno(file_), STDERR_FILENO);
  }
  ~CapturedErrors() {
    std::fflush(stderr);
    dup2(before_.get(), STDERR_FILENO);
    std::fclose(file_);
  }
  std::string text() const {
    std::array<char, 65536> text{};
    const ssize_t count = pread(fileno(file_), text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(count)};
  }

 private:
  std::FILE* file_;
  file::FileDescriptor before_;
};

TEST(StrayOutput, TakesLinesAndGivesThemBack) {
  const CapturedErrors errors;
  {
    StrayOutput stray;
    stray.capture();
    std::fputs("one\ntwo\nth", stderr);
    EXPECT_THAT(stray.take(), ElementsAre("one", "two"));
    std::fputs("ree\n", stderr);
    EXPECT_THAT(stray.take(), ElementsAre("three"));
    std::fputs("not ended", stderr);
    EXPECT_EQ(errors.text(), "");
  }
  EXPECT_EQ(errors.text(), "one\ntwo\nthree\nnot ended\n");
}

TEST(StrayOutput, NobodyWaitsForIt) {
  const CapturedErrors errors;
  {
    StrayOutput stray;
    stray.capture();
    // More than a pipe holds, with nobody at the other end.
    for (int i = 0; i < 20'000; ++i)
      std::fputs("a line of forty characters, more or less\n", stderr);
    EXPECT_EQ(stray.take().size(), StrayOutput::lines_most);
  }
  EXPECT_THAT(errors.text(), testing::HasSubstr("more lines were dropped)"));
}

TEST(StrayOutput, IsNothingBeforeItCaptures) {
  const CapturedErrors errors;
  {
    const StrayOutput stray;
    std::fputs("said\n", stderr);
  }
  EXPECT_EQ(errors.text(), "said\n");
}

}  // namespace
}  // namespace drover::ui
