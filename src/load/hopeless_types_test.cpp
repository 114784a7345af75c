#include "load/hopeless_types.h"

#include <gtest/gtest.h>

#include <chrono>

namespace drover::load {
namespace {

using namespace std::chrono_literals;
using coro::Instant;
using database::Error;
using database::ErrorClass;

constexpr std::size_t scan = 3;

Error error_of(const char* sqlstate, ErrorClass error_class = ErrorClass::statement) {
  return {error_class, sqlstate, "refused"};
}

// Returns the count of the last of `failures` failures, which are a second apart.
std::uint64_t fail(HopelessTypes& types, int failures, const char* sqlstate, Instant begin = {}) {
  std::uint64_t last = 0;
  for (int i = 0; i < failures; ++i) last = types.failed(scan, error_of(sqlstate), begin + i * 1s);
  return last;
}

TEST(HopelessTypes, LastingErrorsAreThoseOfTheStatementItself) {
  for (const char* sqlstate :
       {"0A000", "42601", "42P01", "42703", "3F000", "SCHEME_ERROR", "UNSUPPORTED"}) {
    EXPECT_TRUE(is_lasting(error_of(sqlstate))) << sqlstate;
  }
  for (const char* sqlstate :
       {"", "22012", "23505", "40001", "53100", "XX000", "42", "4200000", "GENERIC_ERROR"}) {
    EXPECT_FALSE(is_lasting(error_of(sqlstate))) << sqlstate;
  }
  EXPECT_FALSE(is_lasting(error_of("0A000", ErrorClass::retryable)));
}

TEST(HopelessTypes, ATypeThatFailsFromTheStartInTheSameWay) {
  HopelessTypes types;
  EXPECT_EQ(fail(types, 9, "0A000"), 0U);
  EXPECT_EQ(types.failed(scan, error_of("0A000"), Instant(9s)), 10U);
  EXPECT_EQ(types.failed(scan, error_of("0A000"), Instant(10s)), 11U);
}

TEST(HopelessTypes, ManyFailuresAtOnceAreNotEnough) {
  HopelessTypes types;
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_EQ(types.failed(scan, error_of("0A000"), Instant(4'999ms)), 0U);
  }
  EXPECT_EQ(types.failed(scan, error_of("0A000"), Instant(9'998ms)), 0U);
  EXPECT_EQ(types.failed(scan, error_of("0A000"), Instant(9'999ms)), 1'002U);
}

TEST(HopelessTypes, OneSuccessIsHopeForGood) {
  HopelessTypes types;
  types.succeeded(scan);
  EXPECT_EQ(fail(types, 100, "0A000"), 0U);
  EXPECT_EQ(types.failed(scan + 1, error_of("0A000"), Instant(0s)), 0U) << "counted apart";
}

TEST(HopelessTypes, AnotherErrorStartsTheCountAgain) {
  for (const char* other : {"40001", "22012", "", "42P01"}) {
    HopelessTypes types;
    EXPECT_EQ(fail(types, 9, "0A000"), 0U);
    EXPECT_EQ(types.failed(scan, error_of(other), Instant(9s)), 0U) << other;
    EXPECT_EQ(fail(types, 9, "0A000", Instant(10s)), 0U) << other;
    EXPECT_EQ(types.failed(scan, error_of("0A000"), Instant(19s)), 10U) << other;
  }
}

}  // namespace
}  // namespace drover::load
