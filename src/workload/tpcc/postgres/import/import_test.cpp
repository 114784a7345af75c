// The import on a real server: whole, interrupted at every kind of point, and refused.
#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <thread>

#include "support/temporary_folder.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/postgres/database_fixture_test.h"

namespace drover::tpcc::postgres {
namespace {

using testing::HasSubstr;

constexpr PopulationSeed population = {4711, 1'704'164'645'678'901};

// Notes what it is told, and may interrupt the import at any of it.
class Watcher final : public ImportObserver {
 public:
  std::function<void(const ImportProgress&)> at_progress = [](const ImportProgress&) {};
  std::function<void(std::string_view)> at_step = [](std::string_view) {};
  std::optional<ImportPlan> plan;
  std::vector<std::string> steps;

  void on_plan(const ImportPlan& made) override { plan = made; }
  void on_loading(const ImportProgress& progress) override { at_progress(progress); }
  void on_step(std::string_view name, size_t, size_t) override {
    steps.emplace_back(name);
    at_step(name);
  }
};

coro::Task<void> import_under(coro::CancelSource*& source_out, PostgresImportOptions options,
                              Watcher& watcher, bool& done) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::Scope scope(outer);
  source_out = &scope;
  auto body = [&]() -> coro::Task<void> {
    co_await import_warehouses(options, watcher);
    done = true;
  };
  scope.start(body());
  co_await scope.join();
}

class Import : public DatabaseFixture {
 protected:
  static PostgresImportOptions options_for(std::string schema, int32_t warehouses) {
    PostgresImportOptions options;
    options.conninfo = server->conninfo();
    options.schema = std::move(schema);
    options.request.warehouses = warehouses;
    options.request.fresh_population = population;
    options.progress_interval = std::chrono::milliseconds(1);
    return options;
  }

  static ImportOutcome import_into(const std::string& schema, int32_t warehouses) {
    Watcher watcher;
    return run(import_warehouses(options_for(schema, warehouses), watcher));
  }

  static std::string refusal_of(PostgresImportOptions options) {
    Watcher watcher;
    try {
      run(import_warehouses(std::move(options), watcher));
    } catch (const UnfitSchema& error) {
      return error.what();
    }
    return "not refused";
  }

  // Cancels the import where `watcher` calls `cancel`; says whether it was through all the same.
  static bool import_until_cancelled(PostgresImportOptions options, Watcher& watcher) {
    bool done = false;
    run(import_under(source, std::move(options), watcher, done));
    return done;
  }

  // Every row of every table.
  static std::string checksum(const std::string& schema) {
    std::string sums;
    for (const Table table : all_tables) {
      sums +=
          query(fmt::format("SELECT '{1} ' || count(*) || ' ' || sum(hash_record_extended(t, "
                            "0)) || E'\\n' FROM {0} t",
                            qualified_name(schema, table_name(table)), table_name(table)));
    }
    return sums;
  }

  // Two warehouses that were loaded without an interruption.
  static const std::string& expected_checksum() {
    static const std::string expected = [] {
      initialise_schema({.schema = "uninterrupted"});
      import_into("uninterrupted", 2);
      return checksum("uninterrupted");
    }();
    return expected;
  }

  static std::string objects_in(const std::string& schema) {
    return query(fmt::format(
        "SELECT count(*) FILTER (WHERE contype = 'p') || ' ' || count(*) FILTER (WHERE contype = "
        "'f' AND convalidated) || ' ' || count(*) FILTER (WHERE NOT convalidated) || ' ' || "
        "(SELECT count(*) FROM pg_indexes WHERE schemaname = '{0}' AND tablename NOT LIKE "
        "'drover%')"
        " FROM pg_constraint WHERE connamespace = '{0}'::regnamespace AND conrelid NOT IN "
        "('{0}.drover_tpcc'::regclass, '{0}.drover_tpcc_loaded'::regclass)",
        schema));
  }

