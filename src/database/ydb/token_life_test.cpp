#include "database/ydb/token_life.h"

#include <gtest/gtest.h>

namespace drover::database::ydb {
namespace {

using namespace std::chrono_literals;

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
