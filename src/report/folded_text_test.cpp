#include "report/folded_text.h"

#include <gtest/gtest.h>

namespace drover::report {
namespace {

std::string folded(const std::string& text) {
  std::string out;
  append_folded(out, text);
  return out;
}

TEST(FoldedTextTest, LongTextIsFoldedAtBlanks) {
  EXPECT_EQ(folded("a short line"), "a short line\n");
  const std::string words = std::string(60, 'a') + " " + std::string(39, 'b');
  EXPECT_EQ(folded(words), words + "\n");  // exactly as wide as a line may be
  EXPECT_EQ(folded(words + "b"), std::string(60, 'a') + "\n  " + std::string(40, 'b') + "\n");
  EXPECT_EQ(folded(std::string(150, 'x')),
            std::string(100, 'x') + "\n  " + std::string(50, 'x') + "\n");
  EXPECT_EQ(folded(""), "");
}

}  // namespace
}  // namespace drover::report
