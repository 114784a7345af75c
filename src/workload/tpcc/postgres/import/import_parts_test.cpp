// An import whose parts others load, on a real server; and imports that stand still.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "support/over_the_wire.h"
#include "workload/tpcc/postgres/database_fixture_test.h"
#include "workload/tpcc/postgres/database_on_postgres.h"
#include "workload/tpcc/postgres/import/copy_binary.h"
#include "workload/tpcc/postgres/import/import.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using testing::HasSubstr;

constexpr int32_t warehouses = 2;

class ImportInParts : public DatabaseFixture {
 protected:
  // As another host has it.
  static std::unique_ptr<Database> database(const std::string& schema,
                                            std::optional<database::Dialect> dialect = {}) {
    return make_database({server->conninfo(), schema, dialect});
  }

  static ImportSettings settings() {
    ImportSettings settings;
    settings.request.warehouses = warehouses;
    settings.request.fresh_population = {4711, 1'704'164'645'678'901};
    settings.progress_interval = std::chrono::milliseconds(1);
    return settings;
  }

  static PostgresImportOptions options_for(const std::string& schema) {
    PostgresImportOptions options{settings(), {server->conninfo(), schema}};
    options.lock_wait_max = {};
    options.claim.watch = {};
    return options;
  }

  static ImportOutcome import_into(const std::string& schema, LoadElsewhere elsewhere = {}) {
    ImportSettings wanted = settings();
    wanted.load_elsewhere = std::move(elsewhere);
    ImportObserver nobody;
    return run(database(schema)->import_warehouses(wanted, nobody));
  }

  static std::string failure_of(const std::string& schema, LoadElsewhere elsewhere) {
    try {
      import_into(schema, std::move(elsewhere));
    } catch (const database::Error& error) {
      return error.what();
    }
    return "no error";
  }

  static std::string content_of(const std::string& schema) {
    return rows_of(schema) +
           query(fmt::format("SELECT ' ' || count(*) FROM pg_indexes WHERE schemaname = '{}'",
                             schema));
  }

  static std::string rows_of(const std::string& schema) {
    std::string sums = query(fmt::format("SELECT complete FROM {}.drover_tpcc", schema));
    for (const Table table : all_tables) {
      sums +=
          query(fmt::format("SELECT ' ' || count(*) || ' ' || sum(hash_record_extended(t, 0)) "
                            "FROM {} t",
                            qualified_name(schema, table_name(table))));
    }
    return sums;
  }

  // By one process, without an interruption.
  static const std::string& expected_content() {
    static const std::string expected = [] {
      initialise_schema({.schema = "parts_whole"});
      import_into("parts_whole");
      return content_of("parts_whole");
    }();
    return expected;
  }
};

// What one has done goes to whoever adds it up.
class Reporter final : public ImportObserver {
 public:
  std::function<void(const ImportProgress&)> at_progress;
  void on_loading(const ImportProgress& progress) override {
    at_progress(test::over_the_wire(progress));
  }
};

// Half of the plan each, at the same time, from databases of their own.
class TwoLoaders {
 public:
  explicit TwoLoaders(std::vector<std::unique_ptr<Database>> databases)
      : databases_(std::move(databases)) {}

  Task<void> load(const ImportPlan& plan, ImportWork& work) {
    auto body = [&](coro::Scope& scope) -> Task<void> {
      for (size_t i = 0; i < 2; ++i) {
        const size_t all = plan.missing.size();
        observers_[i].at_progress = [this, &work, i](const ImportProgress& progress) {
          done_[i] = progress;
          ImportProgress sum = done_[0];
          sum.add(done_[1]);
          work.show(sum);
        };
        scope.start(
            load_one(test::over_the_wire(part_of(plan, all * i / 2, all * (i + 1) / 2)), i));
      }
      co_return;
    };
    co_await coro::with_scope(body);
  }

 private:
  Task<void> load_one(ImportPart part, size_t index) {
    done_[index] = co_await databases_[index]->load_part(std::move(part), {}, observers_[index]);
  }

