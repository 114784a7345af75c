#include "cli/tpcc/check_report.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace drover::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(CheckProgressLine, SaysHowFarItIs) {
  EXPECT_EQ(CheckProgressLine::text({0, 200, "100,000 items", {}}),
            "checked 0%, now: 100,000 items");
  EXPECT_EQ(CheckProgressLine::text({25, 200, "one row per warehouse", milliseconds(61'001)}),
            "checked 12%, 1:02 left, now: one row per warehouse");
  EXPECT_EQ(CheckProgressLine::text({200, 200, {}, seconds(3600)}), "checked 100%, 1:00:00 left");
  const std::string cut = CheckProgressLine::text({1, 2, std::string(100, 'x'), seconds(1)});
  EXPECT_EQ(cut.size(), 79U);
  EXPECT_TRUE(cut.ends_with("x...")) << cut;
}

// Until the other end is closed: a terminal hands on what is written to it a little later.
std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t size = read(descriptor, buffer.data(), buffer.size());
    if (size <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

// A terminal of its own: what is written to the inner end is read at the outer one.
TEST(CheckProgressLine, OverwritesItselfOnATerminalAndIsGoneAtTheEnd) {
  const int outer = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(outer, 0);
  ASSERT_EQ(grantpt(outer), 0);
  ASSERT_EQ(unlockpt(outer), 0);
  std::FILE* inner = std::fopen(ptsname(outer), "w");
  ASSERT_NE(inner, nullptr);
  {
    CheckProgressLine line(inner);
    line.show({0, 2, "ab", {}});
    line.show({1, 2, "c", {}});
  }
  std::fclose(inner);
  const std::string first = "checked 0%, now: ab";
  const std::string second = "checked 50%, now: c";
  EXPECT_EQ(all_of(outer), "\r" + first + "\r" + first + "\r" + second + "\r" + second + "\r" +
                               std::string(second.size(), ' ') + "\r");
  close(outer);
}

TEST(CheckProgressLine, WritesNothingElsewhere) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  std::FILE* in = fdopen(pipe_ends[1], "w");
  {
    CheckProgressLine line(in);
    line.show({0, 2, "ab", {}});
  }
  std::fclose(in);
  EXPECT_EQ(all_of(pipe_ends[0]), "");
  close(pipe_ends[0]);
}

}  // namespace
}  // namespace drover::cli
