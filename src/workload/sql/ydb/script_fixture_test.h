// For tests of scripts on test/ydb_server. Each test has a folder of its own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "database/ydb/database_access.h"
#include "database/ydb/served_folder_test.h"
#include "workload/sql/clients/script_client_test.h"
#include "workload/sql/ydb/database_on_ydb.h"

namespace drover::sql::ydb {

using database::ydb::DatabaseAccess;

class ScriptsOnYdb : public TestOfScripts {
 protected:
  ScriptsOnYdb() : where(database::ydb::served_folder("sql")), sql_database(make_database(where)) {}

  void SetUp() override {
    if (server == nullptr) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
    server->set_faults("{}");
    auto body = [](DatabaseAccess& access) { return access.make_folder(); };
    run(DatabaseAccess::use(where, body));
  }

  // Makes a client with this script, "test.yql", and two sessions, one of which may be lost.
  std::unique_ptr<ScriptClient> client(std::string text, ScriptBackendSettings settings = {}) {
    settings.protocol = Protocol::declared;
    settings.connections = 2;
    if (settings.run.statement_timeout_s == 0) settings.run.statement_timeout_s = 300;
    auto made = std::make_unique<ScriptClient>(
        *sql_database, std::vector<ScriptText>{{"test.yql", std::move(text)}}, std::move(settings));
    run(made->open());
    return made;
  }

  std::unique_ptr<ScriptClient> executed(std::string text) {
    auto made = client(std::move(text));
    run(made->execute());
    return made;
  }

  // Returns the message with which the script fails. Expects its session to be usable.
  std::string failure(std::string text) {
    const auto made = client(std::move(text));
    const std::string message = message_of(made->execute());
    EXPECT_EQ(made->records->workers[0].first_failures[0], message);
    EXPECT_TRUE(run(made->session_is_idle()));
    return message;
  }

  void change_scheme(std::string text) {
    auto body = [&](DatabaseAccess& access) { return access.change_scheme(std::move(text)); };
    run(DatabaseAccess::use(where, body));
  }

  // Returns a line with commas for each row.
  std::string query(std::string text) {
    std::string rows;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      const database::ydb::QueryResult result = co_await access.query(std::move(text));
      const database::ydb::ResultSetView set = result.set(0);
      for (std::size_t row = 0; row < set.rows(); ++row) {
        if (row > 0) rows += '\n';
        for (std::size_t column = 0; column < set.columns(); ++column) {
          if (column > 0) rows += ',';
          const database::ydb::ValueView value = set.at(row, column);
          if (!value.is_null()) value.append_text(rows);
        }
      }
    };
    run(DatabaseAccess::use(where, body));
    return rows;
  }

  test::YdbTestServer* const server = database::ydb::served();
  const database::ydb::YdbDatabase where;
  const std::unique_ptr<Database> sql_database;
};

}  // namespace drover::sql::ydb
