#include "database/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace drover::database {
namespace {

TEST(ErrorClass, FollowsTheSqlstate) {
  EXPECT_EQ(classify_sqlstate("40001"), ErrorClass::retryable);
  EXPECT_EQ(classify_sqlstate("40P01"), ErrorClass::retryable);
  EXPECT_EQ(classify_sqlstate("40002"), ErrorClass::statement);
  EXPECT_EQ(classify_sqlstate("40003"), ErrorClass::ambiguous_commit);
  EXPECT_EQ(classify_sqlstate("08007"), ErrorClass::ambiguous_commit);
  EXPECT_EQ(classify_sqlstate("25P03"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("57P05"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("57P02"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("25006"), ErrorClass::unavailable);
  EXPECT_EQ(classify_sqlstate("25P02"), ErrorClass::statement);
  EXPECT_EQ(classify_sqlstate("57P04"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("42501"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("57014"), ErrorClass::timed_out);
  EXPECT_EQ(classify_sqlstate("55P03"), ErrorClass::timed_out);
  EXPECT_EQ(classify_sqlstate("57P01"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("57P03"), ErrorClass::unavailable);
  EXPECT_EQ(classify_sqlstate("08006"), ErrorClass::connection_lost);
  EXPECT_EQ(classify_sqlstate("53300"), ErrorClass::unavailable);
  EXPECT_EQ(classify_sqlstate("28P01"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("3D000"), ErrorClass::denied);
  EXPECT_EQ(classify_sqlstate("42P01"), ErrorClass::statement);
  EXPECT_EQ(classify_sqlstate(""), ErrorClass::statement);
}

TEST(ErrorClass, HasANameEach) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < error_class_count; ++i) {
    names.insert(error_class_name(static_cast<ErrorClass>(i)));
  }
  EXPECT_EQ(names.size(), error_class_count);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_EQ(error_class_name(ErrorClass::timed_out), "timeout");
  EXPECT_EQ(error_class_name(static_cast<ErrorClass>(error_class_count)), "unknown");
}

}  // namespace
}  // namespace drover::database