  std::vector<std::unique_ptr<Database>> databases_;
  std::array<ImportProgress, 2> done_;
  std::array<Reporter, 2> observers_;
};

TEST_F(ImportInParts, TwoLoadWhatAThirdBeginsAndFinishes) {
  initialise_schema({.schema = "parts"});
  std::vector<std::unique_ptr<Database>> two;
  for (int i = 0; i < 2; ++i) two.push_back(database("parts"));
  TwoLoaders loaders(std::move(two));
  const ImportOutcome outcome = import_into(
      "parts", [&](const ImportPlan& plan, ImportWork& work) { return loaders.load(plan, work); });
  EXPECT_EQ(content_of("parts"), expected_content());
  EXPECT_EQ(outcome.plan.skipped, 0);
  EXPECT_EQ(std::to_string(outcome.rows), query("SELECT sum(rows) FROM parts.drover_tpcc_loaded"));
  EXPECT_GT(outcome.bytes, 0);
}

// Where a claim is held, and parts go in pieces.
TEST_F(ImportInParts, AlsoInPieces) {
  constexpr auto dialect = database::Dialect::cockroach;
  initialise_schema({.schema = "in_pieces", .layout = {dialect}});
  std::vector<std::unique_ptr<Database>> two;
  for (int i = 0; i < 2; ++i) two.push_back(database("in_pieces", dialect));
  TwoLoaders loaders(std::move(two));
  ImportSettings wanted = settings();
  wanted.load_elsewhere = [&](const ImportPlan& plan, ImportWork& work) {
    return loaders.load(plan, work);
  };
  ImportObserver nobody;
  run(database("in_pieces", dialect)->import_warehouses(wanted, nobody));
  query("ALTER TABLE in_pieces.history DROP COLUMN h_id");  // which it has besides
  EXPECT_EQ(expected_content().find(rows_of("in_pieces")), 0U);
}

// One that is lost in the middle of a warehouse, and one that loads only some.
TEST_F(ImportInParts, WhatALostOneLeavesIsLoadedByTheSameCommand) {
  initialise_schema({.schema = "lost_part"});
  const auto other = database("lost_part");
  Reporter observer;
  auto lost = [&](const ImportPlan& plan, ImportWork&) -> Task<void> {
    auto body = [&](coro::Scope& scope) -> Task<void> {
      observer.at_progress = [&](const ImportProgress& progress) {
        if (progress.rows > 150'000) scope.cancel();
      };
      co_await other->load_part(
          part_of(plan, 0, plan.missing.size()),
          {.connections = 1, .progress_interval = std::chrono::milliseconds(1)}, observer);
    };
    co_await coro::with_scope(body);
  };
  EXPECT_THAT(failure_of("lost_part", lost),
              HasSubstr("parts of the data are not loaded, although all hosts have ended. The "
                        "import stopped with"));
  EXPECT_EQ(query("SELECT complete FROM lost_part.drover_tpcc"), "f");

  auto one = [&](const ImportPlan& plan, ImportWork&) -> Task<void> {
    EXPECT_FALSE(plan.missing.empty());
    observer.at_progress = [](const ImportProgress&) {};
    co_await other->load_part(part_of(plan, 0, 1), {}, observer);
    throw database::Error(database::ErrorClass::connection_lost, "", "the host is gone");
  };
  EXPECT_THAT(failure_of("lost_part", one), HasSubstr("the host is gone. The import stopped with"));
  import_into("lost_part");
  EXPECT_EQ(content_of("lost_part"), expected_content());
}

// A process that stands still keeps its sessions, one of them in the middle of a warehouse.
TEST_F(ImportInParts, SessionsOfAnImportThatStandsStillAreEnded) {
  initialise_schema({.schema = "still"});
  class Watcher final : public ImportObserver {
   public:
    int32_t ended = 0;
    void on_sessions_ended(int32_t count) override { ended += count; }
  } watcher;
  auto scenario = [&]() -> Task<void> {
    const PostgresImportOptions options = options_for("still");
    const auto holder = co_await Connection::open(server->conninfo());
    const bool locked = co_await try_lock_import(*holder, "still");
    EXPECT_TRUE(locked);
    const auto loader = co_await open_import_session(options);
    co_await loader->script("BEGIN");
    co_await loader->copy_begin(copy_statement(Table::Warehouse, "still"));
    co_await holder->script(std::string(import_beat));
    co_await import_warehouses(options, watcher);
    for (Connection* session : {holder.get(), loader.get()}) {
      bool is_lost = false;
      try {
        co_await session->script("SELECT 1");
      } catch (const database::Error&) {
        is_lost = true;
      }
      EXPECT_TRUE(is_lost);
    }
  };
  run(scenario());
  EXPECT_EQ(watcher.ended, 2);
  EXPECT_EQ(content_of("still"), expected_content());
}

// The one that began is gone, and its loader does not know it.
TEST_F(ImportInParts, ALoaderWithoutTheOneThatBeganIsEnded) {
  initialise_schema({.schema = "orphan"});
  auto scenario = [&]() -> Task<void> {
    const auto loader = co_await open_import_session(options_for("orphan"));
    ImportObserver nobody;
    co_await import_warehouses(options_for("orphan"), nobody);
  };
  run(scenario());
  EXPECT_EQ(content_of("orphan"), expected_content());
}

TEST_F(ImportInParts, AnImportThatMayLiveIsNotEnded) {
  initialise_schema({.schema = "alive"});
  auto scenario = [&]() -> Task<void> {
    const auto holder = co_await Connection::open(server->conninfo());
    const bool locked = co_await try_lock_import(*holder, "alive");
    EXPECT_TRUE(locked);
    const auto loader = co_await open_import_session(options_for("alive"));
    PostgresImportOptions options = options_for("alive");
    ImportObserver nobody;
    for (const bool beats : {false, true}) {
      if (beats) {
        co_await holder->script(std::string(import_beat));
        options.claim.watch = std::chrono::hours(1);
      }
      std::string refusal;
      try {
        co_await import_warehouses(options, nobody);
      } catch (const UnfitSchema& error) {
        refusal = error.what();
      }
      EXPECT_THAT(refusal, HasSubstr("another import is running in this schema (it holds the "
                                     "advisory lock). Wait for its end"))
          << beats;
    }
    co_await holder->script("SELECT 1");
    co_await loader->script("SELECT 1");
  };
  run(scenario());
}

}  // namespace
}  // namespace drover::tpcc::postgres
