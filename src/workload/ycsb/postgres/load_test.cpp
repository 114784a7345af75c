#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coro/sleep.h"
#include "database/error.h"
#include "workload/ycsb/load_cases_test.h"
#include "workload/ycsb/postgres/served_table_test.h"

namespace drover::ycsb::postgres {
namespace {

class LoadOnPostgres : public ServedTable {
 protected:
  LoadProgress load_in_pieces(const Properties& properties, std::uint64_t rows_of_piece,
                              std::size_t connections = 3) {
    return run(database->load(settings(properties, rows_of_piece, connections)));
  }

  static LoadSettings settings(const Properties& properties, std::uint64_t rows_of_piece,
                               std::size_t connections) {
    return {.properties = properties, .connections = connections, .rows_of_piece = rows_of_piece};
  }

  static constexpr auto isolation = database::Isolation::read_committed;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, LoadOnDatabase, LoadOnPostgres);

// As the original names and fills them.
TEST_F(LoadOnPostgres, TheTableIsThatOfTheOriginal) {
  load_in_pieces(part(0, 1), 1);
  EXPECT_EQ(query("SELECT max(length(field9)) FROM usertable"), "100");
  EXPECT_EQ(query("SELECT count(*) FROM usertable WHERE ycsb_key = 'user6284781860667377211'"),
            "1");
}

// Another host stands still in the middle of its piece.
TEST_F(LoadOnPostgres, AShareWaitsForNoOther) {
  const Properties properties = part(0, 1000);
  const auto load_share = [&](load::Share share) {
    LoadSettings of_share = settings(properties, 100, 2);
    of_share.share = share;
    return database->load(std::move(of_share));
  };
  auto scenario = [&]() -> coro::Task<void> {
    co_await load_share({0, 0, 2});
    const auto other = co_await database::postgres::open_in_schema({server->conninfo(), schema});
    co_await other->script(
        "BEGIN; INSERT INTO drover_ycsb_loaded (table_name, first_row, rows) "
        "VALUES ('usertable', 400, 100)");
    const LoadProgress second = co_await load_share({1, 1, 2});
    EXPECT_EQ(second.rows, 500U);
    EXPECT_EQ(second.finishing, coro::Duration::zero()) << "statistics come with the whole";
    co_await other->script("ROLLBACK");
    const LoadProgress whole = co_await load_share({});
    EXPECT_EQ(whole.rows, 500U);
  };
  run(scenario());
  EXPECT_EQ(check(properties).rows, 1000U);
}

// In the middle of the piece that is wanted: its process stands still, or its host is gone.
TEST_F(LoadOnPostgres, ALoaderThatGivesNoSignOfLifeIsEnded) {
  std::vector<std::string> steps;
  bool is_lost = false;
  auto scenario = [&]() -> coro::Task<void> {
    LoadSettings some = settings(part(0, 1000), 100, 1);
    some.share = {0, 0, 1};
    co_await database->load(some);
    const auto other = co_await database::postgres::open_in_schema({server->conninfo(), schema});
    co_await other->script(
        "BEGIN; INSERT INTO drover_ycsb_loaded (table_name, first_row, rows) "
        "VALUES ('usertable', 400, 100)");
    co_await other->copy_begin("COPY usertable (ycsb_key) FROM STDIN");
    some.share = {};
    some.silence_max = std::chrono::milliseconds(20);
    some.on_step = [&](std::string_view name) { steps.emplace_back(name); };
    co_await database->load(some);
    try {
      co_await other->copy_end();
    } catch (const database::Error&) {
      is_lost = true;
    }
  };
  run(scenario());
  EXPECT_TRUE(is_lost);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0], "ended a session of an earlier load that was no longer active");
  EXPECT_EQ(check(part(0, 1000)).rows, 1000U);
}

TEST_F(LoadOnPostgres, ATableThatSomebodyHasDroppedIsLoadedAnew) {
  const Properties properties = properties_of("a", {"recordcount=100"});
  load(properties);
  query("DROP TABLE usertable");
  EXPECT_EQ(load(properties).rows, 100U);
  EXPECT_TRUE(check(properties).holds());
}

TEST_F(LoadOnPostgres, SeveralThatLoadTheSameAtOnceShareTheWork) {
  const Properties properties = part(0, 1000);
  auto both = [&](coro::Scope& scope) -> coro::Task<void> {
    auto one = [&]() -> coro::Task<void> { co_await database->load(settings(properties, 50, 2)); };
    scope.start(one());
    co_await database->load(settings(properties, 50, 2));
  };
  run(coro::with_scope(both));
  EXPECT_EQ(check(properties).rows, 1000U);
  EXPECT_EQ(query("SELECT count(*) FROM drover_ycsb_loaded"), "20");
}

