// PostgreSQL as the tests of tpcc/every_database see it.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/postgres/database_on_postgres.h"

namespace drover::tpcc {
namespace {

using postgres::PostgresBackend;
using postgres::PostgresOptions;

class TestedPostgres final : public TestedDatabase {
 public:
  void reset() override { sql_.make("tested"); }

  std::unique_ptr<Backend> backend(TestedStyle style, std::size_t connections) override {
    PostgresOptions options = tested_options(sql_.conninfo());
    options.style = style.style;
    options.connections = connections;
    options.by_row = style.by_row;
    options.dialect = options.server_dialect = style.dialect;
    return std::make_unique<PostgresBackend>(std::move(options));
  }

  std::unique_ptr<Backend> backend_of_nobody() override {
    PostgresOptions options = tested_options(sql_.conninfo() + " port=1");
    options.resolve_timeout = std::chrono::milliseconds(100);
    return std::make_unique<PostgresBackend>(std::move(options));
  }

  postgres::SmallDatabase& sql() override { return sql_; }

  std::string amount(std::string_view column) const override { return std::string(column); }

  std::string is_now(std::string_view column) const override {
    return fmt::format("{} BETWEEN localtimestamp - interval '10 min' AND localtimestamp", column);
  }

 private:
  static PostgresOptions tested_options(std::string conninfo) {
    PostgresOptions options;
    options.conninfo = std::move(conninfo);
    options.schema = "tested";
    return options;
  }

  postgres::SmallDatabase sql_;
};

}  // namespace

std::vector<TestedStyle> tested_styles() {
  // The dialects with different statements that PostgreSQL can execute, too.
  using database::Dialect;
  return {{StatementStyle::batched},
          {StatementStyle::single},
          {StatementStyle::batched, true},
          {StatementStyle::batched, false, Dialect::cockroach},
          {StatementStyle::batched, false, Dialect::citus}};
}

std::shared_ptr<TestedDatabase> tested_database(std::string&) {
  static const auto database = std::make_shared<TestedPostgres>();
  return database;
}

}  // namespace drover::tpcc
