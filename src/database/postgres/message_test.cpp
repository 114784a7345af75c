#include "database/postgres/connection.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::database::postgres {
namespace {

TEST(Message, IsEmptyForANullPointer) {
  EXPECT_EQ(one_line(nullptr), "");
  EXPECT_EQ(one_line("FATAL:  no\n\tsuch  thing \n"), "FATAL: no such thing");
}

TEST(Message, SaysNothingTwice) {
  EXPECT_EQ(one_line("server closed the connection unexpectedly\n\tThis probably means\n"
                     "server closed the connection unexpectedly\n\tThis probably means\n"),
            "server closed the connection unexpectedly. This probably means");
  EXPECT_EQ(one_line("a\nb\na\nc"), "a b c");
  EXPECT_LT(one_line(std::string(100'000, 'x').c_str()).size(), 5'000U);
}

}  // namespace
}  // namespace drover::database::postgres
