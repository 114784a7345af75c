// The check on a real server: what it reports of valid, corrupted, incomplete and absent data.

#include "tpcc/postgres/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/connection.h"
#include "support/test_server.h"

namespace drover::tpcc::postgres {
namespace {

std::string small_population() {
  const auto folder = std::filesystem::path(__FILE__).parent_path();
  std::ifstream file(folder / "../../../test/support/small_population.sql");
  std::stringstream script;
  script << file.rdbuf();
  return script.str();
}

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

  CheckReport run(CheckOptions options) {
    options.conninfo = server->conninfo();
    coro::Worker worker;
    return coro::block_on(worker, check(std::move(options)));
  }

  std::string error_of(CheckOptions options) {
    try {
      run(std::move(options));
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
  execute("CREATE SCHEMA valid; SET search_path TO valid; " + small_population());
  std::size_t last_done = 0;
  std::size_t last_total = 0;
  const CheckReport valid = run({.schema = "valid",
                                 .after_import = true,
                                 .on_progress = [&](std::size_t done, std::size_t total) {
                                   EXPECT_EQ(done, last_done + 1);
                                   last_done = done;
                                   last_total = total;
                                 }});
  EXPECT_EQ(valid.warehouses, 2);
  EXPECT_EQ(valid.money, Money::exact);
  EXPECT_TRUE(valid.holds());
  EXPECT_EQ(last_done, last_total);
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
  const CheckReport broken =
      run({.schema = "valid", .after_import = true, .connections = 3, .offenders_kept = 3});
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
  const CheckReport first = run({.schema = "valid", .warehouses = 1});
  EXPECT_EQ(verdict_named(first, "12").offenders, 2);
  EXPECT_THROW(verdict_named(first, "11"), std::runtime_error);

  const CheckReport three = run({.schema = "valid", .warehouses = 3});
  EXPECT_EQ(verdict_named(three, "1").first_offenders.at(0).key, "w_id=3");
  EXPECT_EQ(verdict_named(three, "district.rows").offenders, 10);
}

TEST_F(Check, NamesWhatIsMissing) {
  EXPECT_EQ(error_of({.schema = "nowhere"}),
            "tables warehouse, district, customer, history, new_order, oorder, order_line, item, "
            "stock not found in schema nowhere: run 'drover tpcc init' and 'drover tpcc import', "
            "or name the schema with --schema");
  execute(R"(CREATE SCHEMA "Half"; SET search_path TO "Half";
      CREATE TABLE warehouse (w_id int, w_ytd float8); CREATE TABLE district (d_ytd numeric);
      CREATE TABLE customer (); CREATE TABLE history (); CREATE TABLE new_order ();
      CREATE TABLE oorder (); CREATE TABLE order_line (); CREATE TABLE item ())");
  EXPECT_EQ(error_of({.schema = "Half"}).substr(0, 38), "table stock not found in schema Half: ");
  execute(R"(CREATE TABLE "Half".stock ())");
  EXPECT_EQ(error_of({.schema = "Half"}).substr(0, 22), "there is no warehouse:");
  execute(R"(INSERT INTO "Half".warehouse VALUES (1, 1), (1000000, 1))");
  EXPECT_EQ(error_of({.schema = "Half"}).substr(0, 31), "warehouses are numbered from 1,");

  // Tables without the columns: nothing is known, and nothing holds.
  const CheckReport report = run({.schema = "Half", .warehouses = 2});
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

TEST(CheckPlan, GivesEachConditionEachWarehouseOnce) {
  const std::vector<Condition> conditions = {{.span = Span::range},
                                             {.span = Span::wide_range},
                                             {.span = Span::once},
                                             {.span = Span::range}};
  for (const std::int32_t warehouses : {1, 2, 3, 10, 99, 15'000}) {
    for (const std::size_t connections : {1U, 2U, 16U, 5'000U}) {
      std::map<std::size_t, std::int32_t> next;
      for (const auto& [condition, first, last] : plan_check(conditions, warehouses, connections)) {
        EXPECT_EQ(first, next[condition] + 1);
        EXPECT_GE(last, first);
        next[condition] = last;
      }
      for (std::size_t i = 0; i < conditions.size(); ++i) EXPECT_EQ(next[i], warehouses);
    }
  }
}

}  // namespace
}  // namespace drover::tpcc::postgres