  static std::string loaded_in(const std::string& schema) {
    return query(fmt::format("SELECT w_id FROM {}.drover_tpcc_loaded ORDER BY 1", schema));
  }

  inline static coro::CancelSource* source = nullptr;
};

// The server's count is believed, and not that of the rows which were sent.
TEST_F(Import, WhatTheServerKeepsOutIsNotRecordedAsLoaded) {
  initialise_schema({.schema = "kept_out"});
  query(
      "CREATE FUNCTION kept_out.drop_it() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN RETURN NULL; END'; CREATE TRIGGER keeps BEFORE INSERT ON kept_out.warehouse "
      "FOR EACH ROW EXECUTE FUNCTION kept_out.drop_it()");
  try {
    import_into("kept_out", 1);
    ADD_FAILURE() << "it counts as loaded";
  } catch (const database::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the server stored 0 of the 1 rows of table warehouse. A "
                                        "trigger or a rule may reject rows. The import"));
    EXPECT_THAT(error.what(), HasSubstr("stopped with 0 of 1 warehouses"));
  }
  EXPECT_EQ(query("SELECT count(*) FROM kept_out.drover_tpcc_loaded WHERE w_id = 1"), "0");
}

TEST_F(Import, LoadsAWarehouseWithKeysAndStatistics) {
  initialise_schema({.schema = "whole"});
  const ImportOutcome outcome = import_into("whole", 1);
  EXPECT_EQ(outcome.plan.skipped, 0);
  for (const Table table : all_tables) {
    if (table == Table::OrderLine) continue;
    EXPECT_EQ(query(fmt::format("SELECT count(*) FROM whole.{}", table_name(table))),
              std::to_string(rows_at_load(table, 1)))
        << table_name(table);
  }
  EXPECT_EQ(objects_in("whole"), "8 0 0 10");
  EXPECT_EQ(query("SELECT complete FROM whole.drover_tpcc"), "t");
  EXPECT_EQ(query("SELECT count(DISTINCT tablename) FROM pg_stats WHERE schemaname = 'whole' AND "
                  "tablename NOT LIKE 'drover%'"),
            "9");
  const NurandConstants constants = load_constants(population.seed);
  EXPECT_EQ(query("SELECT c_last || ' ' || c_id || ' ' || ol_i_id FROM whole.drover_tpcc"),
            fmt::format("{} {} {}", constants.c_last, constants.c_id, constants.ol_i_id));
  EXPECT_EQ(query("SELECT rows FROM whole.drover_tpcc_loaded ORDER BY w_id"),
            fmt::format("100000,{}", outcome.rows - 100'000));
}

// Updates of a published table need its key.
TEST_F(Import, GoesIntoAPublication) {
  initialise_schema({.schema = "published"});
  query("CREATE PUBLICATION everything FOR ALL TABLES");
  EXPECT_EQ(import_into("published", 1).plan.warehouses, 1);
  EXPECT_EQ(query("SELECT complete FROM published.drover_tpcc"), "t");
  // The table as an older version of Drover made it.
  initialise_schema({.schema = "published", .force = true});
  query("ALTER TABLE published.drover_tpcc DROP COLUMN id");
  EXPECT_EQ(import_into("published", 1).plan.warehouses, 1);
  EXPECT_EQ(query("SELECT complete FROM published.drover_tpcc"), "t");

  const auto prepare = [&]() -> coro::Task<std::string> {
    const auto connection = co_await database::postgres::Connection::open(server->conninfo());
    try {
      co_await require_fit_for_run(*connection, "published");
    } catch (const UnfitSchema& error) {
      co_return error.what();
    }
    co_return "fit for a run";
  };
  EXPECT_EQ(run(prepare()), "fit for a run");
  query("ALTER TABLE published.stock DROP CONSTRAINT stock_pkey");
  EXPECT_THAT(run(prepare()), HasSubstr("the publication everything publishes changes of stock"));
  query("ALTER TABLE published.stock REPLICA IDENTITY FULL");
  EXPECT_EQ(run(prepare()), "fit for a run");
  query("DROP PUBLICATION everything");
}

TEST_F(Import, SaysWhichStatisticsTheServerLeftOut) {
  initialise_schema({.schema = "owned"});
  EXPECT_TRUE(import_into("owned", 1).notes.empty());
  query(
      "CREATE ROLE guest LOGIN; GRANT ALL ON SCHEMA owned TO guest; "
      "GRANT ALL ON ALL TABLES IN SCHEMA owned TO guest");
  PostgresImportOptions options = options_for("owned", 2);
  options.conninfo += " user=guest";
  Watcher watcher;
  const ImportOutcome outcome = run(import_warehouses(std::move(options), watcher));
  EXPECT_EQ(outcome.notes.size(), 1U);
  EXPECT_THAT(
      outcome.notes,
      testing::Contains(testing::AllOf(
          testing::StartsWith("note: "), HasSubstr("stock"),
          HasSubstr(" may lack statistics, so statements may be slow. The server warned: "))));
}

TEST_F(Import, RefusesWhatDoesNotFitTheSchema) {
  EXPECT_THAT(refusal_of(options_for("nowhere", 1)), HasSubstr("drover tpcc init --schema"));
  initialise_schema({.schema = "picky"});
  query("DROP TABLE picky.history");
  EXPECT_THAT(refusal_of(options_for("picky", 1)), HasSubstr("tables are missing (history)"));

  initialise_schema({.schema = "picky", .force = true});
  query("INSERT INTO picky.new_order VALUES (1, 1, 1)");
  EXPECT_THAT(refusal_of(options_for("picky", 1)),
              HasSubstr("the table new_order has rows that no import of drover has recorded, and "
                        "an import needs empty tables. To start over, create the tables again with "
                        "'drover tpcc init --force --schema picky'"));
  query("TRUNCATE picky.new_order");
  import_into("picky", 2);

  EXPECT_THAT(refusal_of(options_for("picky", 2)),
              HasSubstr("2 warehouses are already loaded, so there is nothing to import. To add "
                        "warehouses, use a larger -w. To start over, create the tables again with "
                        "'drover tpcc init --force --schema picky'"));
  EXPECT_THAT(refusal_of(options_for("picky", 1)), HasSubstr("-w 1"));
  PostgresImportOptions other_seed = options_for("picky", 3);
  other_seed.request.seed = 1;
  EXPECT_THAT(refusal_of(other_seed), HasSubstr("seed 4711"));
  query(
      "INSERT INTO picky.warehouse SELECT 9, w_name, w_street_1, w_street_2, w_city, w_state, "
      "w_zip, w_tax, w_ytd FROM picky.warehouse WHERE w_id = 1");
  EXPECT_THAT(refusal_of(options_for("picky", 3)), HasSubstr("warehouse 9"));
  query("DROP TABLE picky.drover_tpcc");
  EXPECT_THAT(refusal_of(options_for("picky", 3)),
              HasSubstr("were not all created by 'drover tpcc init', and an import needs the "
                        "records of this command. To start over, create the tables again with "
                        "'drover tpcc init --force --schema picky'"));
}

TEST_F(Import, GoesOnAfterACancellation) {
  initialise_schema({.schema = "cancelled"});
  Watcher watcher;
  watcher.at_progress = [](const ImportProgress& progress) {
    if (progress.warehouses >= 1) source->cancel();
  };
  PostgresImportOptions one_by_one = options_for("cancelled", 2);
  one_by_one.connections = 1;
  EXPECT_FALSE(import_until_cancelled(one_by_one, watcher));
  const std::string loaded = loaded_in("cancelled");
  EXPECT_EQ(loaded, "0,1");
  EXPECT_EQ(query("SELECT complete FROM cancelled.drover_tpcc"), "f");

  // Seed and time come from the record, not from the new request.
  PostgresImportOptions again = options_for("cancelled", 2);
  again.request.fresh_population = {1, 1};
  Watcher second;
  const ImportOutcome outcome = run(import_warehouses(again, second));
  EXPECT_EQ(outcome.plan.skipped, 1);
  EXPECT_EQ(checksum("cancelled"), expected_checksum());
  EXPECT_EQ(objects_in("cancelled"), "8 0 0 10");
}

TEST_F(Import, GoesOnAfterACrashOfTheServer) {
  initialise_schema({.schema = "crashed"});
  Watcher watcher;
  bool stopped = false;
  watcher.at_progress = [&](const ImportProgress& progress) {
    if (progress.warehouses >= 1 && !stopped) {
      stopped = true;
      server->stop();
    }
  };
  try {
    run(import_warehouses(options_for("crashed", 2), watcher));
    ADD_FAILURE() << "the server was not missed";
  } catch (const database::Error& error) {
    EXPECT_EQ(error.error_class(), database::ErrorClass::connection_lost);
    EXPECT_THAT(
        error.what(),
        HasSubstr(" of 2 warehouses loaded. To continue from there, repeat the same command"));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("..")));
  }
  EXPECT_THROW(import_into("crashed", 2), database::Error);
  server->start();
  EXPECT_GE(import_into("crashed", 2).plan.skipped, 0);
  EXPECT_EQ(checksum("crashed"), expected_checksum());
}