// Parts whose pieces begin and end within each other, of loads that have both seen that nothing is
// there.
TEST_F(LoadOnPostgres, PartsThatOverlapAreLoadedOnce) {
  load_in_pieces(part(990, 10), 1000);
  const auto load_one = [&](std::uint64_t begin, std::uint64_t count) -> coro::Task<void> {
    co_await database->load(settings(part(begin, count), 1000, 1));
  };
  auto both = [&](coro::Scope& scope) -> coro::Task<void> {
    const auto blocking = co_await database::postgres::open_in_schema({server->conninfo(), schema});
    co_await blocking->script("BEGIN; LOCK TABLE drover_ycsb_loaded IN EXCLUSIVE MODE");
    scope.start(load_one(0, 900));
    scope.start(load_one(250, 700));
    for (std::uint64_t waiting = 0; waiting < 2;) {
      co_await coro::sleep_for(std::chrono::milliseconds(2));
      const auto count = co_await blocking->query(
          "SELECT count(*) FROM pg_locks WHERE NOT granted "
          "AND relation = 'drover_ycsb_loaded'::regclass");
      waiting = count.number<std::uint64_t>(0, 0);
    }
    co_await blocking->script("COMMIT");
  };
  run(coro::with_scope(both));
  const CheckReport report = check(part(0, 1000));
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.rows, 960U);
  EXPECT_EQ(report.rows_loaded, 960U);
}

// The server ends a session of the load when it is about to copy, by a trigger.
TEST_F(LoadOnPostgres, ALoadWhoseSessionWasEndedGoesOn) {
  load_in_pieces(part(0, 100), 50);
  query(
      "CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "IF (SELECT count(*) FROM drover_ycsb_loaded) >= 10 THEN "
      "PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END $$; "
      "CREATE TRIGGER end_session BEFORE INSERT ON usertable FOR EACH ROW "
      "EXECUTE FUNCTION end_session()");
  try {
    load_in_pieces(part(0, 1000), 50, 1);
    ADD_FAILURE() << "no session was ended";
  } catch (const database::Error& error) {
    EXPECT_EQ(error.error_class(), database::ErrorClass::connection_lost) << error.what();
    EXPECT_NE(std::string(error.what()).find("To continue from there, repeat the same command"),
              std::string::npos);
  }
  EXPECT_EQ(query("SELECT count(*) FROM usertable"), "450");
  query("DROP TRIGGER end_session ON usertable");
  const LoadProgress rest = load_in_pieces(part(0, 1000), 50);
  EXPECT_EQ(rest.rows_there, 450U);
  EXPECT_EQ(rest.rows, 550U);
  EXPECT_TRUE(check(part(0, 1000)).holds());
  EXPECT_EQ(query("SELECT count(*) FROM usertable"), "1000");
}

TEST_F(LoadOnPostgres, RowsOfAnotherToolAreRefused) {
  query("CREATE SCHEMA " + schema);
  query("CREATE TABLE usertable (YCSB_KEY VARCHAR(255) PRIMARY KEY, FIELD0 TEXT)");
  query("INSERT INTO usertable VALUES ('user1', 'x')");
  const Properties properties = properties_of("a", {"recordcount=10", "fieldcount=1"});
  const std::string message = unfit(database->load({.properties = properties}));
  EXPECT_NE(message.find("no load of drover has recorded"), std::string::npos) << message;
  EXPECT_EQ(message.find("clean"), std::string::npos) << message;
}

TEST_F(LoadOnPostgres, ATableOfSomethingElseIsNeitherFilledNorDropped) {
  query("CREATE SCHEMA " + schema);
  query("CREATE TABLE orders (id int PRIMARY KEY)");
  const Properties properties = properties_of("a", {"recordcount=10", "table=orders"});
  for (const std::string& refusal :
       {unfit(database->clean("orders")), unfit(database->load({.properties = properties}))}) {
    EXPECT_NE(refusal.find("the table orders has no column ycsb_key"), std::string::npos)
        << refusal;
  }
  EXPECT_EQ(query("SELECT count(*) FROM orders"), "0");
}

TEST_F(LoadOnPostgres, CleanLeavesOtherTablesAlone) {
  load(properties_of("a", {"recordcount=10"}));
  load(properties_of("a", {"recordcount=10", "table=OTHER"}));
  using Names = std::vector<std::string>;
  EXPECT_EQ(run(database->clean("usertable")), Names{"usertable"});
  EXPECT_EQ(query("SELECT count(*) FROM other"), "10");
  EXPECT_EQ(run(database->clean("Other")), (Names{"other", "drover_ycsb", "drover_ycsb_loaded"}));
  EXPECT_EQ(run(database->clean("other")), Names{});
}

}  // namespace
}  // namespace drover::ycsb::postgres
