// The check on a real server: what it reports of valid, corrupted, incomplete and absent data.

#include "workload/tpcc/postgres/check/check.h"

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/connection.h"
#include "support/over_the_wire.h"
#include "support/small_population.h"
#include "support/test_server.h"
#include "workload/tpcc/check/check_work.h"
#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/postgres/database_on_postgres.h"
#include "workload/tpcc/postgres/small_database_test.h"

namespace drover::tpcc::postgres {
namespace {

coro::Task<void> run_script(std::string conninfo, std::string sql) {
  const auto connection = co_await database::postgres::Connection::open(std::move(conninfo));
  co_await connection->script(std::move(sql));
}

class Check : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = new test::TestServer; }
  static void TearDownTestSuite() {
    delete server;
    server = nullptr;
  }

  void execute(const std::string& sql) {
    coro::Worker worker;
    coro::block_on(worker, run_script(server->conninfo(), sql));
  }

  CheckReport run(std::string schema, CheckSettings settings = {}) {
    coro::Worker worker;
    return coro::block_on(worker,
                          check({std::move(settings), {server->conninfo(), std::move(schema)}}));
  }

  std::string error_of(std::string schema) {
    try {
      run(std::move(schema));
    } catch (const database::Error& error) {
      return error.what();
    }
    return "no error";
  }

  static test::TestServer* server;
};

test::TestServer* Check::server = nullptr;

const Verdict& verdict_named(const CheckReport& report, std::string_view name) {
  const auto found = std::find_if(report.verdicts.begin(), report.verdicts.end(),
                                  [&](const Verdict& verdict) { return verdict.name == name; });
  if (found == report.verdicts.end()) throw std::runtime_error("no verdict " + std::string(name));
  return *found;
}

TEST_F(Check, ReportsEveryConditionAndItsOffenders) {
  execute("CREATE SCHEMA valid; SET search_path TO valid; " + test::small_population());
  std::size_t last_done = 0;
  std::size_t last_total = 0;
  const CheckReport valid =
      run("valid", {.after_import = true, .on_progress = [&](const CheckProgress& progress) {
                      EXPECT_GE(progress.done, last_done);
                      EXPECT_EQ(progress.left.has_value(), progress.done > 0);
                      EXPECT_EQ(progress.condition.empty(), progress.done == progress.total);
                      last_done = progress.done;
                      last_total = progress.total;
                    }});
  EXPECT_EQ(valid.warehouses, 2);
  EXPECT_EQ(valid.money, Money::exact);
  EXPECT_TRUE(valid.holds());
  EXPECT_GT(last_total, 50U);
  EXPECT_EQ(last_done, last_total);
  EXPECT_TRUE(valid.left_out.empty());
  EXPECT_EQ(valid.snapshot_refusal, std::nullopt);
  std::vector<int> numbers;
  for (const Verdict& verdict : valid.verdicts) {
    EXPECT_TRUE(verdict.holds()) << verdict.name;
    EXPECT_GT(verdict.server_time.count(), 0) << verdict.name;
    if (verdict.number != 0) numbers.push_back(verdict.number);
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));

  execute(
      "SET search_path TO valid; "
      "UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_id IN (1, 3000) AND c_d_id = 2;"
      "ALTER TABLE stock RENAME s_data TO s_text");
  const CheckReport broken = run("valid", {.after_import = true, .connections = 3});
  EXPECT_FALSE(broken.holds());
  const Verdict& balances = verdict_named(broken, "10");
  EXPECT_EQ(balances.offenders, 4);
  ASSERT_EQ(balances.first_offenders.size(), 3U);
  EXPECT_EQ(balances.first_offenders[0].key, "w_id=1 d_id=2 c_id=1");
  EXPECT_EQ(balances.first_offenders[0].found, "-9.99");
  EXPECT_EQ(balances.first_offenders[2].key, "w_id=2 d_id=2 c_id=1");
  EXPECT_TRUE(verdict_named(broken, "9").holds());
  const Verdict& unknown = verdict_named(broken, "stock.columns");
  EXPECT_FALSE(unknown.holds());
  EXPECT_EQ(unknown.offenders, 0);
  ASSERT_TRUE(unknown.error);
  EXPECT_NE(unknown.error->find("s_data"), std::string::npos) << *unknown.error;

  // Without the rules of the population, and for one warehouse of two.
  const CheckReport first = run("valid", {.warehouses = 1});
  EXPECT_EQ(verdict_named(first, "12").offenders, 2);
  EXPECT_THROW(verdict_named(first, "11"), std::runtime_error);
  EXPECT_EQ(first.left_out.front().number, 11);
  EXPECT_GT(first.left_out.size(), 10U);

  const CheckReport three = run("valid", {.warehouses = 3});
  EXPECT_EQ(verdict_named(three, "1").first_offenders.at(0).key, "w_id=3");
  EXPECT_EQ(verdict_named(three, "district.rows").offenders, 10);
}

