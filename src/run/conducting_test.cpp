#include "run/conducting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/clock.h"

namespace drover::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Conducting, SaysForWhomItWaitsAndThenThatTheyDidNotCome) {
  ranks::Conductor conductor({{"a", "b"}, {"127.0.0.1", 0}, "drover 1"});
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  std::vector<std::string> notes;
  const auto wait = [&]() -> coro::Task<void> {
    co_await all_here(conductor, [&](std::string_view line) { notes.emplace_back(line); });
  };
  try {
    coro::block_on(worker, wait());
    FAIL() << "they came";
  } catch (const ranks::RankLost& lost) {
    EXPECT_THAT(lost.what(), HasSubstr("hosts a, b: the host did not join within 120 s"));
  }
  EXPECT_THAT(notes, ElementsAre(HasSubstr("waiting for a, b to join at 127.0.0.1:")));
}

TEST(Conducting, OfManyThatAreMissingSomeAreNamed) {
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) names.push_back("h" + std::to_string(i));
  ranks::Conductor conductor({names, {"127.0.0.1", 0}, "drover 1"});
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  std::string note;
  const auto wait = [&]() -> coro::Task<void> {
    co_await all_here(conductor, [&](std::string_view line) { note = line; });
  };
  EXPECT_THROW(coro::block_on(worker, wait()), ranks::RankLost);
  EXPECT_THAT(note, HasSubstr("h6, h7 and 2 more to join at "));
}

TEST(Conducting, AnotherDatabaseIsRefusedAndOneThatIsNotKnownIsNot) {
  EXPECT_NO_THROW(require_same_database("server 1", "server 1"));
  EXPECT_NO_THROW(require_same_database("", "server 1"));
  EXPECT_NO_THROW(require_same_database("server 1", ""));
  EXPECT_THROW(require_same_database("server 1", "server 2"), std::runtime_error);
}

}  // namespace
}  // namespace drover::run
