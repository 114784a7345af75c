// The import on a server: whole in spite of failures and an interruption, extended, refused.
#include "workload/tpcc/ydb/import/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <map>
#include <thread>

#include "coro/scope.h"
#include "database/postgres/connection.h"
#include "support/over_the_wire.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/postgres/import/import.h"
#include "workload/tpcc/ydb/check/fresh_database_test.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::ydb::Primitive;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr PopulationSeed population = {4711, 1'704'164'645'678'901};

// Notes what it is told, and may interrupt the import at any of it.
class Watcher final : public ImportObserver {
 public:
  std::function<void()> at_plan = [] {};
  std::function<void(const ImportProgress&)> at_progress = [](const ImportProgress&) {};
  std::optional<ImportPlan> plan;
  std::vector<std::string> steps;
  std::vector<std::string> steps_done;

  void on_plan(const ImportPlan& made) override {
    plan = made;
    at_plan();
  }
  void on_loading(const ImportProgress& progress) override { at_progress(progress); }
  void on_step(std::string_view name, size_t, size_t) override { steps.emplace_back(name); }
  void on_step_done(std::string_view name, coro::Duration) override {
    steps_done.emplace_back(name);
  }
};

// As an import does that has begun.
Task<void> write_settings(DatabaseAccess& access, std::string folder, ImportRecord settings) {
  YdbAdminSession session_of_claim(access);
  ImportClaim claim(session_of_claim, {});
  co_await claim.take(std::move(folder));
  co_await claim.write(std::move(settings));
  co_await claim.release();
}

class ImportIntoYdb : public FreshDatabase {
 protected:
  static YdbImportOptions options_for(std::string folder) {
    YdbImportOptions options;
    options.database = database(std::move(folder));
    options.request = {.warehouses = 1, .fresh_population = population};
    options.connections = 3;
    options.progress_interval = std::chrono::milliseconds(1);
    options.index_poll_interval = std::chrono::milliseconds(1);
    return options;
  }

  static std::string refusal_of(YdbImportOptions options) {
    Watcher watcher;
    try {
      run(import_warehouses(std::move(options), watcher));
    } catch (const UnfitSchema& error) {
      return error.what();
    }
    return "not refused";
  }

  static std::string on_postgres(std::string sql) { return run(on_postgres_task(std::move(sql))); }

  // The table of PostgreSQL behind that of the folder that was made last.
  static std::string table_behind(std::string_view name) {
    return "ydb_server." +
           on_postgres(fmt::format(
               "SELECT relname FROM pg_class WHERE relnamespace = 'ydb_server'::regnamespace AND "
               "relkind = 'r' AND relname ~ '^t[0-9]+_{}$' ORDER BY oid DESC LIMIT 1",
               name));
  }

  // A checksum of every row, in a form that both kinds of tables have.
  static std::string checksum(Table table, const std::string& place, bool of_ydb) {
    std::map<std::string_view, Primitive> types;
    for (const Column& column : columns(table)) types[column.name] = column.type.primitive;
    std::string fields;
    for (const std::string_view name : column_names(table)) {
      std::string field = fmt::format("{}::text", name);
      if (types[name] == Primitive::decimal) field = fmt::format("trim_scale({})::text", name);
      if (types[name] == Primitive::timestamp && !of_ydb) {
        field = fmt::format("(extract(epoch FROM {}) * 1000000)::bigint::text", name);
      }
      fields += fmt::format(", coalesce({}, 'none')", field);
    }
    return on_postgres(
        fmt::format("SELECT count(*) || ' ' || sum(hashtextextended(concat_ws('|'{}), 0)) FROM {}",
                    fields, place));
  }

  // What the import of PostgreSQL makes of the same seed.
  static const std::map<Table, std::string>& expected_checksums() {
    static const std::map<Table, std::string> expected = [] {
      run(import_into_postgres());
      std::map<Table, std::string> sums;
      for (const Table table : all_tables) {
        sums[table] = checksum(table, fmt::format("expected.{}", table_name(table)), false);
      }
      return sums;
    }();
    return expected;
  }

