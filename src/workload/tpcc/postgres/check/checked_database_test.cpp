#include "workload/tpcc/postgres/check/checked_database_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "support/small_population.h"
#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/postgres/database_on_postgres.h"
#include "workload/tpcc/postgres/import/import.h"
#include "workload/tpcc/postgres/small_database_test.h"

namespace drover::tpcc::postgres {
namespace {

struct ResultCloser {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PgResult = std::unique_ptr<PGresult, ResultCloser>;

constexpr std::int32_t used_warehouses = 2;

coro::Task<void> load(std::string conninfo) {
  InitialiseOptions tables;
  tables.schema = "used";
  const auto connection = co_await Connection::open(conninfo);
  co_await initialise(*connection, tables);
  PostgresImportOptions options;
  options.conninfo = conninfo;
  options.schema = "used";
  options.request.warehouses = used_warehouses;
  options.request.fresh_population = {.seed = 7, .load_time_us = 1'700'000'000'000'000};
  ImportObserver nobody;
  co_await import_warehouses(options, nobody);
}

Input random_input(Rng& rng, int number) {
  const InputContext context{.warehouses = used_warehouses, .constants = {}};
  const std::int32_t w_id = rng.uniform(1, used_warehouses);
  switch (number % 5) {
    case 0:
      return make_new_order(rng, context, w_id);
    case 1:
      return make_payment(rng, context, w_id);
    case 2:
      return make_delivery(rng, w_id);
    case 3:
      return make_order_status(rng, context, w_id);
    default:
      return make_stock_level(rng, w_id, rng.uniform(1, 10));
  }
}

// As many of each type, one after the other, so that the data are the same each time.
coro::Task<void> transact(std::string conninfo, StatementStyle style, std::uint64_t seed,
                          int count) {
  PostgresOptions options;
  options.conninfo = std::move(conninfo);
  options.schema = "used";
  options.style = style;
  PostgresBackend backend(options);
  co_await backend.open();
  Rng rng(seed);
  for (int number = 0; number < count; ++number) {
    const Input input = random_input(rng, number);
    co_await execute_once(backend, input);
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const FoundOffender& offender) {
  return out << offender.key << ": expected " << offender.expected << ", found " << offender.found
             << " (" << offender.count << " offenders)";
}

CheckedDatabase::CheckedDatabase()
    : conninfo_(server_.conninfo()), connection_(PQconnectdb(conninfo_.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  for (const std::string_view setting : session_settings) execute(std::string(setting));
  make_fresh();
}

CheckedDatabase& CheckedDatabase::instance() {
  static CheckedDatabase database;
  return database;
}

void CheckedDatabase::make_fresh() {
  execute("CREATE SCHEMA fresh; SET search_path TO fresh; " + test::small_population());
}

void CheckedDatabase::make_used() {
  coro::Worker worker;
  coro::block_on(worker, load(conninfo_));
  coro::block_on(worker, transact(conninfo_, StatementStyle::batched, 11, 1000));
  coro::block_on(worker, transact(conninfo_, StatementStyle::single, 12, 1000));
  execute(R"(SET search_path TO used;
    DO $$
    DECLARE c record;
    BEGIN
      FOR c IN SELECT attrelid::regclass AS name, attname FROM pg_attribute
               WHERE attrelid IN (SELECT oid FROM pg_class
                                  WHERE relnamespace = 'used'::regnamespace AND relkind = 'r')
                     AND attnum > 0 AND attnotnull
                     AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid
                                     AND indisprimary AND attnum = ANY (indkey))
      LOOP
        EXECUTE format('ALTER TABLE %s ALTER %I DROP NOT NULL', c.name, c.attname);
      END LOOP;
    END $$;
    ANALYZE)");
}

void CheckedDatabase::use(Data data) {
  if (data == Data::used && !has_used_) {
    make_used();
    has_used_ = true;
  }
  execute(data == Data::used ? "SET search_path TO used" : "SET search_path TO fresh");
}

std::vector<std::vector<std::string>> CheckedDatabase::query(const std::string& sql) {
  const PgResult result(PQexec(connection_.get(), sql.c_str()));
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(std::string(PQerrorMessage(connection_.get())) + sql);
  std::vector<std::vector<std::string>> rows(static_cast<std::size_t>(PQntuples(result.get())));
  for (int row = 0; row < PQntuples(result.get()); ++row)
    for (int column = 0; column < PQnfields(result.get()); ++column)
      rows[static_cast<std::size_t>(row)].emplace_back(PQgetvalue(result.get(), row, column));
  return rows;
}

std::map<std::string, std::string> CheckedDatabase::row(const std::string& sql) {
  const PgResult result(PQexec(connection_.get(), sql.c_str()));
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK || PQntuples(result.get()) != 1)
    throw std::runtime_error(std::string(PQerrorMessage(connection_.get())) +
                             "not one row: " + sql);
  std::map<std::string, std::string> values;
  for (int column = 0; column < PQnfields(result.get()); ++column)
    values[PQfname(result.get(), column)] = PQgetvalue(result.get(), 0, column);
  return values;
}

std::vector<FoundOffender> CheckedDatabase::run(const SqlCondition& condition, int first, int last,
                                                int limit) {
  const std::string texts[] = {std::to_string(first), std::to_string(last), std::to_string(limit)};
  const char* const values[] = {texts[0].c_str(), texts[1].c_str(), texts[2].c_str()};
  const PgResult result(PQexecParams(connection_.get(), condition.sql.c_str(), 3, nullptr, values,
                                     nullptr, nullptr, 0));
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
    throw std::runtime_error(condition.rule.name + ": " + PQerrorMessage(connection_.get()) +
                             condition.sql);
  std::vector<FoundOffender> offenders;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    const auto text = [&](int column) {
      EXPECT_FALSE(PQgetisnull(result.get(), row, column)) << condition.rule.name;
      return std::string(PQgetvalue(result.get(), row, column));
    };
    offenders.push_back({text(0), text(1), text(2), std::stoi(text(3))});
  }
  return offenders;
}

UndoneTransaction::UndoneTransaction(CheckedDatabase::Data data) {
  CheckedDatabase::instance().use(data);
  CheckedDatabase::instance().execute("BEGIN");
}

UndoneTransaction::~UndoneTransaction() {
  CheckedDatabase::instance().execute("ROLLBACK");
}

std::vector<SqlCondition> catalogue_of(CheckedDatabase::Data data, Money money) {
  std::vector<SqlCondition> all = conditions(money);
  if (data == CheckedDatabase::Data::used) leave_out_fresh_only(all);
  return all;
}

SqlCondition sql_condition_named(std::string_view name) {
  for (SqlCondition& condition : conditions(Money::exact))
    if (condition.rule.name == name) return std::move(condition);
  throw std::runtime_error("there is no condition " + std::string(name));
}

}  // namespace drover::tpcc::postgres
