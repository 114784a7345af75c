// For tests of scripts on a real server: a server of the suite's own, short ways to use it, and a client that executes
// scripts outside of the engine.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/connection.h"
#include "support/test_server.h"
#include "workload/sql/clients/script_transaction.h"
#include "workload/sql/postgres/postgres_backend.h"

namespace drover::sql::postgres {

using coro::Task;

// A client with a session of its own.
class ScriptClient {
 public:
  ScriptClient(const std::string& conninfo, std::vector<ScriptText> texts, Protocol protocol,
               std::vector<Definition> definitions = {}) {
    plan.scripts = std::make_shared<ScriptSet>(std::move(texts), protocol);
    plan.definitions = std::move(definitions);
    plan.seed = 7;
    records = std::make_unique<RunRecords>(plan);
    surroundings.emplace(ClientSurroundings{*plan.scripts, records->workers[0]});
    client.emplace(plan, 3, *surroundings);
    backend.emplace(PostgresOptions{{.protocol = protocol}, conninfo, ""});
  }

  Task<void> open() { return backend->open(); }

  // An attempt at the transaction on the session.
  Task<void> attempt(ScriptTransaction& transaction) {
    database::Session* session = co_await backend->acquire();
    const database::SessionLease lease(*backend, *session);
    co_await transaction.execute(*session);
  }

  Task<void> execute(std::size_t script = 0) {
    ScriptTransaction transaction(*client, script);
    co_await attempt(transaction);
  }

  // A variable as it is put into a statement; "unset" without one.
  std::string variable(const std::string& name) const {
    const std::optional<Slot> slot = plan.scripts->names().find(name);
    if (!slot || !client->variables.is_set(*slot)) return "unset";
    std::string text;
    client->variables.append_text(*slot, text);
    return text;
  }

  Plan plan;
  std::unique_ptr<RunRecords> records;
  std::optional<ClientSurroundings> surroundings;
  std::optional<Client> client;
  std::optional<PostgresBackend> backend;
};

class ScriptFixture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = std::make_unique<test::TestServer>(
        std::vector<std::string>{"deadlock_timeout=20ms", "max_connections=100"});
  }
  static void TearDownTestSuite() { server.reset(); }

  template <class T>
  T run(Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  // A client whose only script is this one; its file is "test.sql".
  std::unique_ptr<ScriptClient> client(std::string text, Protocol protocol = Protocol::simple) {
    auto made = std::make_unique<ScriptClient>(
        server->conninfo(), std::vector<ScriptText>{{"test.sql", std::move(text)}}, protocol);
    run(made->open());
    return made;
  }

  // Each row of the last statement in a line, with commas.
  std::string query(std::string sql) {
    if (!connection) connection = run(Connection::open(server->conninfo()));
    const Result result = run(connection->script(std::move(sql)));
    std::string rows;
    for (int row = 0; row < result.rows(); ++row) {
      if (row > 0) rows += '\n';
      for (int column = 0; column < result.columns(); ++column) {
        rows += fmt::format("{}{}", column > 0 ? "," : "", result.text(row, column));
      }
    }
    return rows;
  }

  database::Error error_of(Task<void> task) {
    try {
      run(std::move(task));
    } catch (const database::Error& error) {
      return error;
    }
    ADD_FAILURE() << "there was no error";
    return {database::ErrorClass::statement, "", ""};
  }

  std::string message_of(Task<void> task) { return error_of(std::move(task)).what(); }

  // As often as it takes for the query to say "t".
  static Task<void> wait_until(Connection& connection, std::string sql) {
    for (;;) {
      const Result result = co_await connection.query(sql);
      if (result.text(0, 0) == "t") co_return;
      co_await coro::sleep_for(std::chrono::milliseconds(5));
    }
  }

  static Task<void> side_by_side(Task<void> first, Task<void> second) {
    coro::CancelSource& source = co_await coro::current_source();
    coro::Scope scope(source);
    scope.start(std::move(first));
    scope.start(std::move(second));
    co_await scope.join();
  }

  inline static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
  std::unique_ptr<Connection> connection;
};

constexpr std::array<Protocol, 3> all_protocols = {Protocol::simple, Protocol::extended,
                                                   Protocol::prepared};

}  // namespace drover::sql::postgres