  static void expect_the_rows_of_the_generator() {
    for (const Table table : all_tables) {
      const std::string name(table_name(table));
      EXPECT_EQ(checksum(table, table_behind(name), true), expected_checksums().at(table)) << name;
    }
  }

 private:
  static Task<std::string> on_postgres_task(std::string sql) {
    const auto connection = co_await database::postgres::Connection::open(server->postgres());
    const database::postgres::Result result = co_await connection->script(std::move(sql));
    co_return result.rows() > 0 ? std::string(result.text(0, 0)) : std::string();
  }

  static Task<void> import_into_postgres() {
    const auto connection = co_await database::postgres::Connection::open(server->postgres());
    postgres::InitialiseOptions initialise_options{.schema = "expected"};
    co_await postgres::initialise(*connection, std::move(initialise_options));
    postgres::PostgresImportOptions options;
    options.conninfo = server->postgres();
    options.schema = "expected";
    options.request = {.warehouses = 1, .fresh_population = population};
    ImportObserver nobody;
    co_await postgres::import_warehouses(std::move(options), nobody);
  }
};

// Cancels the import when so many rows are there. Says whether it was through all the same.
Task<void> import_and_cancel(YdbImportOptions options, int64_t rows, bool& done) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    Watcher watcher;
    watcher.at_progress = [&](const ImportProgress& progress) {
      if (progress.rows >= rows) scope.cancel();
    };
    co_await import_warehouses(std::move(options), watcher);
    done = true;
  };
  try {
    co_await coro::with_scope(body);
  } catch (const coro::Cancelled&) {
  }
}

