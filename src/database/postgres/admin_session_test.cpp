#include "database/postgres/admin_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

Task<void> use_session(std::string conninfo) {
  const auto connection = co_await Connection::open(std::move(conninfo));
  co_await connection->script("CREATE SCHEMA \"Kept\"; SET standard_conforming_strings = off");
  PostgresAdminSession session(*connection, "Kept");
  co_await session.change_tables("CREATE TABLE " + session.table("notes") +
                                 " (id int PRIMARY KEY, note text, amount numeric(20), ok bool)");
  const auto exist = co_await session.tables_exist({"notes", "other"});
  EXPECT_THAT(exist, testing::ElementsAre(true, false));
  const std::string note = "it's $id, \"a\\b\"";
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const AdminRows written = co_await session.query(
      "INSERT INTO " + session.table("notes") +
          " (id, note, amount, ok) VALUES ($id, $note, $amount, $ok), (7 - $id, NULL, NULL, NULL)",
      {{"$id", std::int32_t{-1}}, {"$note", note}, {"$amount", most}, {"$ok", true}});
  EXPECT_EQ(written.written(), 2);
  EXPECT_EQ(written.size(), 0U);
  const AdminRows rows =
      co_await session.query("SELECT * FROM " + session.table("notes") + " ORDER BY id");
  EXPECT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.number<std::int32_t>(0, "id"), -1);
  EXPECT_EQ(rows.text(0, "note"), note);
  EXPECT_EQ(rows.number<std::uint64_t>(0, "amount"), most);
  EXPECT_TRUE(rows.flag(0, "ok"));
  EXPECT_EQ(rows.number<std::int32_t>(1, "id"), 8);
  EXPECT_TRUE(rows.is_null(1, "note"));
  EXPECT_TRUE(rows.is_null(0, "absent"));
  EXPECT_EQ(rows.number<std::int64_t>(1, "amount"), 0);
  EXPECT_FALSE(rows.flag(1, "ok"));
  bool is_unknown = false;
  try {
    co_await session.query("SELECT absent FROM " + session.table("notes"));
  } catch (const Error& error) {
    is_unknown = session.is_unknown_column(error);
  }
  EXPECT_TRUE(is_unknown);
}

TEST(AdminSessionOnPostgres, WritesAndReadsValuesOfAllTypes) {
  test::TestServer server;
  coro::Worker worker;
  coro::block_on(worker, use_session(server.conninfo()));
}

}  // namespace
}  // namespace drover::database::postgres
