#include "database/ydb/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include "support/temporary_folder.h"

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

using namespace std::chrono_literals;

using testing::HasSubstr;
using testing::Not;

class CredentialsTest : public testing::Test {
 protected:
  Credentials find(const CredentialOptions& options = {}) const {
    return find_credentials(options, [this](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found != variables.end() ? found->second.c_str() : nullptr;
    });
  }

  std::string problem(const CredentialOptions& options = {}) const {
    try {
      find(options);
    } catch (const TargetError& error) {
      return error.what();
    }
    return "";
  }

  std::string file(const std::string& name, const std::string& text) const {
    const auto path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  std::map<std::string, std::string> variables;
  test::TemporaryFolder folder;
};

TEST_F(CredentialsTest, AreAnonymousWithoutAny) {
  const Credentials credentials = find();
  EXPECT_EQ(credentials.token, "");
  EXPECT_EQ(credentials.user, "");
}

TEST_F(CredentialsTest, TakeATokenFromAVariableOrAFile) {
  variables["YDB_TOKEN"] = " from-the-variable ";
  EXPECT_EQ(find().token, "from-the-variable");
  variables["YDB_TOKEN_FILE"] = file("token", "from-the-file\n");
  EXPECT_EQ(find().token, "from-the-file");
  EXPECT_EQ(find({.token_file = file("other", "from-the-option"), .ca_file = {}}).token,
            "from-the-option");
}

TEST_F(CredentialsTest, TakeAUser) {
  variables["YDB_USER"] = "tester";
  variables["YDB_PASSWORD"] = "Pa55";
  const Credentials credentials = find();
  EXPECT_EQ(credentials.user, "tester");
  EXPECT_EQ(credentials.password, "Pa55");
  variables["YDB_TOKEN"] = "token";
  EXPECT_TRUE(find().user.empty()) << "a token comes first";
  EXPECT_TRUE(find().password.empty());
}

TEST_F(CredentialsTest, SayWhatIsWrongWithoutTheSecret) {
  variables["YDB_PASSWORD"] = "Pa55";
  EXPECT_THAT(problem(), HasSubstr("YDB_USER is not"));
  EXPECT_THAT(problem(), Not(HasSubstr("Pa55")));
  variables["YDB_TOKEN"] = "Pa55\nx-header: 1";
  EXPECT_THAT(problem(), HasSubstr("YDB_TOKEN"));
  EXPECT_THAT(problem(), Not(HasSubstr("Pa55")));
  variables["YDB_TOKEN"] = " \n";
  EXPECT_THAT(problem(), HasSubstr("empty"));
  variables["YDB_TOKEN"] = std::string(65'537, 'x');
  EXPECT_THAT(problem(), HasSubstr("longer than 65536"));
}

TEST_F(CredentialsTest, SayWhichFileCannotBeRead) {
  EXPECT_THAT(problem({.token_file = "/does/not/exist", .ca_file = {}}),
              HasSubstr("/does/not/exist: No such file"));
  EXPECT_THAT(problem({.token_file = folder.path().string(), .ca_file = {}}),
              HasSubstr("cannot read"));
  EXPECT_THAT(problem({.token_file = file("empty", ""), .ca_file = {}}), HasSubstr("empty"));
  EXPECT_THAT(problem({.token_file = file("long", std::string(100'000, 'x')), .ca_file = {}}),
              HasSubstr("longer"));
}

TEST_F(CredentialsTest, TakeCertificates) {
  const std::string pem = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
  variables["YDB_SSL_ROOT_CERTIFICATES_FILE"] = file("ca.pem", pem);
  EXPECT_EQ(find().ca_pem, pem);
  EXPECT_THAT(problem({.token_file = {}, .ca_file = file("no.pem", "hello")}),
              HasSubstr("no certificate"));
}

// The middle part is {"exp":1700003600}, in Base64 for URLs.
constexpr const char* token = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3MDAwMDM2MDB9.c2lnbmF0dXJl";

TEST(TokenLife, IsHalfOfWhatIsLeft) {
  EXPECT_EQ(renew_token_after(token, 1'700'000'000), 1800s);
  EXPECT_EQ(renew_token_after(token, 1'700'003'000), 300s);
}

TEST(TokenLife, HasBounds) {
  EXPECT_EQ(renew_token_after(token, 1'700'003'599), 10s);
  EXPECT_EQ(renew_token_after(token, 1'800'000'000), 10s);
  EXPECT_EQ(renew_token_after(token, 0), 12h);
}

TEST(TokenLife, IsAnHourWhereTheTokenDoesNotSay) {
  for (const char* other : {"", "opaque", "a.b", "a.!.c", "a.bm8ganNvbg.c", "..", "a.W10.c"}) {
    EXPECT_EQ(renew_token_after(other, 1'700'000'000), 1h) << other;
  }
}

}  // namespace
}  // namespace drover::database::ydb
