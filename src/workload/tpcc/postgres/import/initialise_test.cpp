#include "workload/tpcc/postgres/import/import.h"

#include <gmock/gmock.h>

#include "coro/scope.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/postgres/database_fixture_test.h"

namespace drover::tpcc::postgres {
namespace {

using testing::HasSubstr;

class Initialise : public DatabaseFixture {
 protected:
  static std::string tables_in(const std::string& schema) {
    return query("SELECT count(*) FROM pg_tables WHERE schemaname = '" + schema + "'");
  }
  static std::string refusal_of(InitialiseOptions options) {
    try {
      initialise_schema(std::move(options));
    } catch (const UnfitSchema& error) {
      return error.what();
    }
    return "not refused";
  }
};

TEST_F(Initialise, MakesTheTablesWithoutKeysAndItsRecords) {
  const auto dropped =
      initialise_schema({.schema = "made", .foreign_keys = ForeignKeys::after_load});
  EXPECT_TRUE(dropped.empty());
  EXPECT_EQ(tables_in("made"), "11");
  EXPECT_EQ(query("SELECT foreign_keys || format_version FROM made.drover_tpcc"), "after-load1");
  EXPECT_EQ(query("SELECT count(*) FROM pg_indexes WHERE schemaname = 'made'"), "2")
      << "of drover_tpcc and drover_tpcc_loaded";
}

TEST_F(Initialise, RefusesWhereTablesAreUnlessForced) {
  query("CREATE SCHEMA taken; CREATE TABLE taken.stock (s_w_id int)");
  EXPECT_THAT(refusal_of({.schema = "taken"}), HasSubstr("(stock)"));
  EXPECT_EQ(tables_in("taken"), "1");
  const auto dropped = initialise_schema({.schema = "taken", .force = true});
  EXPECT_EQ(dropped, std::vector<std::string>{"stock"});
  EXPECT_EQ(tables_in("taken"), "11");
  EXPECT_THAT(refusal_of({.schema = "taken"}), HasSubstr("drover tpcc init --force"));
}

TEST_F(Initialise, HappensWholeOrNotAtAll) {
  query(
      "CREATE SCHEMA viewed; CREATE TABLE viewed.item (i_id int); "
      "CREATE TABLE viewed.history (h_c_id int);"
      "CREATE VIEW viewed.cheap AS SELECT * FROM viewed.item");
  EXPECT_THROW(initialise_schema({.schema = "viewed", .force = true}), database::Error);
  EXPECT_EQ(tables_in("viewed"), "2");
}

TEST_F(Initialise, WithoutASchemaTakesTheSearchPath) {
  initialise_schema({});
  EXPECT_EQ(tables_in("public"), "11");
  EXPECT_EQ(clean_schema("").size(), 11U);
  EXPECT_EQ(tables_in("public"), "0");
}

TEST_F(Initialise, AnyNameIsASchema) {
  for (const std::string schema : {"Grüße \"aus\" Köln", "select", "a'b;c\\d", "%s{}"}) {
    initialise_schema({.schema = schema});
    EXPECT_EQ(query("SELECT count(*) FROM " + qualified_name(schema, "stock")), "0");
    EXPECT_THAT(refusal_of({.schema = schema}), HasSubstr(schema));
    EXPECT_EQ(clean_schema(schema).size(), 11U);
  }
}

coro::Task<void> wait_for_waiter(database::postgres::Connection& watcher, std::string table) {
  for (std::string waiting; waiting != "1";) {
    const auto found = co_await watcher.script(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'busy." + table +
        "'::regclass");
    waiting = found.text(0, 0);
  }
}

// Somebody holds warehouse and waits for customer, which we have locked first, before we want
// warehouse: so we close the circle, and the server ends us. Until then a third one keeps us
// waiting at new_order. The second try waits for the other one's end.
coro::Task<void> clean_beside_another(std::string conninfo, std::vector<std::string>& dropped,
                                      std::vector<std::string>& notes) {
  using database::postgres::Connection;
  const auto ours = co_await Connection::open(conninfo);
  const auto other = co_await Connection::open(conninfo);
  const auto third = co_await Connection::open(conninfo);
  const auto watcher = co_await Connection::open(conninfo);
  co_await ours->script("SET deadlock_timeout = '10ms'");
  co_await other->script("SET deadlock_timeout = '1h'");
  co_await other->script("BEGIN; LOCK TABLE busy.warehouse IN ROW EXCLUSIVE MODE");
  co_await third->script("BEGIN; LOCK TABLE busy.new_order IN ROW EXCLUSIVE MODE");
  coro::Scope scope(co_await coro::current_source());
  auto clean_up = [&]() -> coro::Task<void> {
    const auto on_note = [&notes](std::string_view note) { notes.emplace_back(note); };
    dropped = co_await clean(*ours, "busy", on_note);
  };
  auto work = [&]() -> coro::Task<void> {
    co_await other->script("LOCK TABLE busy.customer IN ROW EXCLUSIVE MODE");
    co_await other->script("COMMIT");
  };
  scope.start(clean_up());
  co_await wait_for_waiter(*watcher, "new_order");
  scope.start(work());
  co_await wait_for_waiter(*watcher, "customer");
  co_await third->script("COMMIT");
  co_await scope.join();
}

TEST_F(Initialise, CleanTriesAgainAfterADeadlock) {
  initialise_schema({.schema = "busy"});
  std::vector<std::string> dropped;
  std::vector<std::string> notes;
  run(clean_beside_another(server->conninfo(), dropped, notes));
  EXPECT_EQ(dropped.size(), 11U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes.front(), HasSubstr("Retrying, attempt 2 of 10"));
  EXPECT_EQ(tables_in("busy"), "0");
}

TEST_F(Initialise, CleanDropsWhatThereIsAndOnlyThat) {
  EXPECT_TRUE(clean_schema("absent").empty());
  initialise_schema({.schema = "mixed"});
  query("CREATE TABLE mixed.mine (i int); DROP TABLE mixed.history");
  EXPECT_EQ(clean_schema("mixed").size(), 10U);
  EXPECT_EQ(query("SELECT tablename FROM pg_tables WHERE schemaname = 'mixed'"), "mine");
}

TEST_F(Initialise, DropsNoTableOfAnotherProgram) {
  initialise_schema({.schema = "shared"});
  query("DROP TABLE shared.customer; CREATE TABLE shared.customer (id int, name text)");
  const std::string expected =
      "the table customer of shared has no column c_w_id, so it is not a TPC-C table. Nothing was "
      "dropped. Name another schema with --schema";
  EXPECT_THAT(refusal_of({.schema = "shared", .force = true}), HasSubstr(expected));
  try {
    clean_schema("shared");
    ADD_FAILURE() << "not refused";
  } catch (const UnfitSchema& error) {
    EXPECT_THAT(error.what(), HasSubstr(expected));
  }
  EXPECT_EQ(tables_in("shared"), "11");
}

}  // namespace
}  // namespace drover::tpcc::postgres
