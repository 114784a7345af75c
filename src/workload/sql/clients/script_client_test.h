// For tests of scripts on any database: a client that executes scripts outside of the engine, and
// runs of the engine.
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
#include "workload/sql/database.h"

namespace drover::sql {

using coro::Task;

// A client with a backend of its own.
class ScriptClient {
 public:
  ScriptClient(const Database& database, std::vector<ScriptText> texts,
               ScriptBackendSettings settings) {
    plan.scripts = std::make_shared<ScriptSet>(std::move(texts), settings.protocol);
    plan.seed = 7;
    records = std::make_unique<RunCounts>(plan);
    context.emplace(WorkerContext{*plan.scripts, records->workers[0]});
    client.emplace(plan, 3, *context);
    backend = database.make_backend(std::move(settings));
  }

  Task<void> open() { return backend->open(); }

  // Executes one attempt of the transaction.
  Task<void> attempt(ScriptTransaction& transaction) {
    database::Session* session = co_await backend->acquire();
    const database::SessionLease lease(*backend, *session);
    co_await transaction.execute(*session);
  }

  Task<void> execute(std::size_t script = 0) {
    ScriptTransaction transaction(*client, script);
    co_await attempt(transaction);
  }

  // Repeats the transaction until it succeeds. Returns the number of attempts. Throws final errors.
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

  // Returns true if the session has no open transaction.
  Task<bool> session_is_idle() {
    database::Session* session = co_await backend->acquire();
    const database::SessionLease lease(*backend, *session);
    co_return !static_cast<ScriptSession*>(session)->in_transaction();
  }

  // Returns the text that a statement would contain, or "unset".
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

  ScriptPlan plan;
  std::unique_ptr<RunCounts> records;
  std::optional<WorkerContext> context;
  std::optional<ClientState> client;
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

  // Returns a plan of eight clients with six connections on two threads.
  static ScriptPlan plan_of(std::vector<ScriptText> texts, Protocol protocol) {
    ScriptPlan plan;
    plan.scripts = std::make_shared<ScriptSet>(std::move(texts), protocol);
    plan.workload = workload_info(plan);
    plan.terminal_count = 8;
    plan.threads = 2;
    plan.connections = 6;
    plan.operations = 600;
    plan.duration = std::chrono::hours(1);
    plan.seed = 3;
    return plan;
  }

  load::Outcome run_plan(const Database& database, const ScriptPlan& plan, RunCounts& records) {
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