TEST_F(Import, GoesOnBetweenIndexes) {
  initialise_schema({.schema = "indexed", .foreign_keys = ForeignKeys::after_load});
  for (const std::string_view point :
       {"primary key customer_pkey", "analyze stock", "foreign key history_customer_fkey"}) {
    Watcher watcher;
    watcher.at_step = [&](std::string_view name) {
      if (name == point) source->cancel();
    };
    EXPECT_FALSE(import_until_cancelled(options_for("indexed", 1), watcher));
    EXPECT_THAT(watcher.steps, testing::Contains(point));
  }
  Watcher watcher;
  const ImportOutcome outcome = run(import_warehouses(options_for("indexed", 1), watcher));
  EXPECT_EQ(outcome.plan.skipped, 1);
  EXPECT_EQ(outcome.rows, 0);
  EXPECT_THAT(watcher.steps, testing::Not(testing::Contains(HasSubstr("primary key"))));
  EXPECT_EQ(objects_in("indexed"), "8 10 0 10");
  EXPECT_THAT(refusal_of(options_for("indexed", 1)),
              HasSubstr("1 warehouse is already loaded, so there is nothing to import. To add "
                        "warehouses, use a larger -w. To start over, create the tables again with "
                        "'drover tpcc init --force --schema indexed'"));

  // More warehouses, although the references are there.
  import_into("indexed", 2);
  EXPECT_EQ(checksum("indexed"), expected_checksum());
  EXPECT_EQ(objects_in("indexed"), "8 10 0 10");
}

