// The engine runs clients on virtual time. The text of a statement decides what happens to it.
#include "workload/sql/clients/clients.h"

#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "load/run.h"

namespace drover::sql {
namespace {

using namespace std::chrono_literals;
using coro::Task;
using database::Error;
using database::ErrorClass;
using testing::ElementsAre;
using testing::EndsWith;
using testing::UnorderedElementsAreArray;

// Each statement takes 10 ms. A text with "lost" loses the session, every second one with "again"
// fails, and one with "frozen" gets no answer for a day. A statement with "unprepared" is prepared
// first, and the same words apply to its preparation.
class ObedientSessions final : public database::Backend, ScriptSession {
 public:
  explicit ObedientSessions(std::vector<std::string>* sent) : sent_(sent) {}

  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override {
    co_return static_cast<database::Session*>(static_cast<ScriptSession*>(this));
  }
  void release(database::Session&) noexcept override {}

  bool is_ready_for(const Statement& statement) const noexcept override {
    return statement.parameterised.find("unprepared") == std::string::npos;
  }
  Task<void> prepare(const Statement& statement) override {
    return answer_to(statement.parameterised);
  }
  static Task<void> answer_to(std::string text) {
    co_await coro::sleep_for(text.find("frozen") != std::string::npos ? 24h : 10ms);
    if (text.find("lost") != std::string::npos) {
      throw Error(ErrorClass::connection_lost, "", "the connection broke");
    }
  }

  Task<void> execute(const Statement& statement, Variables& variables) override {
    std::string text;
    statement.command->sql.render(variables, text);
    if (sent_ != nullptr) sent_->push_back(text);
    co_await answer_to(text);
    if (text.find("again") != std::string::npos && (failed_ = !failed_)) {
      throw Error(ErrorClass::retryable, "40001", "somebody was quicker");
    }
    open_ = statement.leaves_open(open_);
  }
  Task<void> open_pipeline(std::span<const Statement>, std::size_t&) override { co_return; }
  void sync_pipeline() override {}
  Task<PipelineAnswer> close_pipeline() override { co_return PipelineAnswer{}; }
  bool in_transaction() const noexcept override { return open_; }
  Task<void> roll_back() override {
    if (open_ && sent_ != nullptr) sent_->push_back("rolled back");
    open_ = false;
    co_return;
  }

 private:
  std::vector<std::string>* sent_;
  bool failed_ = false;
  bool open_ = false;
};

struct Ended {
  ScriptPlan plan;
  std::unique_ptr<RunCounts> records;
  load::Outcome outcome;
  std::vector<std::string> sent;
  std::vector<std::string> notes;

