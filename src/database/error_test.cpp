#include "database/error.h"

#include <gtest/gtest.h>

namespace drover::database {
namespace {

TEST(ErrorClass, FollowsTheSqlstate) {
  EXPECT_EQ(classify_sqlstate("40001"), ErrorClass::retryable);
  EXPECT_EQ(classify_sqlstate("40P01"), ErrorClass::retryable);
  EXPECT_EQ(classify_sqlstate("40003"), ErrorClass::statement);
  EXPECT_EQ(classify_sqlstate("57P01"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("57P03"), ErrorClass::unavailable);
  EXPECT_EQ(classify_sqlstate("08006"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("53300"), ErrorClass::unavailable);
  EXPECT_EQ(classify_sqlstate("28P01"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("3D000"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("42P01"), ErrorClass::statement);
  EXPECT_EQ(classify_sqlstate(""), ErrorClass::statement);
}

}  // namespace
}  // namespace drover::database