// Spoils the database, and each table of it, in the middle of a check; once.
class Spoiler {
 public:
  Spoiler(std::string conninfo, std::string schema)
      : connection_(PQconnectdb(conninfo.c_str()), PQfinish), schema_(std::move(schema)) {}

  void operator()(const CheckProgress&) {
    if (done_) return;
    done_ = true;
    const std::string sql = "SET search_path TO " + schema_ + R"(;
        UPDATE warehouse SET w_ytd = w_ytd + 1; DELETE FROM district WHERE d_id = 7;
        UPDATE customer SET c_balance = NULL WHERE c_id = 5; DELETE FROM stock WHERE s_i_id = 5;
        DELETE FROM oorder WHERE o_id = 5; UPDATE order_line SET ol_quantity = 99 WHERE ol_o_id = 9;
        DELETE FROM new_order; DELETE FROM history WHERE h_c_id = 7; DELETE FROM item)";
    PGresult* result = PQexec(connection_.get(), sql.c_str());
    EXPECT_EQ(PQresultStatus(result), PGRES_COMMAND_OK) << PQerrorMessage(connection_.get());
    PQclear(result);
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::string schema_;
  bool done_ = false;
};

std::vector<std::string> violated(const CheckReport& report) {
  std::vector<std::string> names;
  for (const Verdict& verdict : report.verdicts)
    if (!verdict.error && !verdict.holds()) names.push_back(verdict.name);
  return names;
}

// On a small database a check takes a moment. It was not made by an import, so that a few
// conditions are violated from the beginning.
class CheckOfSmallData : public testing::Test {
 protected:
  static void SetUpTestSuite() { database = std::make_unique<SmallDatabase>(); }
  static void TearDownTestSuite() { database.reset(); }

  static CheckReport run(CheckOptions options) { return database->run(check(std::move(options))); }
  static CheckReport run(std::string schema, CheckSettings settings = {}) {
    return run(CheckOptions{std::move(settings), {database->conninfo(), std::move(schema)}});
  }

  // Says what is violated from the beginning.
  static std::vector<std::string> make(const std::string& schema) {
    database->make(schema);
    database->script("ALTER TABLE customer ALTER c_balance DROP NOT NULL");
    return violated(run(schema));
  }

  static std::unique_ptr<SmallDatabase> database;
};

std::unique_ptr<SmallDatabase> CheckOfSmallData::database;

// The first session begins before the database is spoilt, the others after it.
TEST_F(CheckOfSmallData, SeesOneSnapshotInAllSessions) {
  const std::vector<std::string> before = make("moving");
  Spoiler spoil(database->conninfo(), "moving");
  const CheckReport during = run("moving", {.connections = 4, .on_progress = std::ref(spoil)});
  EXPECT_EQ(during.snapshot_refusal, std::nullopt);
  EXPECT_EQ(violated(during), before);
  for (const Verdict& verdict : during.verdicts) EXPECT_FALSE(verdict.error) << verdict.name;

  const CheckReport after = run("moving", {.connections = 4});
  EXPECT_GT(violated(after).size(), 15U);
}