TEST_F(Import, SeveralThreadsLoadTheSame) {
  initialise_schema({.schema = "threads"});
  PostgresImportOptions options = options_for("threads", 2);
  options.connections = 2;
  options.threads = 2;
  Watcher watcher;
  run(import_warehouses(options, watcher));
  EXPECT_EQ(checksum("threads"), expected_checksum());
}

TEST_F(Import, AnErrorOnOneThreadStopsAll) {
  initialise_schema({.schema = "failing"});
  query("ALTER TABLE failing.oorder ADD CONSTRAINT only_1 CHECK (o_w_id < 2)");
  PostgresImportOptions options = options_for("failing", 9);
  options.connections = 4;
  options.threads = 4;
  Watcher watcher;
  try {
    run(import_warehouses(options, watcher));
    ADD_FAILURE() << "no error";
  } catch (const database::Error& error) {
    EXPECT_EQ(error.sqlstate(), "23514");
    EXPECT_THAT(error.what(), HasSubstr("of 9 warehouses loaded"));
  }
  EXPECT_EQ(query("SELECT count(*) FROM failing.drover_tpcc_loaded WHERE w_id > 1"), "0");
}

TEST_F(Import, OnlyOneAtATime) {
  initialise_schema({.schema = "locked"});
  Watcher watcher;
  bool asked = false;
  std::string refusal;
  watcher.at_progress = [&](const ImportProgress&) {
    if (std::exchange(asked, true)) return;
    // Another process would do this; here another thread does, as a worker's loop does not nest.
    std::thread other([&] {
      PostgresImportOptions options = options_for("locked", 1);
      options.lock_wait_max = coro::Duration::zero();
      refusal = refusal_of(options);
    });
    other.join();
  };
  run(import_warehouses(options_for("locked", 1), watcher));
  EXPECT_THAT(refusal, HasSubstr("another import is running in this schema (it holds the advisory "
                                 "lock). Wait for its end"));
}