TEST_F(ImportIntoYdb, LoadsTheRowsOfTheGeneratorInSpiteOfFailuresAndAnInterruption) {
  initialise_folder("whole");
  server->set_faults(R"({"overloaded": {"probability": 0.1}, "unavailable": {"probability": 0.1},
                         "transport_after": {"probability": 0.1, "methods": ["BulkUpsert"]}})");
  bool done = false;
  run(import_and_cancel(options_for("whole"), 150'000, done));
  ASSERT_FALSE(done);
  const ImportRecord begun = settings_of("whole");
  EXPECT_FALSE(begun.complete);
  EXPECT_EQ(begun.population->seed, population.seed);
  EXPECT_THROW(inspect("whole"), UnfitSchema);

  // The load time of the first one counts.
  YdbImportOptions again = options_for("whole");
  again.request.fresh_population = {1, 2};
  Watcher watcher;
  const ImportOutcome outcome = run(import_warehouses(std::move(again), watcher));
  server->set_faults("{}");
  EXPECT_EQ(outcome.plan.population.load_time_us, population.load_time_us);
  EXPECT_THAT(watcher.steps_done, UnorderedElementsAre("index idx_customer_name on customer",
                                                       "index idx_order on oorder"));
  expect_the_rows_of_the_generator();

  const LoadedDatabase loaded = inspect("whole");
  EXPECT_EQ(loaded.warehouses, 1);
  EXPECT_EQ(loaded.load_constants, load_constants(population.seed));
  EXPECT_EQ(number("whole",
                   "SELECT o_id FROM oorder VIEW idx_order WHERE o_w_id = 1 AND o_d_id = 1 "
                   "AND o_c_id = 1 LIMIT 1") > 0,
            true);
  EXPECT_THAT(refusal_of(options_for("whole")),
              HasSubstr("1 warehouse is already loaded, so there is nothing to import. To add "
                        "warehouses, use a larger -w. To start over, create the tables again with "
                        "'drover tpcc init --force --schema whole'"));

  // As far as it looks, the first stage was not loaded: its tables have to do without their
  // indexes meanwhile.
  on_postgres(fmt::format("DELETE FROM {} WHERE stage = 1", table_behind("drover_tpcc_loaded")));
  const std::int64_t alters = calls("AlterTable");
  Watcher second;
  const ImportOutcome repeated = run(import_warehouses(options_for("whole"), second));
  EXPECT_EQ(repeated.rows, 1 + 10 + 30'000 + 30'000);
  EXPECT_EQ(calls("AlterTable") - alters, 2);
  expect_the_rows_of_the_generator();
  EXPECT_TRUE(settings_of("whole").complete);
}

// Two at the same time, under the claim of a third one; one of them was lost before, in the middle
// of its warehouse.
TEST_F(ImportIntoYdb, OthersLoadItsParts) {
  initialise_folder("parts");
  bool loses_one = true;
  int64_t rows = 0;
  YdbImportOptions options = options_for("parts");
  auto load_one = [&](ImportPart part, coro::Scope& scope) -> Task<void> {
    Watcher watcher;
    watcher.at_progress = [&](const ImportProgress& progress) {
      if (loses_one && progress.rows > 100'000) scope.cancel();
    };
    const ImportProgress done = co_await load_part(options_for("parts"), std::move(part), watcher);
    rows += test::over_the_wire(done).rows;
  };
  options.load_elsewhere = [&](const ImportPlan& plan, ImportWork&) -> Task<void> {
    auto both = [&](coro::Scope& scope) -> Task<void> {
      const size_t half = plan.missing.size() / 2;
      scope.start(load_one(test::over_the_wire(part_of(plan, 0, half)), scope));
      scope.start(load_one(test::over_the_wire(part_of(plan, half, plan.missing.size())), scope));
      co_return;
    };
    co_await coro::with_scope(both);
  };
  Watcher watcher;
  try {
    run(import_warehouses(options, watcher));
    ADD_FAILURE() << "it counts as loaded";
  } catch (const database::Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("of 3 parts of the data are not loaded, although all hosts have ended. "
                          "The import stopped with 0 of 1 warehouses loaded"));
  }
  EXPECT_THAT(watcher.steps, testing::IsEmpty());
  EXPECT_FALSE(settings_of("parts").complete);

  loses_one = false;
  rows = 0;
  run(import_warehouses(options, watcher));
  EXPECT_GT(rows, 300'000);
  EXPECT_EQ(watcher.steps_done.size(), 2U);
  expect_the_rows_of_the_generator();
  EXPECT_TRUE(settings_of("parts").complete);
}

TEST_F(ImportIntoYdb, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal_of(options_for("nowhere")),
              HasSubstr("the database has no TPC-C tables. Create them with 'drover tpcc init "
                        "--schema nowhere'"));
  change_scheme("foreign", "CREATE TABLE stock (s Int32 NOT NULL, PRIMARY KEY (s));");
  EXPECT_THAT(refusal_of(options_for("foreign")),
              HasSubstr("the existing tables (stock) were not all created by 'drover tpcc init', "
                        "and an import needs the records of this command. To start over, create "
                        "the tables again with 'drover tpcc init --force --schema foreign'"));

  initialise_folder("filled");
  use("filled", [](DatabaseAccess& access) -> Task<void> {
    BulkRows rows(columns(Table::NewOrder));
    rows.add(1, 1, 1).end_row();
    co_await access.bulk_upsert("new_order", std::move(rows));
  });
  EXPECT_THAT(refusal_of(options_for("filled")),
              HasSubstr("the table new_order has rows that no import of drover has recorded, and "
                        "an import needs empty tables. To start over, create the tables again with "
                        "'drover tpcc init --force --schema filled'"));

  initialise_folder("begun");
  use("begun", [](DatabaseAccess& access) -> Task<void> {
    ImportRecord settings;
    settings.population = population;
    settings.warehouses = 5;
    co_await write_settings(access, "begun", std::move(settings));
  });
  EXPECT_THAT(
      refusal_of(options_for("begun")),
      HasSubstr("-w 1: this schema has an import of 5 warehouses, which is unfinished. To proceed, "
                "continue with -w 5, or create the tables again with 'drover tpcc init --force "
                "--schema begun'"));
  YdbImportOptions other = options_for("begun");
  other.request.warehouses = 5;
  other.request.seed = 9;
  EXPECT_THAT(
      refusal_of(std::move(other)),
      HasSubstr("--seed 9: the loaded warehouses have the seed 4711. Continue without --seed, or "
                "create the tables again with 'drover tpcc init --force --schema begun'"));
}

TEST_F(ImportIntoYdb, PlansWhatIsMissing) {
  initialise_folder("planned");
  use("planned", [](DatabaseAccess& access) -> Task<void> {
    ImportRecord settings;
    settings.population = population;
    settings.warehouses = 2;
    co_await write_settings(access, "planned", std::move(settings));
    co_await write_loaded(access, {.w_id = 1, .stage = LoadStage::indexed}, 1);
    co_await write_loaded(access, {.w_id = 2, .stage = LoadStage::indexed}, 1);
    co_await write_loaded(access, {.w_id = 2, .stage = LoadStage::rest}, 1);
    ImportRequest request{.warehouses = 3, .fresh_population = {}};
    YdbAdminSession session_of_claim(access);
    ImportClaim claim(session_of_claim, {});
    co_await claim.take("planned");
    const PartsPlan plan = co_await begin_import(access, claim, "planned", request);
    EXPECT_EQ(plan.plan.population.seed, population.seed);
    EXPECT_EQ(plan.plan.skipped, 1);
    EXPECT_THAT(plan.plan.missing, ElementsAre(item_part, 1, 3));
    EXPECT_THAT(
        plan.parts,
        ElementsAre(LoadedPart{3, LoadStage::indexed}, LoadedPart{item_part, LoadStage::rest},
                    LoadedPart{1, LoadStage::rest}, LoadedPart{3, LoadStage::rest}));
  });
  EXPECT_EQ(settings_of("planned").warehouses, 3);
}

// Whatever the second one would load: another seed, other times.
TEST_F(ImportIntoYdb, RefusesASecondOneAtATime) {
  initialise_folder("twice");
  YdbImportOptions other = options_for("twice");
  other.request.fresh_population = {1, 2};
  other.claim.watch = std::chrono::hours(1);
  std::string refusal;
  std::atomic<bool> done = false;
  auto body = [&](coro::Scope& scope) -> Task<void> {
    Watcher watcher;
    // On a thread of its own: this one has the first one's worker, which beats meanwhile.
    std::jthread second;
    watcher.at_plan = [&] {
      second = std::jthread([&] {
        refusal = refusal_of(std::move(other));
        done = true;
      });
    };
    watcher.at_progress = [&](const ImportProgress&) {
      if (done) scope.cancel();
    };
    YdbImportOptions options = options_for("twice");
    options.claim.beat = std::chrono::milliseconds(10);
    co_await import_warehouses(std::move(options), watcher);
  };
  auto interrupted = [&]() -> Task<void> {
    try {
      co_await coro::with_scope(body);
    } catch (const coro::Cancelled&) {
    }
  };
  run(interrupted());
  EXPECT_THAT(refusal,
              HasSubstr("another import is running on these tables. Wait for its end, then "
                        "continue with 'drover tpcc import --schema twice' if data are missing"));
  EXPECT_EQ(settings_of("twice").population->load_time_us, population.load_time_us);
}

TEST_F(ImportIntoYdb, SaysHowFarItCame) {
  initialise_folder("lost");
  Watcher watcher;
  // On a thread of its own: this one has the import's worker.
  watcher.at_plan = [] { std::thread([] { run(clean(database("lost"))); }).join(); };
  try {
    run(import_warehouses(options_for("lost"), watcher));
    FAIL() << "no error";
  } catch (const database::Error& error) {
    EXPECT_EQ(error.error_class(), database::ErrorClass::statement);
    EXPECT_THAT(
        error.what(),
        HasSubstr(
            "Please check correctness of table path and user permissions. The import stopped with "
            "0 of 1 warehouses loaded. To continue from there, repeat the same command"));
  }
}

}  // namespace
}  // namespace drover::tpcc::ydb
