#include "database/ydb/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "support/temporary_folder.h"

namespace drover::database::ydb {
namespace {

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
