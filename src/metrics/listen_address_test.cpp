#include "metrics/listen_address.h"

#include <gtest/gtest.h>

namespace drover::metrics {
namespace {

using namespace std::string_view_literals;

void expect_address(std::string_view text, std::string_view written, bool loopback) {
  const auto address = parse_listen_address(text);
  ASSERT_TRUE(address) << text;
  EXPECT_EQ(address->text(), written) << text;
  EXPECT_EQ(address->loopback, loopback) << text;
}

TEST(ListenAddress, IsThisMachineUnlessToldOtherwise) {
  expect_address("9464", "127.0.0.1:9464", true);
  expect_address(":9464", "127.0.0.1:9464", true);
  expect_address("localhost:9464", "127.0.0.1:9464", true);
  expect_address("127.0.0.1:9464", "127.0.0.1:9464", true);
  expect_address("127.1.2.3:1", "127.1.2.3:1", true);
  expect_address("[::1]:9464", "[::1]:9464", true);
  expect_address("[0:0:0:0:0:0:0:1]:9464", "[::1]:9464", true);
}

TEST(ListenAddress, MayBeReachedFromElsewhereWhenTold) {
  expect_address("0.0.0.0:9464", "0.0.0.0:9464", false);
  expect_address("192.0.2.7:9464", "192.0.2.7:9464", false);
  expect_address("[::]:9464", "[::]:9464", false);
  expect_address("[2001:DB8::7]:9464", "[2001:db8::7]:9464", false);
}

TEST(ListenAddress, OfAnyFreePort) {
  expect_address("0", "127.0.0.1:0", true);
  expect_address("[::1]:0", "[::1]:0", true);
  expect_address("65535", "127.0.0.1:65535", true);
}

TEST(ListenAddress, RefusesWhatIsNone) {
  for (const std::string_view text : {""sv,
                                      ":"sv,
                                      "127.0.0.1"sv,
                                      "127.0.0.1:"sv,
                                      "65536"sv,
                                      "-1"sv,
                                      "+9464"sv,
                                      " 9464"sv,
                                      "9464 "sv,
                                      "9464s"sv,
                                      "9464r"sv,
                                      "0x10"sv,
                                      "127.0.0.1:9464,0.0.0.0:9465"sv,
                                      "256.0.0.1:1"sv,
                                      "127.1:9464"sv,
                                      "::1:9464"sv,
                                      "[::1]"sv,
                                      "[]:9464"sv,
                                      "[::1:9464"sv,
                                      "::1]:9464"sv,
                                      "[127.0.0.1]:9464"sv,
                                      "[fe80::1%eth0]:9464"sv,
                                      "example.com:9464"sv,
                                      "unix:/tmp/x"sv,
                                      "http://127.0.0.1:9464"sv,
                                      "127.0.0.1\0:9464"sv,
                                      "9464\0"sv,
                                      "\x1b[2J:1"sv}) {
    EXPECT_FALSE(parse_listen_address(text)) << text;
  }
}

}  // namespace
}  // namespace drover::metrics
