#include "run/needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <stdexcept>

namespace drover::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// As long as it lives.
class Limited {
 public:
  Limited(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    getrlimit(resource_, &before_);
    rlimit limit = before_;
    limit.rlim_cur = value;
    setrlimit(resource_, &limit);
  }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
  ~Limited() { setrlimit(resource_, &before_); }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

TEST(Needs, DescriptorsThatAreThereAreEnough) {
  const Limited limit(RLIMIT_NOFILE, 64);
  EXPECT_NO_THROW(require_descriptors(DatabaseKind::postgres, 10, 2));
}

TEST(Needs, TooFewDescriptorsAreCounted) {
  const Limited limit(RLIMIT_NOFILE, 64);
  EXPECT_THAT([] { require_descriptors(DatabaseKind::postgres, 100, 4); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("100 connections on 4 threads"), HasSubstr("may open only 64"),
                        HasSubstr("ulimit -n"), HasSubstr("fewer connections"))));
}

TEST(Needs, MemoryIsReadFromTheKernelsText) {
  EXPECT_EQ(parse_memory_available("MemTotal:  9 kB\nMemAvailable:   2048 kB\n"), 2U << 20);
  EXPECT_EQ(parse_memory_available("MemTotal:  9 kB\n"), std::nullopt);
  EXPECT_EQ(parse_memory_available("MemAvailable:   lots\n"), std::nullopt);
}

TEST(Needs, ThreadsWhoseStacksDoNotFitAreRefusedWithBothFigures) {
  EXPECT_NO_THROW(require_address_space_for_threads(1'000'000)) << "without a limit";
  const Limited limit(RLIMIT_AS, rlim_t{1} << 60);  // a sanitizer has mapped terabytes
  EXPECT_NO_THROW(require_address_space_for_threads(2));
  EXPECT_THAT([] { require_address_space_for_threads(std::size_t{1} << 40); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("1099511627776 threads"), HasSubstr("GiB of address space"),
                        HasSubstr("ulimit -v"), HasSubstr("fewer threads"))));
}

TEST(Needs, TerminalsThatDoNotFitAreRefusedWithBothFigures) {
  EXPECT_NO_THROW(require_memory_for_terminals(10));
  EXPECT_GT(memory_available(), 0U);
  EXPECT_THAT(
      [] { require_memory_for_terminals(std::size_t{1} << 50); },
      ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("GiB of memory"), HasSubstr("available"),
                                              HasSubstr("fewer terminals or clients"))));
}

}  // namespace
}  // namespace drover::run
