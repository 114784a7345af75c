// For tests of YCSB on a database, whichever it is: short ways to use it, and runs of the engine.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/worker.h"
#include "database/error.h"
#include "load/run.h"
#include "workload/ycsb/clients/clients.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

// By its settings, on top of a named workload: {"recordcount=100"}.
inline Properties properties_of(std::string_view workload,
                                const std::vector<std::string>& settings) {
  PropertyReader reader;
  reader.add_workload(workload);
  for (const std::string& setting : settings) reader.add_setting(setting);
  return reader.properties();
}

class TestOfDatabase : public testing::Test {
 protected:
  explicit TestOfDatabase(std::unique_ptr<Database> made) : database(std::move(made)) {}

  template <class T>
  static T run(coro::Task<T> task) {
    coro::Worker worker;
    return coro::block_on(worker, std::move(task));
  }

  // What is thrown says what is wrong with the schema.
  template <class T>
  static std::string unfit(coro::Task<T> task) {
    try {
      run(std::move(task));
    } catch (const database::UnfitSchema& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  LoadProgress load(const Properties& properties, std::size_t connections = 2) const {
    return run(database->load({.properties = properties, .connections = connections}));
  }

  CheckReport check(const Properties& properties, std::size_t connections = 2) const {
    return run(database->check({.properties = properties, .connections = connections}));
  }

  // Some of a thousand rows.
  static Properties part(std::uint64_t begin, std::uint64_t count) {
    return properties_of("a", {"recordcount=1000", "insertstart=" + std::to_string(begin),
                               "insertcount=" + std::to_string(count)});
  }

  // What a run of the engine has come to.
  struct Run {
    RunPreparation prepared;
    Plan plan;
    std::optional<RunRecords> records;
    load::Outcome outcome;
    TableSums after;

    std::uint64_t committed(OperationType type) const {
      const std::size_t place = places_of_types(plan.properties)[static_cast<std::size_t>(type)];
      return sum(place, &load::SharedTotals::ok_count);
    }
    std::uint64_t failed() const {
      std::uint64_t all = 0;
      for (std::size_t i = 0; i < plan.workload.types.size(); ++i) {
        all += sum(i, &load::SharedTotals::failed_count);
      }
      return all;
    }
    std::uint64_t sum(std::size_t type, measure::Counter load::SharedTotals::* counter) const {
      std::uint64_t all = 0;
      for (const auto& worker : outcome.workers) {
        all += (worker->measured[type].*counter).get() + (worker->warmup[type].*counter).get();
      }
      return all;
    }
    std::uint64_t counted(measure::Counter WorkerCounts::* counter) const {
      std::uint64_t all = 0;
      for (const WorkerCounts& worker : records->workers) all += (worker.*counter).get();
      return all;
    }
  };

  struct RunSettings {
    std::uint64_t operations = 500;
    std::size_t clients = 4;
    std::size_t connections = 4;
    std::size_t threads = 1;
    bool verify = false;
    database::Isolation isolation = database::Isolation::read_committed;
    std::function<void()> beside =
        {};  // on a thread of its own, from the start; the run ends after it
  };

  std::unique_ptr<Run> run_engine(const Properties& properties, RunSettings settings) const {
    auto made = std::make_unique<Run>();
    run(run_task(properties, settings, *made));
    return made;
  }

  // What the clients know is what the table has, with some of what nobody knows.
  static void expect_ledger(const Run& run) {
    const Ledger known = run.records->ledger();
    const TableSums& before = run.prepared.before;
    EXPECT_GE(run.after.rows, before.rows + known.inserts);
    EXPECT_LE(run.after.rows, before.rows + known.inserts + known.inserts_unresolved);
    ASSERT_EQ(run.after.versions.has_value(), run.prepared.values == ValueKind::counted);
    if (!run.after.versions) return;
    EXPECT_GE(*run.after.versions, *before.versions + known.versions);
    EXPECT_LE(*run.after.versions, *before.versions + known.versions + known.versions_unresolved);
  }

  const std::unique_ptr<Database> database;

 private:
  // Something that goes on beside a run, which ends when that has ended.
  struct Beside final : load::Observer {
    explicit Beside(std::function<void()> todo) : action(std::move(todo)) {}
    ~Beside() override {
      if (thread.joinable()) thread.join();
    }
    void on_started(coro::Duration) override {
      if (!action) return;
      thread = std::thread([this] {
        action();
        done = true;
      });
    }
    void on_snapshot(const load::Snapshot&) override {
      if (done) stop.request();
    }

    std::function<void()> action;
    std::atomic<bool> done = false;
    load::StopRequest stop;
    std::thread thread;
  };

  coro::Task<void> run_task(const Properties& properties, const RunSettings& settings,
                            Run& made) const {
    made.prepared = co_await database->prepare(properties);
    Plan& plan = made.plan;
    plan.properties = properties;
    plan.next_row = made.prepared.next_row;
    plan.missing_rows = made.prepared.missing_rows.value_or(std::vector<RowRange>());
    plan.set_clients(settings.clients);
    plan.connections = settings.connections;
    plan.threads = settings.threads;
    plan.operations = settings.operations;
    plan.duration = std::chrono::hours(1);
    plan.seed = 7;
    plan.complete();
    made.records.emplace(plan);
    const auto backends = [&](std::size_t index) {
      BackendSettings backend;
      backend.properties = properties;
      backend.values = made.prepared.values;
      backend.verify = settings.verify;
      backend.isolation = settings.isolation;
      backend.connections = plan.share_of_worker(index, settings.connections);
      return database->make_backend(backend);
    };
    Beside beside(settings.beside);
    if (settings.beside) plan.operations = 0;
    load::WorkloadFactory clients = make_clients(plan, backends, *made.records);
    made.outcome = co_await load::run(plan, std::move(clients), beside, beside.stop);
    made.after = co_await database->read_sums(properties, made.prepared.values);
  }
};

}  // namespace drover::ycsb
