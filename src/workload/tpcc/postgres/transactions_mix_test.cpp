// Thousands of transactions at once, on our tables and on those of other tools: the conditions of
// clause 3.3.2 hold after them, and both styles leave the same data.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/postgres/random_mix_test.h"
#include "workload/tpcc/postgres/small_database_test.h"

namespace drover::tpcc::postgres {
namespace {

class Mix : public testing::TestWithParam<TestedStyle> {
 protected:
  static void SetUpTestSuite() { database = std::make_unique<SmallDatabase>(); }
  static void TearDownTestSuite() { database.reset(); }

  Tally run(TestedStyle style, const std::vector<Input>& inputs, std::size_t connections) {
    PostgresBackend backend(
        {{.style = style.style, .connections = connections, .server_dialect = style.dialect},
         {database->conninfo(), "mixed", style.dialect},
         style.by_row});
    Tally tally;
    database->run(execute_all(backend, inputs, static_cast<int>(connections) * 2, tally));
    for (const auto& [error, count] : tally.errors) ADD_FAILURE() << error << " x " << count;
    EXPECT_EQ(tally.committed + tally.rolled_back, static_cast<int>(inputs.size()));
    return tally;
  }

  static std::unique_ptr<SmallDatabase> database;
};

std::unique_ptr<SmallDatabase> Mix::database;

INSTANTIATE_TEST_SUITE_P(Styles, Mix, testing::ValuesIn(tested_styles()), name_of_tested_style);

TEST_P(Mix, KeepsTheConditions) {
  database->make("mixed");
  const Tally tally = run(GetParam(), random_inputs(1, 2'000), 8);
  EXPECT_GT(tally.committed, 1'900);
  EXPECT_GT(tally.rolled_back, 0);
  if (GetParam().style == StatementStyle::batched) {
    EXPECT_EQ(tally.retries, 0) << "rows are locked in one order: there is no deadlock";
  }
  RecordProperty("retries", tally.retries);
  database->expect_conditions(Money::exact);
  EXPECT_NE(database->value("SELECT max(d_next_o_id) FROM district"), "31");
}

// The names and types of BenchBase, from which the other tools descend.
constexpr const char* benchbase_tables = R"(
  CREATE TABLE warehouse (w_id int NOT NULL, w_ytd decimal(12,2) NOT NULL,
    w_tax decimal(4,4) NOT NULL, w_name varchar(10) NOT NULL, w_street_1 varchar(20) NOT NULL,
    w_street_2 varchar(20) NOT NULL, w_city varchar(20) NOT NULL, w_state char(2) NOT NULL,
    w_zip char(9) NOT NULL, PRIMARY KEY (w_id));
  CREATE TABLE item (i_id int NOT NULL, i_name varchar(24) NOT NULL, i_price decimal(5,2) NOT NULL,
    i_data varchar(50) NOT NULL, i_im_id int NOT NULL, PRIMARY KEY (i_id));
  CREATE TABLE stock (s_w_id int NOT NULL, s_i_id int NOT NULL, s_quantity int NOT NULL,
    s_ytd decimal(8,2) NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL,
    s_data varchar(50) NOT NULL, s_dist_01 char(24) NOT NULL, s_dist_02 char(24) NOT NULL,
    s_dist_03 char(24) NOT NULL, s_dist_04 char(24) NOT NULL, s_dist_05 char(24) NOT NULL,
    s_dist_06 char(24) NOT NULL, s_dist_07 char(24) NOT NULL, s_dist_08 char(24) NOT NULL,
    s_dist_09 char(24) NOT NULL, s_dist_10 char(24) NOT NULL, PRIMARY KEY (s_w_id, s_i_id));
  CREATE TABLE district (d_w_id int NOT NULL, d_id int NOT NULL, d_ytd decimal(12,2) NOT NULL,
    d_tax decimal(4,4) NOT NULL, d_next_o_id int NOT NULL, d_name varchar(10) NOT NULL,
    d_street_1 varchar(20) NOT NULL, d_street_2 varchar(20) NOT NULL, d_city varchar(20) NOT NULL,
    d_state char(2) NOT NULL, d_zip char(9) NOT NULL, PRIMARY KEY (d_w_id, d_id));
  CREATE TABLE customer (c_w_id int NOT NULL, c_d_id int NOT NULL, c_id int NOT NULL,
    c_discount decimal(4,4) NOT NULL, c_credit char(2) NOT NULL, c_last varchar(16) NOT NULL,
    c_first varchar(16) NOT NULL, c_credit_lim decimal(12,2) NOT NULL,
    c_balance decimal(12,2) NOT NULL, c_ytd_payment float NOT NULL, c_payment_cnt int NOT NULL,
    c_delivery_cnt int NOT NULL, c_street_1 varchar(20) NOT NULL, c_street_2 varchar(20) NOT NULL,
    c_city varchar(20) NOT NULL, c_state char(2) NOT NULL, c_zip char(9) NOT NULL,
    c_phone char(16) NOT NULL, c_since timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
    c_middle char(2) NOT NULL, c_data varchar(500) NOT NULL, PRIMARY KEY (c_w_id, c_d_id, c_id));
  CREATE TABLE history (h_c_id int NOT NULL, h_c_d_id int NOT NULL, h_c_w_id int NOT NULL,
    h_d_id int NOT NULL, h_w_id int NOT NULL, h_date timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
    h_amount decimal(6,2) NOT NULL, h_data varchar(24) NOT NULL);
  CREATE TABLE oorder (o_w_id int NOT NULL, o_d_id int NOT NULL, o_id int NOT NULL,
    o_c_id int NOT NULL, o_carrier_id int DEFAULT NULL, o_ol_cnt decimal(2,0) NOT NULL,
    o_all_local decimal(1,0) NOT NULL, o_entry_d timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (o_w_id, o_d_id, o_id), UNIQUE (o_w_id, o_d_id, o_c_id, o_id));
  CREATE TABLE new_order (no_w_id int NOT NULL, no_d_id int NOT NULL, no_o_id int NOT NULL,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id));
  CREATE TABLE order_line (ol_w_id int NOT NULL, ol_d_id int NOT NULL, ol_o_id int NOT NULL,
    ol_number int NOT NULL, ol_i_id int NOT NULL, ol_delivery_d timestamp,
    ol_amount decimal(6,2) NOT NULL, ol_supply_w_id int NOT NULL, ol_quantity decimal(6,2) NOT NULL,
    ol_dist_info char(24) NOT NULL, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
  CREATE INDEX idx_customer_name ON customer (c_w_id, c_d_id, c_last, c_first);
)";

constexpr const char* wide_types = R"(
  ALTER TABLE warehouse ALTER w_id TYPE bigint, ALTER w_ytd TYPE float8, ALTER w_tax TYPE float8;
  ALTER TABLE item ALTER i_id TYPE bigint, ALTER i_price TYPE float8, ALTER i_im_id TYPE bigint;
  ALTER TABLE stock ALTER s_w_id TYPE bigint, ALTER s_i_id TYPE bigint,
    ALTER s_quantity TYPE bigint, ALTER s_ytd TYPE float8, ALTER s_order_cnt TYPE bigint;
  ALTER TABLE district ALTER d_w_id TYPE bigint, ALTER d_id TYPE bigint, ALTER d_ytd TYPE float8,
    ALTER d_tax TYPE float4, ALTER d_next_o_id TYPE bigint;
  ALTER TABLE customer ALTER c_w_id TYPE bigint, ALTER c_d_id TYPE bigint, ALTER c_id TYPE bigint,
    ALTER c_balance TYPE float8, ALTER c_credit_lim TYPE float8, ALTER c_discount TYPE float8,
    ALTER c_data TYPE text, ALTER c_payment_cnt TYPE bigint, ALTER c_since TYPE timestamptz;
  ALTER TABLE history ALTER h_c_id TYPE bigint, ALTER h_w_id TYPE bigint,
    ALTER h_amount TYPE float8, ALTER h_date TYPE timestamptz;
  ALTER TABLE oorder ALTER o_w_id TYPE bigint, ALTER o_id TYPE bigint, ALTER o_c_id TYPE bigint,
    ALTER o_carrier_id TYPE bigint, ALTER o_ol_cnt TYPE int, ALTER o_entry_d TYPE timestamptz;
  ALTER TABLE new_order ALTER no_w_id TYPE bigint, ALTER no_o_id TYPE bigint;
  ALTER TABLE order_line ALTER ol_w_id TYPE bigint, ALTER ol_o_id TYPE bigint,
    ALTER ol_i_id TYPE bigint, ALTER ol_amount TYPE float8, ALTER ol_quantity TYPE int,
    ALTER ol_supply_w_id TYPE bigint, ALTER ol_delivery_d TYPE timestamptz;
)";

TEST_P(Mix, RunsOnTheTablesOfOtherTools) {
  for (const bool wide : {false, true}) {
    SCOPED_TRACE(wide ? "bigint and double precision" : "int and decimal");
    database->make_schema("mixed");
    database->script(benchbase_tables);
    if (wide) database->script(wide_types);
    database->fill();
    database->script("ANALYZE");
    const Tally tally = run(GetParam(), random_inputs(2, 400), 4);
    EXPECT_GT(tally.committed, 380);
    database->expect_conditions(Money::floating);
  }
}

class Styles : public Mix {};
INSTANTIATE_TEST_SUITE_P(Both, Styles, testing::Values(TestedStyle{}),
                         [](const auto&) { return "together"; });

// The times apart, a delivered line is told from one that is not.
std::vector<std::string> contents(SmallDatabase& database) {
  std::vector<std::string> all;
  for (const Table table : all_tables) {
    for (std::string& row : database.rows(fmt::format(
             "SELECT (to_jsonb(t) - '{{o_entry_d,h_date,c_since,ol_delivery_d}}'::text[])::text || "
             "coalesce((to_jsonb(t)->'ol_delivery_d' = 'null')::text, '') FROM {} t ORDER BY 1",
             table_name(table)))) {
      all.push_back(std::move(row));
    }
  }
  return all;
}

TEST_P(Styles, LeaveTheSameData) {
  const std::vector<Input> inputs = random_inputs(3, 500);
  database->make("mixed");
  const std::vector<std::string> before = contents(*database);
  run({StatementStyle::batched}, inputs, 1);
  const std::vector<std::string> batched = contents(*database);
  database->make("mixed");
  run({StatementStyle::single}, inputs, 1);
  const std::vector<std::string> single = contents(*database);
  EXPECT_NE(before, single);
  ASSERT_EQ(batched.size(), single.size());
  for (std::size_t i = 0; i < batched.size(); ++i) ASSERT_EQ(batched[i], single[i]);
  using database::Dialect;
  for (const TestedStyle style : {TestedStyle{StatementStyle::batched, true},
                                  {StatementStyle::batched, false, Dialect::cockroach},
                                  {StatementStyle::batched, false, Dialect::citus},
                                  {StatementStyle::single, false, Dialect::citus}}) {
    database->make("mixed");
    run(style, inputs, 1);
    const std::vector<std::string> other = contents(*database);
    ASSERT_EQ(batched.size(), other.size());
    for (std::size_t i = 0; i < batched.size(); ++i) ASSERT_EQ(batched[i], other[i]);
  }
}

}  // namespace
}  // namespace drover::tpcc::postgres
