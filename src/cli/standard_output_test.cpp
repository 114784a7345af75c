#include "cli/standard_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace drover::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

TEST(StandardOutput, AFullDiskIsAnErrorThatNamesWhatIsLostAndWhy) {
  const std::unique_ptr<std::FILE, Close> full(std::fopen("/dev/full", "w"));
  ASSERT_NE(full, nullptr);
  // Short and long: the one fails when it is flushed, the other when it is written.
  for (const std::string& text : {std::string("a line\n"), std::string(100'000, 'x')}) {
    EXPECT_THAT([&] { print(full.get(), text, "the report"); },
                ThrowsMessage<std::runtime_error>(AllOf(
                    HasSubstr("the report"), HasSubstr("standard output"), HasSubstr("No space"))));
  }
}

TEST(StandardOutput, NotesOfOtherProgramsDoNotActUponTheTerminal) {
  testing::internal::CaptureStderr();
  note_to_stderr("mpirun: \x1b[2Jgone");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "mpirun:  [2Jgone\n");
}

TEST(StandardOutput, NotesThatNobodyReadsAreNoErrors) {
  const int before = dup(STDERR_FILENO);
  const int full = open("/dev/full", O_WRONLY);
  dup2(full, STDERR_FILENO);
  EXPECT_NO_THROW(note_to_stderr("a line"));
  dup2(before, STDERR_FILENO);
  close(full);
  close(before);
}

TEST(StandardOutput, WhatFailsDoesNotCostTheRest) {
  std::string done;
  const auto step = [&done](char name) { return [&done, name] { done += name; }; };
  const auto failing = [](const char* text) { return [text] { throw std::runtime_error(text); }; };
  write_each({step('a'), step('b')});
  EXPECT_THAT([&] { write_each({failing("first"), step('c'), failing("second"), step('d')}); },
              ThrowsMessage<std::runtime_error>("first"));
  EXPECT_EQ(done, "abcd");
}

}  // namespace
}  // namespace drover::cli