// A file system of a few MB, which the server may write to. Gone at the end.
class SmallDisk {
 public:
  explicit SmallDisk(const struct stat& owner) {
    mounted_ = mount("drover", folder_.path().c_str(), "tmpfs", 0, "size=8m,mode=0700") == 0;
    if (mounted_) mounted_ = chown(folder_.path().c_str(), owner.st_uid, owner.st_gid) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  std::string path() const { return folder_.path(); }
  bool grow() const {
    return mount("drover", folder_.path().c_str(), "tmpfs", MS_REMOUNT, "size=512m") == 0;
  }

 private:
  test::TemporaryFolder folder_;
  bool mounted_ = false;
};

TEST_F(Import, GoesOnAfterAFullDisk) {
  struct stat owner{};
  ASSERT_EQ(stat(query("SHOW data_directory").c_str(), &owner), 0);
  const SmallDisk disk(owner);
  if (!disk.mounted()) GTEST_SKIP() << "a file system of limited size needs the right to mount";
  initialise_schema({.schema = "tight"});
  query(fmt::format("CREATE TABLESPACE small LOCATION '{}'", disk.path()));
  query("ALTER TABLE tight.stock SET TABLESPACE small");
  try {
    import_into("tight", 2);
    ADD_FAILURE() << "8 MB were enough";
  } catch (const database::Error& error) {
    EXPECT_EQ(error.sqlstate(), "53100");
    EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
    EXPECT_THAT(error.what(), HasSubstr("The import stopped with 0 of 2 warehouses loaded. To "
                                        "continue from there, repeat the same command"));
  }
  ASSERT_TRUE(disk.grow());
  import_into("tight", 2);
  EXPECT_EQ(checksum("tight"), expected_checksum());
  query("DROP TABLE tight.stock");
  query("DROP TABLESPACE small");
}

// Where a transaction takes only so many rows, and no lock outlives one.
class ImportInPieces : public Import {
 protected:
  static PostgresImportOptions in_pieces(const std::string& schema, int32_t warehouses) {
    PostgresImportOptions options = options_for(schema, warehouses);
    options.dialect = database::Dialect::cockroach;
    options.connections = 2;
    return options;
  }

  static void initialise_in_pieces(const std::string& schema) {
    initialise_schema({.schema = schema, .layout = {database::Dialect::cockroach}});
  }

  // As checksum(), without the column that history has besides.
  static std::string rows_in(const std::string& schema) {
    query(fmt::format("ALTER TABLE {}.history DROP COLUMN h_id", schema));
    return checksum(schema);
  }

  static std::string pieces_of(const std::string& schema) {
    return query(fmt::format("SELECT count(*) FROM {}.drover_tpcc_progress", schema));
  }

