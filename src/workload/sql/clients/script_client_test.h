// For tests of scripts on a database, whichever it is: a client that executes scripts outside of the engine, short ways to
// use it, and runs of the engine.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/worker.h"
#include "database/error.h"
#include "load/run.h"
#include "workload/sql/builtin/builtin.h"
#include "workload/sql/clients/clients.h"
#include "workload/sql/clients/script_transaction.h"
#include "workload/sql/database.h"

namespace drover::sql {

using coro::Task;

// A client with a session of its own.
class ScriptClient {
 public:
  ScriptClient(const Database& database, std::vector<ScriptText> texts, BackendSettings settings) {
    plan.scripts = std::make_shared<ScriptSet>(std::move(texts), settings.protocol);
    plan.seed = 7;
    records = std::make_unique<RunRecords>(plan);
    surroundings.emplace(ClientSurroundings{*plan.scripts, records->workers[0]});
    client.emplace(plan, 3, *surroundings);
    backend = database.make_backend(std::move(settings));
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

  // Attempts at it until one succeeds; says how many it took. Errors that are not retryable are thrown.
  Task<int> repeat() {
    ScriptTransaction transaction(*client, 0);
    for (int number = 1;; ++number) {
      std::optional<database::Error> error;
      try {
        co_await attempt(transaction);
      } catch (const database::Error& thrown) {
        error = thrown;
      }
      if (!error) co_return number;
      if (error->error_class() != database::ErrorClass::retryable) throw database::Error(*error);
    }
  }

  // The session has no transaction open.
  Task<bool> session_is_idle() {
    database::Session* session = co_await backend->acquire();
    const database::SessionLease lease(*backend, *session);
    co_return !static_cast<Session*>(session)->in_transaction();
  }

  // A variable as it is put into a statement; "unset" without one.
  std::string variable(const std::string& name) const {
    const std::optional<Slot> slot = plan.scripts->names().find(name);
    if (!slot || !client->variables.is_set(*slot)) return "unset";
    std::string text;
    client->variables.append_text(*slot, text);
    return text;
  }

  void set(const std::string& name, std::int64_t value) {
    client->variables.set(plan.scripts->names().find(name).value(), Value::of(value));
  }

  Plan plan;
  std::unique_ptr<RunRecords> records;
  std::optional<ClientSurroundings> surroundings;
  std::optional<Client> client;
  std::unique_ptr<database::Backend> backend;
};

class TestOfScripts : public testing::Test {
 protected:
  template <class T>
  T run(Task<T> task) {
    return coro::block_on(worker, std::move(task));
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

  static Task<void> side_by_side(Task<void> first, Task<void> second) {
    coro::CancelSource& source = co_await coro::current_source();
    coro::Scope scope(source);
    scope.start(std::move(first));
    scope.start(std::move(second));
    co_await scope.join();
  }

  // By eight clients with six connections on two threads.
  static Plan plan_of(std::vector<ScriptText> texts, Protocol protocol) {
    Plan plan;
    plan.scripts = std::make_shared<ScriptSet>(std::move(texts), protocol);
    plan.presentation = presentation_of(plan);
    plan.terminal_count = 8;
    plan.threads = 2;
    plan.connections = 6;
    plan.operations = 600;
    plan.duration = std::chrono::hours(1);
    plan.seed = 3;
    return plan;
  }

  load::Outcome run_plan(const Database& database, const Plan& plan, RunRecords& records) {
    load::Observer nobody;
    load::StopRequest stop;
    std::optional<load::Outcome> outcome;
    auto body = [&]() -> Task<void> {
      const BackendFactory backends = [&](std::size_t index) {
        return database.make_backend(
            {.protocol = plan.scripts->protocol(),
             .connections = plan.share_of_worker(index, plan.connections)});
      };
      outcome = co_await load::run(plan, make_clients(plan, backends, records), nobody, stop);
    };
    run(body());
    return std::move(*outcome);
  }

  coro::Worker worker;
};

}  // namespace drover::sql
