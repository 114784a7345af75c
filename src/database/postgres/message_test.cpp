#include "database/postgres/message.h"

#include <gtest/gtest.h>

namespace drover::database::postgres {
namespace {

TEST(Message, IsEmptyForANullPointer) {
  EXPECT_EQ(one_line(nullptr), "");
  EXPECT_EQ(one_line("FATAL:  no\n\tsuch  thing \n"), "FATAL: no such thing");
}

}  // namespace
}  // namespace drover::database::postgres
