#include "database/ydb/database_access.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <string>

#include "workload/tpcc/ydb/check/fresh_database_test.h"

namespace drover::tpcc::ydb {
namespace {

class AdminSessionOnYdb : public FreshDatabase {};

coro::Task<void> use_admin_session(DatabaseAccess& access) {
  database::ydb::YdbAdminSession session(access);
  co_await access.make_folder();
  co_await session.change_tables("CREATE TABLE " + session.table("notes") +
                                 " (id Int32 NOT NULL, note Utf8, amount Uint64, ok Bool, "
                                 "PRIMARY KEY (id));");
  const auto exist = co_await session.tables_exist({"notes", "other"});
  EXPECT_THAT(exist, testing::ElementsAre(true, false));
  const std::string note = "it's $id, \"a\\b\"";
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  co_await session.query(
      "UPSERT INTO notes (id, note, amount, ok) VALUES ($id, $note, $amount, $ok);",
      {{"$id", std::int32_t{-1}}, {"$note", note}, {"$amount", most}, {"$ok", true}});
  const database::AdminRows rows = co_await session.query("SELECT * FROM notes");
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.number<std::int32_t>(0, "id"), -1);
  EXPECT_EQ(rows.text(0, "note"), note);
  EXPECT_EQ(rows.number<std::uint64_t>(0, "amount"), most);
  EXPECT_TRUE(rows.flag(0, "ok"));
  EXPECT_TRUE(rows.is_null(0, "absent"));
  bool is_unknown = false;
  try {
    co_await session.query("SELECT absent FROM notes");
  } catch (const database::Error& error) {
    is_unknown = session.is_unknown_column(error);
  }
  EXPECT_TRUE(is_unknown);
}

TEST_F(AdminSessionOnYdb, WritesAndReadsValues) {
  use("administered", use_admin_session);
}

}  // namespace
}  // namespace drover::tpcc::ydb
