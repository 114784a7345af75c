#include "workload/tpcc/postgres/transactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "database/error.h"
#include "text/plain_text.h"
#include "workload/tpcc/postgres/transactions.sql.h"
#include "workload/tpcc/sql_text.h"

namespace drover::tpcc::postgres {

using database::Dialect;

const Statement begin_statement{"begin", "BEGIN"};
const Statement commit_statement{"commit", "COMMIT"};
const Statement rollback_statement{"rollback", "ROLLBACK"};

Statement statement(const char* name, const std::vector<TextArgument>& arguments) {
  static const NamedTexts texts = named_texts(transactions_sql, ' ');
  return {name, filled_in(text_named(texts, name).text, texts, arguments)};
}

Shapes shapes_of(StatementStyle style, Dialect dialect) noexcept {
  using enum Shape;
  // Citus takes no subselect in an INSERT, and routes no UPDATE of several warehouses' stock.
  if (style == StatementStyle::single) {
    return {single, dialect == Dialect::citus ? by_row : single, single, single, single};
  }
  switch (dialect) {
    // CockroachDB has neither the join of an array with stock nor DML in a CTE.
    case Dialect::cockroach:
      return {by_row, batched, batched, by_row, batched};
    case Dialect::citus:
      return {by_warehouse, by_row, batched, batched, batched};
    case Dialect::postgres:
    case Dialect::yugabyte:
      break;
  }
  return {batched, batched, batched, batched, batched};
}

// The statements of by_warehouse have no joins: servers that lose rows of joins do not affect them.
Shapes shapes_where_rows_are_lost(Dialect dialect) noexcept {
  using enum Shape;
  if (dialect == Dialect::citus) return {by_warehouse, by_row, batched, by_row, batched};
  return {by_row, batched, batched, by_row, batched};
}

namespace {

// By TransactionType.
constexpr std::array<const StatementSets*, transaction_type_count> all_sets = {
    &new_order_statements, &payment_statements, &order_status_statements, &delivery_statements,
    &stock_level_statements};

void add_new(std::span<const Statement> statements, std::vector<Statement>& all) {
  for (const Statement& one : statements) {
    const auto same = [&one](const Statement& other) {
      return std::string_view(one.name) == other.name;
    };
    if (std::ranges::none_of(all, same)) all.push_back(one);
  }
}

}  // namespace

std::vector<Statement> statements_of(const Shapes& shapes, Dialect dialect) {
  std::vector<Statement> all = {begin_statement, commit_statement, rollback_statement};
  for (std::size_t type = 0; type < all_sets.size(); ++type) {
    add_new(all_sets[type]->of(shapes[type]), all);
  }
  for (Statement& one : all) one.sql = in_dialect(dialect, std::move(one.sql));
  return all;
}

std::vector<Statement> by_row_statements(Dialect dialect) {
  std::vector<Statement> all = statements_of(shapes_of(StatementStyle::batched, dialect), dialect);
  const auto prepared = static_cast<std::ptrdiff_t>(all.size());
  const Shapes shapes = shapes_where_rows_are_lost(dialect);
  for (std::size_t type = 0; type < all_sets.size(); ++type) {
    add_new(all_sets[type]->of(shapes[type]), all);
  }
  all.erase(all.begin(), all.begin() + prepared);
  for (Statement& one : all) one.sql = in_dialect(dialect, std::move(one.sql));
  return all;
}

namespace {

struct Wording {
  std::string_view ours;
  std::string_view theirs;
};

constexpr std::string_view payment_data =
    "concat_ws(' ', c_id, c_d_id, c_w_id, $6::int4, $5::int4, $4::int4 * 0.01)";
constexpr std::string_view payment_data_of_texts =
    "(c_id::text || ' ' || c_d_id::text || ' ' || c_w_id::text || ' ' || ($6::int4)::text || ' ' "
    "|| ($5::int4)::text || ' ' || ($4::int4 * 0.01)::text)";

// In CockroachDB, int / int is a decimal, and its cast to an int rounds.
constexpr std::array in_cockroach = {
    Wording{"((count(*) + 1) / 2)::int4", "div(count(*) + 1, 2)::int4"},
    Wording{"(c_id::int - 1) / 100 + 1", "div(c_id::int - 1, 100)::int + 1"},
    Wording{"(c_id::int - 1) / 10 % 10 + 1", "div(c_id::int - 1, 10)::int % 10 + 1"},
    Wording{payment_data, payment_data_of_texts}};

}  // namespace

std::string in_dialect(Dialect dialect, std::string sql) {
  if (dialect != Dialect::cockroach) return sql;
  for (const auto& [ours, theirs] : in_cockroach) {
    sql = text::replaced(std::move(sql), ours, std::string(theirs));
  }
  return sql;
}

coro::Task<Results> commit(Connection& connection, Trace& trace) {
  connection.send(commit_statement);
  trace.commit_sent = true;
  return connection.run(Commits::yes);
}

bool loses_rows(int server_version) noexcept {
  return server_version >= 180000 && server_version < 180002;
}

std::string lost_rows_note(std::string_view server_version) {
  return fmt::format(
      "note: PostgreSQL {} loses rows of UPDATE … FROM an array or a CTE when another transaction "
      "has just changed them (18.0 and 18.1 do; mended in 18.2). There the batched statements go "
      "row by row, so a run is not comparable with one on another version: update the server",
      server_version);
}

bool is_not_supported(const database::Error& error) noexcept {
  return error.sqlstate() == "0A000";
}

std::string by_row_note(const RowsMissing& error) {
  if (is_not_supported(error)) {
    return fmt::format(
        "note: the server does not support a statement of the batched style ({}). From now on, "
        "New-Order and Delivery update row by row",
        error.what());
  }
  return "note: an UPDATE … FROM has left out rows that are there, as those of PostgreSQL 18.0 and "
         "18.1 do (mended in 18.2). From here on Drover updates row by row: update the server";
}

bool is_lost_row(const database::Error& error) noexcept {
  return error.sqlstate() == "XX000" &&
         std::string_view(error.what()).find("EvalPlanQual") != std::string_view::npos;
}

}  // namespace drover::tpcc::postgres
