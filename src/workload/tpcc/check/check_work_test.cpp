#include "workload/tpcc/check/check_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "coro/block_on.h"
#include "coro/clock.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"

namespace drover::tpcc {
namespace {

using coro::Task;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<Condition> two_conditions = {
    {.number = 1, .name = "1", .clause = "3.3.2.1", .title = "first"},
    {.name = "other", .title = "second"}};

// A session's judge over the condition and warehouses of a piece.
using Answer = std::function<PieceAnswer(const CheckPiece&)>;

Task<PieceAnswer> answer_after(Answer answer, CheckPiece piece, coro::Duration delay) {
  co_await coro::sleep_for(delay);
  co_return answer(piece);
}

class CheckWorkTest : public testing::Test {
 protected:
  CheckWork make(std::int32_t warehouses, std::size_t connections) {
    return CheckWork(
        two_conditions, warehouses,
        {.connections = connections, .on_progress = [this](const CheckProgress& progress) {
           told.push_back(std::string(progress.condition));
           last = progress;
         }});
  }

  // All sessions of `work`, each with its own pace: the first takes longest.
  void run(CheckWork& work, const Answer& answer) {
    coro::VirtualClock clock;
    coro::Worker worker(clock);
    coro::block_on(worker, run_all(work, answer));
  }

  static Task<void> run_all(CheckWork& work, const Answer& answer) {
    auto all = [&](coro::Scope& scope) -> Task<void> {
      for (std::size_t session = 0; session < work.sessions(); ++session) {
        const seconds delay(work.sessions() - session);
        scope.start(work.run([&answer, delay](const CheckPiece& piece) {
          return answer_after(answer, piece, delay);
        }));
      }
      co_return;
    };
    co_await coro::with_scope(all);
  }

  std::vector<std::string> told;
  CheckProgress last;
};

std::vector<std::string> keys(const Verdict& verdict) {
  std::vector<std::string> keys;
  for (const Offender& offender : verdict.first_offenders) keys.push_back(offender.key);
  return keys;
}

// Two offenders in each warehouse.
PieceAnswer two_in_each(const CheckPiece& piece) {
  PieceAnswer answer{.offenders = 2 * std::int64_t{piece.warehouses()}};
  for (std::int32_t w_id = piece.first_warehouse; w_id <= piece.last_warehouse; ++w_id) {
    for (const char letter : {'a', 'b'})
      answer.first.push_back({std::to_string(w_id) + letter, "1", "2"});
  }
  answer.first.resize(std::min<std::size_t>(answer.first.size(), 3));
  return answer;
}

TEST_F(CheckWorkTest, KeepsTheFirstOffendersWhicheverSessionFindsThem) {
  for (const std::size_t connections : {1U, 2U, 7U, 100U}) {
    CheckWork work = make(9, connections);
    run(work, [](const CheckPiece& piece) {
      return piece.condition == 0 ? two_in_each(piece) : PieceAnswer{};
    });
    const std::vector<Verdict> verdicts = work.verdicts();
    ASSERT_EQ(verdicts.size(), 2U);
    EXPECT_EQ(verdicts[0].offenders, 18);
    EXPECT_THAT(keys(verdicts[0]), ElementsAre("1a", "1b", "2a")) << connections;
    EXPECT_EQ(verdicts[0].clause, "3.3.2.1");
    EXPECT_TRUE(verdicts[1].holds());
    EXPECT_THAT(keys(verdicts[1]), IsEmpty());
  }
}

TEST_F(CheckWorkTest, AsksNoMoreOfWhatTheServerHasRefused) {
  CheckWork work = make(20, 1);
  int asked = 0;
  run(work, [&asked](const CheckPiece& piece) {
    if (piece.condition == 0) return PieceAnswer{};
    ++asked;
    return PieceAnswer{.error = "no such column"};
  });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(work.verdicts()[1].error, "no such column");
  EXPECT_FALSE(work.verdicts()[1].holds());
  EXPECT_TRUE(work.verdicts()[0].holds());
}

TEST_F(CheckWorkTest, TellsEachPieceAndTheEnd) {
  CheckWork work = make(2, 1);
  run(work, [](const CheckPiece&) { return PieceAnswer{}; });
  EXPECT_THAT(told, ElementsAre("first", "second", ""));
  EXPECT_EQ(last.done, 2U);
  EXPECT_EQ(last.total, 2U);
  EXPECT_EQ(last.left, seconds(0));
  EXPECT_GE(work.verdicts()[0].server_time, seconds(1));
  EXPECT_LT(work.verdicts()[0].server_time, seconds(2));
}

TEST_F(CheckWorkTest, APartHasItsPiecesAlone) {
  CheckWork whole = make(9, 3);
  CheckPart part = whole.part();
  const std::size_t pieces = part.pieces.size();
  ASSERT_GT(pieces, 3U);
  part.pieces = {3, 1};
  std::vector<std::uint64_t> judged;
  CheckWork work(two_conditions, part, {.connections = 1}, [&](const PieceVerdict& verdict) {
    judged.push_back(verdict.piece);
    whole.add(verdict);
  });
  run(work, two_in_each);
  EXPECT_THAT(judged, ElementsAre(3, 1));
  EXPECT_EQ(whole.missing().size(), pieces - 2);
  EXPECT_THROW(whole.require_all(), database::Error);
  EXPECT_EQ(last.done, 2U);
  EXPECT_EQ(last.total, pieces);
  // The first verdict on a piece counts.
  whole.add({.piece = 3, .answer = {.offenders = 1'000}});
  const auto verdicts = whole.verdicts();
  EXPECT_LT(verdicts[0].offenders + verdicts[1].offenders, 1'000);

  EXPECT_THROW(whole.add({.piece = pieces}), database::Error);
  part.pieces = {pieces};
  EXPECT_THROW(CheckWork(two_conditions, part, {}, {}), database::Error);
  part = {.pieces = {0}};
  EXPECT_THROW(CheckWork(two_conditions, part, {}, {}), database::Error) << "of no warehouse";
}

TEST_F(CheckWorkTest, HasNoMoreSessionsThanPieces) {
  EXPECT_EQ(make(1, 100).sessions(), 2U);
  EXPECT_EQ(make(100, 3).sessions(), 3U);
}

Task<PieceAnswer> lose_session() {
  throw std::runtime_error("gone");
  co_return PieceAnswer{};
}

TEST_F(CheckWorkTest, EndsWithASessionThatIsLost) {
  CheckWork work = make(2, 1);
  coro::Worker worker;
  EXPECT_THROW(coro::block_on(worker, work.run([](const CheckPiece&) { return lose_session(); })),
               std::runtime_error);
}

}  // namespace
}  // namespace drover::tpcc
