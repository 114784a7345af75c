// Servers that lose rows of UPDATE … FROM: PostgreSQL 18.1 itself where its programs are given, and
// imitated on any other, by triggers that keep a row out of just the statements that lose it there.
#include "workload/tpcc/postgres/transactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "database/error.h"
#include "workload/tpcc/every_database/tested_database_test.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LostRows, AreThoseOfTwoVersions) {
  for (const int version : {150014, 170010, 180002, 180004, 190000}) {
    EXPECT_FALSE(loses_rows(version)) << version;
  }
  EXPECT_TRUE(loses_rows(180000));
  EXPECT_TRUE(loses_rows(180001));
  EXPECT_THAT(lost_rows_note("18.1 (Debian)"), HasSubstr("PostgreSQL 18.1 (Debian) loses rows"));
}

TEST(LostRows, TheInternalErrorIsOne) {
  const auto error_class = database::ErrorClass::statement;
  EXPECT_TRUE(
      is_lost_row({error_class, "XX000", "ModifyTable should not be called during EvalPlanQual"}));
  EXPECT_FALSE(is_lost_row({error_class, "XX000", "could not open relation"}));
  EXPECT_FALSE(is_lost_row({error_class, "22012", "division by zero"}));
}

const NewOrderInput one_order = order_of(1, 2, 3, {{10, 1, 1}, {11, 1, 2}, {10, 1, 3}, {12, 2, 4}});
const DeliveryInput one_delivery{.w_id = 1, .carrier_id = 3};

constexpr const char* lossy_triggers = R"(
  CREATE FUNCTION lose_stock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RETURN CASE WHEN NEW.s_i_id = 11 AND current_query() LIKE '%FROM unnest(%' THEN NULL ELSE NEW
    END; END $$;
  CREATE FUNCTION lose_customer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RETURN CASE WHEN NEW.c_d_id = 4 AND current_query() LIKE 'WITH %' THEN NULL ELSE NEW END; END $$;
  CREATE TRIGGER lossy BEFORE UPDATE ON stock FOR EACH ROW EXECUTE FUNCTION lose_stock();
  CREATE TRIGGER lossy BEFORE UPDATE ON customer FOR EACH ROW EXECUTE FUNCTION lose_customer();
)";

class LossyServer : public testing::Test {
 protected:
  static void SetUpTestSuite() { database = std::make_unique<SmallDatabase>(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override { database->make("lossy"); }

  void open() {
    PostgresOptions options;
    options.conninfo = database->conninfo();
    options.schema = "lossy";
    options.on_note = [this](std::string_view note) { notes.emplace_back(note); };
    backend = std::make_unique<PostgresBackend>(std::move(options));
    database->run(backend->open());
  }

  Outcome execute(Input input) { return database->run(execute_once(*backend, std::move(input))); }

  std::string failure_of(Input input) {
    try {
      execute(std::move(input));
    } catch (const database::Error& error) {
      return error.what();
    }
    return "none";
  }

  static std::unique_ptr<SmallDatabase> database;
  std::unique_ptr<PostgresBackend> backend;
  std::vector<std::string> notes;
};

std::unique_ptr<SmallDatabase> LossyServer::database;

TEST_F(LossyServer, CostsNoTransaction) {
  database->script(lossy_triggers);
  for (const bool order_first : {true, false}) {
    open();
    notes.clear();
    if (order_first) {
      EXPECT_TRUE(execute(one_order).committed);
    } else {
      EXPECT_EQ(execute(one_delivery).orders_delivered(), 10);
    }
    EXPECT_THAT(notes, ElementsAre(HasSubstr("mended in 18.2")));
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(execute(one_order).committed);
      EXPECT_EQ(execute(one_delivery).districts_skipped, 0);
    }
    EXPECT_EQ(notes.size(), 1U) << "it is known by then";
  }
  database->expect_conditions(Money::exact);
}

// Refuses data changes in a CTE, as OpenTenBase does.
constexpr const char* refusing_trigger = R"(
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF current_query() LIKE 'WITH %' THEN
      RAISE 'INSERT/UPDATE/DELETE is not supported in subquery' USING ERRCODE = '0A000';
    END IF;
    RETURN NEW; END $$;
  CREATE TRIGGER refusing BEFORE UPDATE ON customer FOR EACH ROW EXECUTE FUNCTION refuse();
)";

TEST_F(LossyServer, MayRefuseABatchedStatement) {
  database->script(refusing_trigger);
  open();
  EXPECT_EQ(execute(one_delivery).orders_delivered(), 10);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("not supported in subquery [SQLSTATE 0A000]")));
  EXPECT_TRUE(execute(one_order).committed);
  EXPECT_EQ(execute(one_delivery).districts_skipped, 0);
  EXPECT_EQ(notes.size(), 1U) << "it is known by then";
  database->expect_conditions(Money::exact);
}

