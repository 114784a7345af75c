#include "database/ydb/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace drover::database::ydb {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string problem_of(std::string_view text) {
  try {
    parse_target(text);
  } catch (const TargetError& error) {
    return error.what();
  }
  return "";
}

TEST(Target, IsHostPortAndDatabase) {
  const Target target = parse_target("ydb://db.example.org:2200/Root/bench/");
  EXPECT_EQ(target.host, "db.example.org");
  EXPECT_EQ(target.port, 2200);
  EXPECT_EQ(target.database, "/Root/bench");
  EXPECT_FALSE(target.tls);
  EXPECT_EQ(target.authority(), "db.example.org:2200");
  EXPECT_EQ(target.url(), "ydb://db.example.org:2200/Root/bench");
}

TEST(Target, HasAPortForEachScheme) {
  EXPECT_EQ(parse_target("ydb://h/local").authority(), "h:2136");
  const Target secure = parse_target("ydbs://h/local");
  EXPECT_EQ(secure.authority(), "h:2135");
  EXPECT_TRUE(secure.tls);
  EXPECT_EQ(secure.url(), "ydbs://h:2135/local");
}

TEST(Target, MayBeAnAddressOfIPv6) {
  EXPECT_EQ(parse_target("ydb://[::1]:2136/local").authority(), "[::1]:2136");
  EXPECT_EQ(parse_target("ydb://[fe80::1]/local").host, "fe80::1");
  EXPECT_THAT(problem_of("ydb://::1/local"), HasSubstr("brackets"));
  EXPECT_THAT(problem_of("ydb://[::1/local"), HasSubstr("closing bracket"));
  EXPECT_THAT(problem_of("ydb://[::1]2136/local"),
              HasSubstr("the text in brackets is not an IPv6 address. Expected [address]:port"));
}

TEST(Target, SaysWhatIsWrong) {
  EXPECT_THAT(problem_of("postgres://h/x"), HasSubstr("expected ydb://"));
  EXPECT_THAT(problem_of("ydb://"), HasSubstr("host is missing"));
  EXPECT_THAT(problem_of("ydb:///Root"), HasSubstr("host is missing"));
  EXPECT_THAT(problem_of("ydb://h"), HasSubstr("database is missing"));
  EXPECT_THAT(problem_of("ydb://h//"), HasSubstr("database is missing"));
  EXPECT_THAT(problem_of("ydb://h//x"), HasSubstr("not the path"));
  EXPECT_THAT(problem_of("ydb://h:0/Root"), HasSubstr("port"));
  EXPECT_THAT(problem_of("ydb://h:65536/Root"), HasSubstr("65535"));
  EXPECT_THAT(problem_of("ydb://h:/Root"), HasSubstr("port"));
  EXPECT_THAT(problem_of("ydb://h:2136x/Root"), HasSubstr("port"));
  EXPECT_THAT(problem_of("ydb://h/Root?database=x"), HasSubstr("options"));
  EXPECT_THAT(problem_of("ydb://h/Ro ot"), HasSubstr("space"));
  EXPECT_THAT(problem_of("ydb://h/Root\n"), HasSubstr("control"));
  EXPECT_THAT(problem_of("ydb://" + std::string(300, 'h') + "/Root"), HasSubstr("255"));
  EXPECT_THAT(problem_of("ydb://h/" + std::string(2000, 'd')), HasSubstr("not the path"));
}

TEST(Target, RefusesSecretsWithoutQuotingThem) {
  for (const char* text : {"ydb://tester:Pa55@h/Root", "ydb://Pa55@h/Root",
                           "ydb://t:a/Pa55@h:1/Root", "ydb://h:Pa55@/Root"}) {
    EXPECT_THAT(problem_of(text), HasSubstr("YDB_PASSWORD")) << text;
    EXPECT_THAT(problem_of(text), Not(HasSubstr("Pa55"))) << text;
  }
}

TEST(Target, IsToldByItsScheme) {
  EXPECT_TRUE(is_ydb_url("ydb://h/x"));
  EXPECT_TRUE(is_ydb_url("ydbs://h/x"));
  EXPECT_FALSE(is_ydb_url("ydbx://h/x"));
  EXPECT_FALSE(is_ydb_url("postgresql://h/x"));
}

}  // namespace
}  // namespace drover::database::ydb