  static std::string owner_of(const std::string& schema) {
    return query(fmt::format("SELECT coalesce(import_owner, '') FROM {}.drover_tpcc", schema));
  }
};

TEST_F(ImportInPieces, LoadsTheSameRows) {
  initialise_in_pieces("pieces");
  Watcher watcher;
  run(import_warehouses(in_pieces("pieces", 2), watcher));
  EXPECT_EQ(rows_in("pieces"), expected_checksum());
  EXPECT_EQ(loaded_in("pieces"), "0,1,2");
  EXPECT_EQ(pieces_of("pieces"), "0") << "what is loaded needs no record of its pieces";
  EXPECT_EQ(owner_of("pieces"), "") << "the claim was given up";
}

// In the middle of several tables: pieces that are recorded are not loaded again, the others are.
TEST_F(ImportInPieces, GoesOnBetweenPieces) {
  initialise_in_pieces("interrupted_pieces");
  for (const std::int64_t rows : {50'000, 150'000, 400'000}) {
    Watcher watcher;
    watcher.at_progress = [rows](const ImportProgress& progress) {
      if (progress.rows >= rows) source->cancel();
    };
    EXPECT_FALSE(import_until_cancelled(in_pieces("interrupted_pieces", 2), watcher));
    EXPECT_NE(pieces_of("interrupted_pieces"), "0");
    EXPECT_EQ(owner_of("interrupted_pieces"), "") << "one that is cancelled gives up its claim";
  }
  Watcher watcher;
  run(import_warehouses(in_pieces("interrupted_pieces", 2), watcher));
  EXPECT_EQ(rows_in("interrupted_pieces"), expected_checksum());
}

TEST_F(ImportInPieces, WaitsForOneThatWasKilledAndNotForOneThatLives) {
  initialise_in_pieces("claimed");
  const auto claim = [](std::string owner) {
    query(
        fmt::format("UPDATE claimed.drover_tpcc SET import_owner = '{}', import_beat = import_beat "
                    "+ 1",
                    owner));
  };
  claim("somebody");
  PostgresImportOptions options = in_pieces("claimed", 1);
  // It is watched for no longer than it takes to see that its beat stands still.
  options.claim.watch = std::chrono::milliseconds(0);
  Watcher watcher;
  run(import_warehouses(options, watcher));
  EXPECT_EQ(owner_of("claimed"), "");

  claim("another");
  options = in_pieces("claimed", 2);
  options.claim.watch = std::chrono::hours(1);
  class Beating final : public ImportObserver {
   public:
    // The thread of the import has a worker already.
    void on_wait() override {
      std::thread([] {
        query("UPDATE claimed.drover_tpcc SET import_beat = import_beat + 1");
      }).join();
    }
  } beating;
  std::string refusal = "not refused";
  try {
    run(import_warehouses(options, beating));
  } catch (const UnfitSchema& error) {
    refusal = error.what();
  }
  EXPECT_THAT(refusal,
              HasSubstr("another import is running on these tables. Wait for its end, then "
                        "continue with 'drover tpcc import --schema claimed' if data are missing"));
}

// A piece that somebody else has recorded is not loaded a second time.
TEST_F(ImportInPieces, RefusesAPieceThatIsRecorded) {
  initialise_in_pieces("recorded");
  query(
      "CREATE FUNCTION recorded.other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.w_id = 1 "
      "THEN RETURN NULL; END IF; RETURN NEW; END'; CREATE TRIGGER other BEFORE INSERT ON "
      "recorded.drover_tpcc_progress FOR EACH ROW EXECUTE FUNCTION recorded.other()");
  Watcher watcher;
  try {
    run(import_warehouses(in_pieces("recorded", 1), watcher));
    ADD_FAILURE() << "it counts as loaded";
  } catch (const database::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("0 rows of drover_tpcc_progress were written"));
  }
  EXPECT_EQ(query("SELECT count(*) FROM recorded.warehouse"), "0");
}

}  // namespace
}  // namespace drover::tpcc::postgres