TEST_F(LossyServer, ThatIsSoundIsNotSuspected) {
  open();
  execute(one_order);
  execute(one_delivery);
  NewOrderInput rolled_back = one_order;
  rolled_back.rollback = true;
  rolled_back.lines_all[3].i_id = unused_item;
  EXPECT_FALSE(execute(rolled_back).committed);
  EXPECT_TRUE(notes.empty());
}

TEST_F(LossyServer, WhatIsReallyMissingIsNamed) {
  open();
  database->script("DELETE FROM stock WHERE s_i_id = 12 AND s_w_id = 2");
  EXPECT_THAT(failure_of(one_order), HasSubstr("stock of item 12 at warehouse 2 has 0 rows"));
  database->script("DELETE FROM item WHERE i_id = 11");
  EXPECT_THAT(failure_of(one_order), HasSubstr("item 11 has 0 rows"));
  database->script("DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 5 AND o_id = 22");
  EXPECT_THAT(failure_of(one_delivery), HasSubstr("order 22 of district 5 of warehouse 1"));
  database->script(
      "INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_ol_cnt, o_all_local, o_entry_d) "
      "VALUES (1, 5, 22, 61, 1, 1, localtimestamp)");
  EXPECT_THAT(failure_of(one_delivery), HasSubstr("the customer of order 22 of district 5"));
  EXPECT_TRUE(notes.empty());
}

Task<void> run_into(Backend& backend, Input input, std::optional<Outcome>& outcome) {
  outcome = co_await execute_once(backend, std::move(input));
}

// The rows that it wants to write to are changed by another transaction, for which it waits.
Task<void> execute_behind(Backend& backend, std::string conninfo, std::string change, Input input,
                          std::optional<Outcome>& outcome) {
  const auto holder = co_await open_in_schema({conninfo, "lossy"});
  const auto watcher = co_await open_in_schema({conninfo, "lossy"});
  co_await holder->script("BEGIN; " + change);
  coro::Scope scope(co_await coro::current_source());
  scope.start(run_into(backend, std::move(input), outcome));
  for (std::string waiting = "0"; waiting == "0";) {
    const Result found =
        co_await watcher->script("SELECT count(*) FROM pg_locks WHERE NOT granted");
    waiting = found.text(0, 0);
    co_await coro::sleep_for(std::chrono::milliseconds(1));
  }
  co_await holder->script("COMMIT");
  co_await scope.join();
}

void expect_nothing_lost(SmallDatabase& database) {
  database.make("lossy");
  PostgresBackend backend({{}, {database.conninfo(), "lossy"}});
  database.run(backend.open());
  std::optional<Outcome> outcome;
  for (int i = 0; i < 3; ++i) {
    database.run(execute_behind(backend, database.conninfo(),
                                "UPDATE stock SET s_data = s_data WHERE s_i_id = 11", one_order,
                                outcome));
    EXPECT_TRUE(outcome->committed);
    database.run(execute_behind(backend, database.conninfo(),
                                "UPDATE customer SET c_data = c_data WHERE c_d_id = 4",
                                one_delivery, outcome));
    EXPECT_EQ(outcome->districts_skipped, 0);
  }
  database.expect_conditions(Money::exact);
}

TEST_F(LossyServer, NothingIsLostBehindAnother) {
  expect_nothing_lost(*database);
}

// The programs of 18.0 or 18.1: initdb, pg_ctl and postgres.
TEST(LossyPostgres, NothingIsLostBehindAnother) {
  const char* programs = std::getenv("DROVER_TEST_LOSSY_PG_BINDIR");
  if (programs == nullptr) {
    GTEST_SKIP() << "DROVER_TEST_LOSSY_PG_BINDIR does not say where PostgreSQL 18.1 is";
  }
  const char* before = std::getenv("DROVER_PG_BINDIR");
  const std::optional<std::string> old = before ? std::optional<std::string>(before) : std::nullopt;
  ::setenv("DROVER_PG_BINDIR", programs, 1);
  SmallDatabase database;
  old ? ::setenv("DROVER_PG_BINDIR", old->c_str(), 1) : ::unsetenv("DROVER_PG_BINDIR");
  const auto connection = database.run(Connection::open(database.conninfo()));
  ASSERT_TRUE(loses_rows(connection->server_version())) << connection->server_version();
  expect_nothing_lost(database);
}

}  // namespace
}  // namespace drover::tpcc::postgres
