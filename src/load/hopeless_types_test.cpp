#include "load/availability.h"

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

// Reports `failures` failures, one per second. Returns true if the last one makes the type
// hopeless.
bool fail(HopelessTypes& types, int failures, const char* sqlstate, Instant begin = {}) {
  bool last = false;
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
  EXPECT_FALSE(fail(types, 9, "0A000"));
  EXPECT_TRUE(types.failed(scan, error_of("0A000"), Instant(9s)));
  EXPECT_TRUE(types.failed(scan, error_of("0A000"), Instant(10s)));
}

TEST(HopelessTypes, ManyFailuresAtOnceAreNotEnough) {
  HopelessTypes types;
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_FALSE(types.failed(scan, error_of("0A000"), Instant(4'999ms)));
  }
  EXPECT_FALSE(types.failed(scan, error_of("0A000"), Instant(9'998ms)));
  EXPECT_TRUE(types.failed(scan, error_of("0A000"), Instant(9'999ms)));
}

TEST(HopelessTypes, OneSuccessIsHopeForGood) {
  HopelessTypes types;
  types.succeeded(scan);
  EXPECT_FALSE(fail(types, 100, "0A000"));
  EXPECT_FALSE(types.failed(scan + 1, error_of("0A000"), Instant(0s))) << "counted apart";
}

TEST(HopelessTypes, AnotherErrorStartsTheCountAgain) {
  for (const char* other : {"40001", "22012", "", "42P01"}) {
    HopelessTypes types;
    EXPECT_FALSE(fail(types, 9, "0A000"));
    EXPECT_FALSE(types.failed(scan, error_of(other), Instant(9s))) << other;
    EXPECT_FALSE(fail(types, 9, "0A000", Instant(10s))) << other;
    EXPECT_TRUE(types.failed(scan, error_of("0A000"), Instant(19s))) << other;
  }
}

}  // namespace
}  // namespace drover::load
