// For tests of init, import and clean: a server of YDB's protocol for the whole program, and a
// folder for each test.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/ydb/database_access.h"
#include "database/ydb/target.h"
#include "support/ydb_test_server.h"
#include "workload/tpcc/ydb/import/import.h"

namespace drover::tpcc::ydb {

using database::ydb::DatabaseAccess;
using database::ydb::YdbDatabase;

class FreshDatabase : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!server && test::YdbTestServer::reason_to_skip().empty()) {
      server = std::make_unique<test::YdbTestServer>();
    }
  }

  void SetUp() override {
    if (!server) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
  }

  void TearDown() override {
    if (server) server->set_faults("{}");
  }

  // Patient: a starved machine is no failure.
  static YdbDatabase database(std::string folder) {
    YdbDatabase made{.client = {.target = database::ydb::parse_target(server->url())},
                     .folder = std::move(folder)};
    made.client.request_timeout = std::chrono::seconds(300);
    made.client.opening_timeout = std::chrono::seconds(300);
    return made;
  }

  template <class T>
  static T run(coro::Task<T> task) {
    coro::Worker worker;
    return coro::block_on(worker, std::move(task));
  }

  static std::vector<std::string> initialise_folder(std::string folder, bool force = false) {
    return run(initialise(database(std::move(folder)), {.force = force}));
  }

  static void use(std::string folder, std::function<coro::Task<void>(DatabaseAccess&)> body) {
    run(DatabaseAccess::use(database(std::move(folder)), std::move(body)));
  }

  // The whole numbers of a SELECT's first row and column.
  static std::int64_t number(std::string folder, std::string text) {
    std::int64_t value = -1;
    use(std::move(folder), [&](DatabaseAccess& access) -> coro::Task<void> {
      const database::ydb::QueryResult result = co_await access.query(text);
      value = result.set(0).at(0, std::size_t{0}).integer();
    });
    return value;
  }

  static void change_scheme(std::string folder, std::string text) {
    use(std::move(folder),
        [&](DatabaseAccess& access) -> coro::Task<void> { co_await access.change_scheme(text); });
  }

  static std::vector<std::string> tables_in(std::string folder) {
    std::vector<std::string> names;
    use(std::move(folder),
        [&](DatabaseAccess& access) -> coro::Task<void> { names = co_await access.table_names(); });
    return names;
  }

  static coro::Task<LoadedDatabase> inspect_task(std::string folder) {
    LoadedDatabase loaded;
    auto body = [&](DatabaseAccess& access) -> coro::Task<void> {
      YdbAdminSession session(access);
      loaded = co_await inspect_loaded(session, folder);
    };
    co_await DatabaseAccess::use(database(folder), body);
    co_return loaded;
  }
  static LoadedDatabase inspect(std::string folder) { return run(inspect_task(std::move(folder))); }

  static ImportRecord settings_of(std::string folder) {
    ImportRecord settings;
    use(folder, [&](DatabaseAccess& access) -> coro::Task<void> {
      YdbAdminSession session(access);
      const std::optional<ImportRecord> found = co_await read_record(session, folder);
      if (found) settings = *found;
    });
    return settings;
  }

  // How often the server was asked, by the name of a call.
  static std::int64_t calls(const std::string& method) {
    return server->state().at("requests").value(method, std::int64_t{0});
  }

  inline static std::unique_ptr<test::YdbTestServer> server;
};

}  // namespace drover::tpcc::ydb