// Each on a host of its own, in the snapshot of the one that began: which it spoils before they
// judge. One of them is lost, and what it leaves is given to the other.
TEST_F(CheckOfSmallData, OthersJudgeItsPiecesInItsSnapshot) {
  const std::vector<std::string> before = make("parted");
  Spoiler spoil(database->conninfo(), "parted");
  CheckSettings settings{.connections = 4};
  CheckProgress last;
  settings.on_progress = [&](const CheckProgress& progress) { last = progress; };
  settings.judge_elsewhere = [&](const CheckPart& all, CheckWork& work) -> coro::Task<void> {
    spoil({});
    const auto one = make_database({database->conninfo(), "parted"});
    const auto other = make_database({database->conninfo(), "parted"});
    const auto judge = [&](const Database& where, CheckPart part) -> coro::Task<void> {
      auto refusal = co_await where.check_pieces(
          test::over_the_wire(part), {.connections = 2},
          [&](const PieceVerdict& verdict) { work.add(test::over_the_wire(verdict)); });
      work.note_refusal(std::move(refusal));
    };
    std::array<CheckPart, 2> parts = {all, all};
    for (CheckPart& part : parts) part.pieces.clear();
    for (const std::uint64_t piece : all.pieces) parts[piece % 2].pieces.push_back(piece);
    parts[1].pieces.resize(parts[1].pieces.size() / 2);
    auto both = [&](coro::Scope& scope) -> coro::Task<void> {
      scope.start(judge(*one, parts[0]));
      scope.start(judge(*other, parts[1]));
      co_return;
    };
    co_await coro::with_scope(both);
    CheckPart rest = all;
    rest.pieces = work.missing();
    EXPECT_FALSE(rest.pieces.empty());
    co_await judge(*one, rest);
    EXPECT_TRUE(work.missing().empty());
  };
  const CheckReport report = run("parted", settings);
  EXPECT_EQ(report.snapshot_refusal, std::nullopt);
  EXPECT_EQ(violated(report), before);
  for (const Verdict& verdict : report.verdicts) {
    EXPECT_FALSE(verdict.error) << verdict.name;
    EXPECT_GT(verdict.server_time.count(), 0) << verdict.name;
  }
  EXPECT_EQ(last.done, last.total);
  EXPECT_TRUE(last.condition.empty());

  // Nobody judges: nothing is claimed.
  settings.judge_elsewhere = [](const CheckPart&, CheckWork&) -> coro::Task<void> { co_return; };
  try {
    run("parted", settings);
    ADD_FAILURE() << "it was claimed";
  } catch (const database::Error& error) {
    EXPECT_NE(std::string(error.what()).find("pieces of the check have no verdict"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(CheckOfSmallData, GivesNoVerdictWithoutTheSnapshotOfTheFirst) {
  make("gone");
  const CheckPart late{
      .snapshot = "00000003-0000001B-1", .warehouses = 2, .sessions = 1, .pieces = {0}};
  int verdicts = 0;
  const auto where = make_database({database->conninfo(), "gone"});
  try {
    database->run(
        where->check_pieces(late, {.connections = 1}, [&](const PieceVerdict&) { ++verdicts; }));
    ADD_FAILURE() << "the snapshot may be of another server";
  } catch (const database::Error& error) {
    EXPECT_NE(std::string(error.what()).find("on different servers"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(verdicts, 0);
}

TEST_F(CheckOfSmallData, SaysWhereEachSessionSawItsOwnSnapshot) {
  const std::vector<std::string> before = make("apart");
  database->script(R"(CREATE ROLE plain; GRANT USAGE ON SCHEMA apart TO plain;
      GRANT SELECT ON ALL TABLES IN SCHEMA apart TO plain;
      REVOKE EXECUTE ON FUNCTION pg_export_snapshot() FROM PUBLIC)");
  Spoiler spoil(database->conninfo(), "apart");
  CheckOptions options;
  options.conninfo = database->conninfo() + " options='-c role=plain'";
  options.schema = "apart";
  options.connections = 4;
  options.on_progress = std::ref(spoil);
  const CheckReport report = run(options);
  ASSERT_TRUE(report.snapshot_refusal);
  EXPECT_NE(report.snapshot_refusal->find("pg_export_snapshot"), std::string::npos)
      << *report.snapshot_refusal;
  // The others have seen what came after the first.
  EXPECT_GT(violated(report).size(), before.size());
  database->script("GRANT EXECUTE ON FUNCTION pg_export_snapshot() TO PUBLIC");
}

TEST_F(CheckOfSmallData, DoesNotJudgeRowsThatPoliciesHide) {
  const std::vector<std::string> before = make("hidden");
  database->script(R"(CREATE ROLE blind; GRANT USAGE ON SCHEMA hidden TO blind;
      GRANT SELECT ON ALL TABLES IN SCHEMA hidden TO blind;
      ALTER TABLE hidden.history ENABLE ROW LEVEL SECURITY;
      CREATE POLICY first ON hidden.history USING (h_c_id = 1))");
  CheckOptions options;
  options.conninfo = database->conninfo() + " options='-c role=blind'";
  options.schema = "hidden";
  const CheckReport report = run(options);
  int refused = 0;
  for (const Verdict& verdict : report.verdicts) {
    if (!verdict.error) continue;
    ++refused;
    EXPECT_NE(verdict.error->find("row-level security"), std::string::npos) << *verdict.error;
  }
  EXPECT_GT(refused, 0);
  EXPECT_FALSE(report.holds());
  for (const std::string& name : violated(report)) {
    EXPECT_NE(std::ranges::find(before, name), before.end()) << name;
  }
}

TEST_F(CheckOfSmallData, ARunIsRefusedWherePoliciesMayHideRows) {
  make("veiled");
  database->script(R"(CREATE ROLE veiled; GRANT USAGE ON SCHEMA veiled TO veiled;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA veiled TO veiled)");
  const auto where = make_database({database->conninfo() + " options='-c role=veiled'", "veiled"});
  database->run(where->read_ledger({1, 2}));
  database->script(R"(ALTER TABLE veiled.new_order ENABLE ROW LEVEL SECURITY;
      CREATE POLICY few ON veiled.new_order USING (no_d_id < 5))");
  const auto error_of = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string refused = error_of([&] { database->run(where->prepare(std::nullopt)); });
  EXPECT_NE(refused.find("row security is active for this role on"), std::string::npos) << refused;
  EXPECT_NE(refused.find("new_order"), std::string::npos) << refused;
  const std::string unread = error_of([&] { database->run(where->read_ledger({1, 2})); });
  EXPECT_NE(unread.find("row-level security"), std::string::npos) << unread;
}

TEST_F(CheckOfSmallData, KeepsItsSnapshotWhenTheServerRefusesAStatement) {
  std::vector<std::string> before = make("refusing");
  std::erase(before, "item.values");  // which it refuses from now on
  database->script("ALTER TABLE item RENAME i_name TO i_text");
  Spoiler spoil(database->conninfo(), "refusing");
  const CheckReport report = run("refusing", {.connections = 1, .on_progress = std::ref(spoil)});
  // Among the first to be judged.
  EXPECT_TRUE(verdict_named(report, "item.values").error);
  EXPECT_EQ(violated(report), before);
}

// Transactions of all types, over and over, until they are told to stop.
class Writers {
 public:
  Writers(std::string conninfo, std::string schema) {
    PostgresOptions options;
    options.conninfo = std::move(conninfo);
    options.schema = std::move(schema);
    options.connections = 4;
    backend_ = std::make_unique<PostgresBackend>(options);
  }

  int committed() const { return committed_; }
  void stop() { stopped_ = true; }
  coro::Task<void> open() { co_await backend_->open(); }

  coro::Task<void> write(std::uint64_t seed) {
    Rng rng(seed);
    while (!stopped_) {
      const Input input = random_input(rng);
      try {
        co_await execute_once(*backend_, input);
        ++committed_;
      } catch (const database::Error& error) {
        if (error.error_class() != database::ErrorClass::retryable) throw;
      }
    }
  }

 private:
  static Input random_input(Rng& rng) {
    const InputContext context{.warehouses = 2, .constants = {}};
    const std::int32_t w_id = rng.uniform(1, 2);
    const std::int32_t kind = rng.uniform(1, 5);
    if (kind == 1) return make_new_order(rng, context, w_id);
    if (kind == 2) return make_payment(rng, context, w_id);
    if (kind == 3) return make_delivery(rng, w_id);
    if (kind == 4) return make_order_status(rng, context, w_id);
    return make_stock_level(rng, w_id, rng.uniform(1, 10));
  }

  std::unique_ptr<PostgresBackend> backend_;
  bool stopped_ = false;
  int committed_ = 0;
};

TEST_F(Check, IsSoundBesideTransactions) {
  execute("CREATE SCHEMA busy; SET search_path TO busy; " + test::small_population());
  coro::Worker worker;
  Writers writers(server->conninfo(), "busy");
  std::vector<int> committed;
  std::vector<CheckReport> reports;
  auto check_twice = [&]() -> coro::Task<void> {
    for (int i = 0; i < 2; ++i) {
      CheckOptions options;
      options.conninfo = server->conninfo();
      options.schema = "busy";
      options.connections = 3;
      const int before = writers.committed();
      reports.push_back(co_await check(options));
      committed.push_back(writers.committed() - before);
    }
    writers.stop();
  };
  auto all = [&](coro::Scope& scope) -> coro::Task<void> {
    co_await writers.open();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) scope.start(writers.write(seed));
    scope.start(check_twice());
  };
  coro::block_on(worker, coro::with_scope(all));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_GT(committed[i], 0);
    EXPECT_EQ(reports[i].snapshot_refusal, std::nullopt);
    for (const Verdict& verdict : reports[i].verdicts)
      EXPECT_TRUE(verdict.holds())
          << verdict.name << ": "
          << (verdict.error ? *verdict.error : verdict.first_offenders.at(0).key);
  }
}

TEST_F(Check, NamesWhatIsMissing) {
  EXPECT_EQ(error_of("nowhere"),
            "tables warehouse, district, customer, history, new_order, oorder, order_line, item, "
            "stock not found in schema nowhere. Run 'drover tpcc init' and 'drover tpcc import', "
            "or name the schema with --schema");
  execute(R"(CREATE SCHEMA "Half"; SET search_path TO "Half";
      CREATE TABLE warehouse (w_id int, w_ytd float8); CREATE TABLE district (d_ytd numeric);
      CREATE TABLE customer (); CREATE TABLE history (); CREATE TABLE new_order ();
      CREATE TABLE oorder (); CREATE TABLE order_line (); CREATE TABLE item ())");
  EXPECT_EQ(error_of("Half"),
            "table stock not found in schema Half. Run 'drover tpcc init' and 'drover tpcc "
            "import', or name the schema with --schema");
  execute(R"(CREATE TABLE "Half".stock ())");
  EXPECT_EQ(error_of("Half"),
            "the database has no warehouse. Run 'drover tpcc import -w N', or give the expected "
            "number with -w");
  execute(R"(INSERT INTO "Half".warehouse VALUES (1, 1), (1000000, 1))");
  EXPECT_EQ(error_of("Half").substr(0, 31), "warehouses are numbered from 1,");

  // Tables without the columns: nothing is known, and nothing holds.
  const CheckReport report = run("Half", {.warehouses = 2});
  EXPECT_EQ(report.money, Money::floating);
  EXPECT_TRUE(verdict_named(report, "1").error);
  EXPECT_TRUE(verdict_named(report, "10").error);
  EXPECT_FALSE(report.holds());
}

TEST_F(Check, ReportsALostServer) {
  CheckOptions options;
  options.conninfo = "host=/nowhere connect_timeout=1";
  coro::Worker worker;
  EXPECT_THROW(coro::block_on(worker, check(options)), database::Error);
}

}  // namespace
}  // namespace drover::tpcc::postgres
