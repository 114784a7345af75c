#include "workload/tpcc/postgres/transactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "database/error.h"
#include "workload/tpcc/postgres/transactions.sql.h"
#include "workload/tpcc/sql_text.h"

namespace drover::tpcc::postgres {

const Statement begin_statement{"begin", "BEGIN"};
const Statement commit_statement{"commit", "COMMIT"};
const Statement rollback_statement{"rollback", "ROLLBACK"};

Statement statement(const char* name) {
  static const std::vector<SqlText> texts = sql_texts(transactions_sql, ' ');
  const auto found = std::ranges::find(texts, std::string_view(name), &SqlText::name);
  if (found == texts.end()) throw std::logic_error(fmt::format("transactions.sql has no {}", name));
  return {name, filled_in(found->text, texts)};
}

std::vector<Statement> statements_of(StatementStyle style) {
  std::vector<Statement> all = {begin_statement, commit_statement, rollback_statement};
  for (const StatementSets* sets :
       {&new_order_statements, &payment_statements, &order_status_statements, &delivery_statements,
        &stock_level_statements}) {
    all.insert(all.end(), sets->of(style).begin(), sets->of(style).end());
  }
  return all;
}

std::vector<Statement> by_row_statements() {
  const std::vector<Statement> prepared = statements_of(StatementStyle::batched);
  std::vector<Statement> more;
  for (const StatementSets* sets : {&new_order_statements, &delivery_statements}) {
    for (const Statement& one : sets->single) {
      const auto same = [&one](const Statement& other) {
        return std::string_view(one.name) == other.name;
      };
      if (std::none_of(prepared.begin(), prepared.end(), same)) more.push_back(one);
    }
  }
  return more;
}

coro::Task<Results> commit(Connection& connection, Trace& trace) {
  connection.send(commit_statement);
  trace.commit_sent = true;
  return connection.run(Commits::yes);
}

void require_one_row(const Result& result, std::string_view what) {
  if (result.rows() == 1) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format("{} has {} rows where one was expected: is the database loaded as far as the run "
                  "reaches? See: drover tpcc check",
                  what, result.rows()));
}

void require_written(const Result& result, std::int64_t rows, std::string_view what) {
  if (result.affected() == rows) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format("{} rows of {} were written where {} were expected: does a trigger or a rule of "
                  "the database keep them out? See: drover tpcc check",
                  result.affected(), what, rows));
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

std::string lost_rows_found_note() {
  return "note: an UPDATE … FROM has left out rows that are there, as those of PostgreSQL 18.0 and "
         "18.1 do (mended in 18.2). From here on Drover updates row by row: update the server";
}

bool is_lost_row(const database::Error& error) noexcept {
  return error.sqlstate() == "XX000" &&
         std::string_view(error.what()).find("EvalPlanQual") != std::string_view::npos;
}

}  // namespace drover::tpcc::postgres
