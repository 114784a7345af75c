#include "cli/standard_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
