#include "ui/terminal/stray_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "file/file_descriptor.h"

namespace drover::ui {
namespace {

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