  const load::SharedTotals& measured(std::size_t script) const {
    return outcome.workers[0]->measured[script];
  }
};

struct NoteKeeper : load::Observer {
  explicit NoteKeeper(std::vector<std::string>& kept) : notes(kept) {}
  void on_note(std::string_view text) override { notes.emplace_back(text); }
  std::vector<std::string>& notes;
};

// Runs the scripts with `clients` clients, or with the share of this host.
std::unique_ptr<Ended> run_scripts(std::vector<ScriptText> texts, std::uint64_t operations,
                                   load::Share share = {}, std::size_t clients = 1) {
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  auto ended = std::make_unique<Ended>();
  ScriptPlan& plan = ended->plan;
  plan.scripts = std::make_shared<ScriptSet>(std::move(texts), Protocol::simple);
  plan.workload = workload_info(plan);
  plan.share = share;
  plan.set_clients(clients);
  plan.operations = operations;
  plan.duration = 1h;
  plan.definitions = {{"n", "100"}};
  ended->records = std::make_unique<RunCounts>(plan);
  NoteKeeper observer(ended->notes);
  load::StopRequest stop;
  load::Surroundings surroundings;
  surroundings.own_threads = false;
  auto body = [&]() -> Task<void> {
    const BackendFactory backends = [&](std::size_t) {
      return std::make_unique<ObedientSessions>(&ended->sent);
    };
    std::optional<load::Outcome> outcome;
    outcome = co_await load::run(plan, make_clients(plan, backends, *ended->records), observer,
                                 stop, surroundings);
    ended->outcome = std::move(*outcome);
  };
  coro::block_on(worker, body());
  return ended;
}

TEST(Clients, ShowTheirScriptsAsTypes) {
  ScriptPlan plan;
  plan.scripts = std::make_shared<ScriptSet>(
      std::vector<ScriptText>{{"a", "SELECT 1"}, {"b", "SELECT 2"}}, Protocol::simple);
  const load::WorkloadInfo shown = workload_info(plan);
  EXPECT_EQ(shown.key, "sql");
  ASSERT_EQ(shown.types.size(), 2U);
  EXPECT_EQ(shown.types[1].name, "b");
  EXPECT_EQ(shown.types[1].share, 0.5);
  EXPECT_EQ(shown.terminal, "client");
  EXPECT_TRUE(shown.headline.is_all_a_second());
}

TEST(Clients, ExecuteScriptsByWeight) {
  const auto ended = run_scripts(
      {{"rare", "SELECT 1;"}, {"never", "SELECT 2;", 0}, {"often", "SELECT 3;\n\\sleep 5 ms", 9}},
      1'000);
  EXPECT_NEAR(static_cast<double>(ended->measured(0).ok_count.get()), 100, 40);
  EXPECT_EQ(ended->measured(1).attempts.get(), 0U);
  EXPECT_EQ(ended->measured(0).ok_count.get() + ended->measured(2).ok_count.get(), 1'000U);
  EXPECT_NEAR(static_cast<double>(ended->measured(2).latency.snapshot().max_ns()), 15e6, 1e5);
  const StatementCounts& often = *ended->records->workers[0].statements[2];
  EXPECT_EQ(often.executions.get(), ended->measured(2).ok_count.get());
  EXPECT_NEAR(static_cast<double>(often.latency.snapshot().max_ns()), 10e6, 1e5)
      << "without the pause behind it";
}

TEST(Clients, KeepVariablesAndRepeatTransactions) {
  const auto ended = run_scripts(
      {{"a", "\\set n :n + 1\nSELECT :n;\nBEGIN;\n\\set n :n + 1\nSELECT :n, 'again';\nEND;"}}, 2);
  EXPECT_THAT(ended->sent, ElementsAre("SELECT 101;", "BEGIN;", "SELECT 102, 'again';",
                                       "rolled back", "BEGIN;", "SELECT 102, 'again';", "END;",
                                       "SELECT 103;", "BEGIN;", "SELECT 104, 'again';",
                                       "rolled back", "BEGIN;", "SELECT 104, 'again';", "END;"));
  EXPECT_EQ(ended->measured(0).ok_count.get(), 2U);
  EXPECT_EQ(ended->measured(0).retry_count.get(), 2U);
  const StatementCounts& repeated = *ended->records->workers[0].statements[2];
  EXPECT_EQ(repeated.executions.get(), 4U);
  EXPECT_EQ(repeated.failures.get(), 2U);
  EXPECT_EQ(repeated.latency.snapshot().count(), 2U);
}

TEST(Clients, OfAnotherHostHaveNumbersAndSeedsOfTheirOwn) {
  const std::vector<ScriptText> texts = {
      {"a", "\\set r random(1, 1000000)\nSELECT :client_id, :r;"}};
  auto all = run_scripts(texts, 4, {}, 4)->sent;
  std::vector<std::string> parts = run_scripts(texts, 4, {0, 1, 4, 0, 2}, 4)->sent;
  const auto second = run_scripts(texts, 4, {1, 3, 4, 1, 2}, 4)->sent;
  ASSERT_EQ(second.size(), 3U);
  parts.insert(parts.end(), second.begin(), second.end());
  EXPECT_THAT(parts, UnorderedElementsAreArray(all));
}

TEST(Clients, AreWaitedForAtTheEnd) {
  const auto frozen = run_scripts({{"a", "SELECT 'frozen';"}}, 3);
  EXPECT_THAT(frozen->notes,
              ElementsAre("the load has ended. Waiting up to 5 s for transactions in flight"));
  EXPECT_FALSE(frozen->plan.workload.looks_up_commits);
  EXPECT_THAT(run_scripts({{"a", "SELECT 1;"}}, 3)->notes, ElementsAre());
}

TEST(Clients, LeaveCommitsInDoubtUnresolved) {
  const auto ended = run_scripts({{"a", "INSERT INTO lost VALUES (1);"}}, 3);
  EXPECT_EQ(ended->measured(0).failed_count.get(), 3U);
  EXPECT_EQ(ended->measured(0).ambiguous.unresolved.get(), 3U);
  EXPECT_EQ(ended->records->workers[0].unresolved.get(), 3U);
  EXPECT_THAT(ended->records->workers[0].first_failures[0],
              EndsWith("a:1: INSERT INTO lost VALUES (1);: the connection broke"));
  const auto reading = run_scripts({{"a", "SELECT 'lost';"}}, 3);
  EXPECT_EQ(reading->measured(0).failed_count.get(), 3U);
  EXPECT_EQ(reading->measured(0).ambiguous.unresolved.get(), 0U);
}

// The session is lost before the committing statement is sent.
TEST(Clients, LeaveNoCommitInDoubtThatWasOnlyPrepared) {
  for (const char* text : {"INSERT INTO lost_unprepared VALUES (1);",
                           "BEGIN;\nINSERT INTO t VALUES (1);\nEND /* lost_unprepared */;",
                           "DO $$ lost_unprepared $$;", "INSERT INTO frozen_unprepared VALUES (1);",
                           "BEGIN;\nINSERT INTO t VALUES (1);\nEND /* frozen_unprepared */;"}) {
    const auto ended = run_scripts({{"a", text}}, 3);
    const load::SharedTotals& metrics = ended->measured(0);
    EXPECT_EQ(metrics.ambiguous.unresolved.get(), 0U) << text;
    EXPECT_EQ(ended->records->workers[0].unresolved.get(), 0U) << text;
    if (std::string_view(text).find("frozen") != std::string_view::npos) continue;
    EXPECT_EQ(metrics.errors_by_class[static_cast<std::size_t>(ErrorClass::connection_lost)].get(),
              3U)
        << text;
  }
  const auto sent = run_scripts({{"a", "INSERT INTO frozen VALUES (1);"}}, 1);
  EXPECT_EQ(sent->records->workers[0].unresolved.get(), 1U);
}

}  // namespace
}  // namespace drover::sql
