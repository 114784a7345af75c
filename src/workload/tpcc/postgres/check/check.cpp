#include "workload/tpcc/postgres/check/check.h"

#include <fmt/format.h>

#include <cassert>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "database/postgres/admin_session.h"
#include "database/postgres/citus.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_setup.h"
#include "database/postgres/shared_snapshot.h"
#include "text/plain_text.h"
#include "workload/tpcc/import/import_record.h"
#include "workload/tpcc/postgres/check/conditions.sql.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Connection;
using database::postgres::open_in_schema;
using database::postgres::refused_by_server;
using database::postgres::Result;
using database::postgres::SharedSnapshot;

void add_district(const Condition& condition, std::vector<TextArgument>& words) {
  const std::string& district = condition.district;
  const bool any = !district.empty();
  words.emplace_back("districts", any ? "1, 10" : "0, 0");
  words.emplace_back("district", any ? district : "0");
  words.emplace_back("district_key", any ? fmt::format("{}=%s ", district) : "");
  words.emplace_back("district_id", any ? "d_id, " : "");
}

void add_columns(const Condition& condition, const NamedTexts& texts,
                 std::vector<TextArgument>& words) {
  const NamedText* tables = find_text(texts, "tables of " + condition.name);
  words.emplace_back("tables", tables != nullptr ? tables->text : std::string(condition.table));
  words.emplace_back("key_columns", fmt::format("{}, ", fmt::join(condition.key, ", ")));
  words.emplace_back("key_format", fmt::format("{}=%s ", fmt::join(condition.key, "=%s ")));
  std::string all_hold = "true";
  std::string values;
  for (int ordinal = 0; const Domain& domain : condition.domains) {
    const std::string holds = predicate_of(domain, texts);
    all_hold += fmt::format("\n       AND ({})", holds);
    values +=
        fmt::format("{}\n       ({}, '{}', ({}) IS TRUE, '{}', {}::text)", ordinal == 0 ? "" : ",",
                    ordinal, domain.column, holds, domain.expected, domain.column);
    ++ordinal;
  }
  words.emplace_back("all_hold", all_hold);
  words.emplace_back("values", values);
}

std::string pattern_body(const Condition& condition, const NamedTexts& texts) {
  std::vector<TextArgument> words = arguments_of(condition, texts);
  const std::string table = fmt::format("'{}'", condition.table);
  words.emplace_back("group_key", condition.warehouse.empty() ? table : "format('w_id=%s', w_id)");
  if (condition.pattern == "rows") add_district(condition, words);
  if (condition.pattern == "columns") add_columns(condition, texts, words);
  return filled_in(text_named(texts, condition.pattern).text, {}, words);
}

// Replaces @column@ by the money in the column, and #amount# by the amount.
std::string with_money(std::string_view sql, Money money) {
  std::string result;
  for (bool in_column = false; const char letter : sql) {
    if (letter == '@') {
      in_column = !in_column;
      if (money == Money::exact) result += in_column ? "(" : "::numeric)";
      if (money == Money::floating) result += in_column ? "round(" : "::numeric, 2)";
    } else if (letter != '#') {
      result += letter;
    }
  }
  return result;
}

}  // namespace

std::vector<SqlCondition> conditions(Money money, database::Dialect dialect) {
  const NamedTexts texts = named_texts(conditions_sql);
  const std::string_view lookup =
      dialect == database::Dialect::citus ? "remote_dist_by_join" : "remote_dist_by_row";
  const std::vector<TextArgument> made = {
      {"warehouse_columns", warehouse_columns(texts)},
      {"remote_dist", filled_in(text_named(texts, lookup).text, texts)}};
  const std::string& whole = text_named(texts, "offender_statement").text;
  std::vector<SqlCondition> all;
  for (const Condition& rule : catalogue()) {
    const NamedText* own = find_text(texts, rule.name);
    const std::string body =
        own != nullptr ? filled_in(own->text, texts, made) : pattern_body(rule, texts);
    all.push_back({.rule = rule,
                   .sql = with_money(filled_in(whole, {}, {{"body", body}}), money),
                   .several_warehouses = own != nullptr && !own->fields.empty()});
  }
  return all;
}

namespace {

// Returns one row for each table: whether it exists, and whether it holds money in binary floating
// point. to_regclass() uses the search path, as the conditions do.
constexpr std::string_view tables_query = R"(
SELECT name, to_regclass(name) IS NOT NULL AS present,
       EXISTS (SELECT FROM pg_attribute
               WHERE attrelid = to_regclass(name) AND attname = ANY (money)
                     AND atttypid IN ('float4'::regtype, 'float8'::regtype)) AS floating
FROM (VALUES ('warehouse', ARRAY['w_ytd']), ('district', ARRAY['d_ytd']),
             ('customer', ARRAY['c_balance', 'c_ytd_payment', 'c_credit_lim']),
             ('history', ARRAY['h_amount']), ('new_order', '{}'), ('oorder', '{}'),
             ('order_line', ARRAY['ol_amount']), ('item', ARRAY['i_price']), ('stock', '{}'))
     AS tpcc(name, money))";

std::string place_of(const CheckOptions& options, std::string_view search_path) {
  if (!options.schema.empty()) return fmt::format("schema {}", options.schema);
  return fmt::format("the search path ({})", search_path);
}

// Returns how money is stored. Throws an error that names missing tables.
Task<Money> examine_tables(Connection& connection, const CheckOptions& options) {
  const Result tables = co_await connection.query(std::string(tables_query));
  std::string missing;
  Money money = Money::exact;
  for (int row = 0; row < tables.rows(); ++row) {
    if (tables.text(row, 1) == "f")
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", tables.text(row, 0));
    if (tables.text(row, 2) == "t") money = Money::floating;
  }
  if (missing.empty()) co_return money;
  const Result path = co_await connection.query("SELECT current_setting('search_path')");
  refuse_missing_tables(missing, "42P01", place_of(options, path.text(0, 0)), "schema");
}

PieceAnswer answer_in(const Result& result) {
  PieceAnswer answer;
  if (result.rows() > 0) answer.offenders = result.number<std::int64_t>(0, 3);
  for (int row = 0; row < result.rows(); ++row) {
    answer.first.push_back({std::string(result.text(row, 0)), std::string(result.text(row, 1)),
                            std::string(result.text(row, 2))});
  }
  return answer;
}

// Judges a piece on a connection that is in its snapshot and stays there. Only relatives of
// PostgreSQL ask for another attempt of a statement that only reads.
Task<PieceAnswer> judge(Connection& connection, const std::string& sql, CheckPiece piece) {
  constexpr int tries_max = 3;
  for (int tries = 1;; ++tries) {
    PieceAnswer answer;
    bool again = false;
    try {
      answer = answer_in(co_await connection.query(sql, piece.first_warehouse, piece.last_warehouse,
                                                   offenders_kept));
    } catch (const Error& error) {
      if (!refused_by_server(error, connection)) throw;
      answer.error = error.what();
      again = error.error_class() == ErrorClass::retryable && tries < tries_max;
    }
    if (answer.error) co_await SharedSnapshot::recover(connection);
    if (!again) co_return answer;
  }
}

Task<void> set_up(Connection& connection) {
  for (const std::string_view setting : session_settings) {
    std::string sql(setting);
    co_await set_if_known(connection, std::move(sql));
  }
}

Task<std::unique_ptr<Connection>> open_set_up(const CheckOptions& options,
                                              std::optional<database::Pooling> pooling) {
  auto connection =
      pooling ? co_await open_in_schema(options, *pooling) : co_await open_in_schema(options);
  co_await set_up(*connection);
  co_return connection;
}

// Removes a word that servers before PostgreSQL 12 do not know; they materialise each CTE.
std::string without_materialized(std::string sql) {
  sql = text::replaced(std::move(sql), " NOT MATERIALIZED (", " (");
  return text::replaced(std::move(sql), " MATERIALIZED (", " (");
}

std::vector<SqlCondition> conditions_of(Money money, const Connection& connection) {
  constexpr int knows_materialized = 120000;
  std::vector<SqlCondition> asked = conditions(money, connection.dialect());
  for (SqlCondition& one : asked) {
    one.sql = in_dialect(connection.dialect(), std::move(one.sql));
    if (connection.server_version() < knows_materialized)
      one.sql = without_materialized(std::move(one.sql));
  }
  return asked;
}

// Detects transactions that wrote to several nodes during a check of a server whose nodes have no
// common snapshot. Such a transaction commits on one node after the other, so that the check may
// see a part of it. New-Order and Payment write to several warehouses, and each increments a column
// of its district.
class WritesAcrossNodes {
 public:
  // Requires: no session of the check has begun its snapshot.
  Task<void> begin(Connection& connection) {
    if (connection.dialect() != database::Dialect::citus) co_return;
    before_ = co_await read_counters(connection);
    // A transaction that the sums in `before_` include had been prepared on all of its nodes. If no
    // node lists it as prepared now, it is committed everywhere, and later snapshots see all of it.
    try {
      waiting_ = co_await database::postgres::count_prepared(connection);
    } catch (const Error& error) {
      if (!refused_by_server(error, connection)) throw;
    }
  }

  // Ends the transaction of `first`. Returns why rows of several nodes cannot be compared, or
  // nothing if they can.
  Task<std::optional<std::string>> end(Connection& first) {
    if (first.dialect() != database::Dialect::citus) co_return std::nullopt;
    co_await first.script("ROLLBACK");
    if (co_await read_counters(first) != before_) {
      co_return "other sessions wrote during the check, and the nodes of Citus cannot share a "
                "snapshot: check again when nothing writes";
    }
    if (waiting_ == 0) co_return std::nullopt;
    co_return "prepared transactions waited for their recovery: run 'SELECT "
              "recover_prepared_transactions()' on each node as a superuser, or end those that "
              "stay in pg_prepared_xacts, and check again";
  }

 private:
  // Returns "0" if the server rejects the query. The conditions then fail by the same error, so
  // that no writer needs to be detected.
  static Task<std::string> read_counters(Connection& connection) {
    try {
      const Result result = co_await connection.query(
          "SELECT coalesce(sum(d_next_o_id), 0) || ' ' || coalesce(sum(d_ytd), 0) FROM district");
      co_return std::string(result.text(0, 0));
    } catch (const Error& error) {
      if (!refused_by_server(error, connection)) throw;
    }
    co_return "0";
  }

  std::string before_;
  std::size_t waiting_ = 0;
};

// Recovers prepared transactions that a failed commit over several nodes has left. If some cannot
// be recovered, the check continues, and WritesAcrossNodes reports them.
Task<void> recover_before_check(Connection& connection, const CheckOptions& options) {
  // A role that may recover does so at once. Another one waits for Citus.
  constexpr coro::Duration time_of_allowed_role = std::chrono::seconds(5);
  const std::optional<std::string> note = co_await recovery_note(connection);
  const coro::Duration limit = note ? database::postgres::recovery_timeout : time_of_allowed_role;
  try {
    co_await recover_prepared(connection, limit, options.on_session_note);
  } catch (const Error&) {
    if (connection.broken()) throw;
  }
}

// Takes back the verdicts on conditions that compare rows of several warehouses.
void leave_unjudged(std::vector<Verdict>& verdicts, const std::vector<SqlCondition>& asked,
                    const std::string& reason) {
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (!asked[i].several_warehouses || verdicts[i].error) continue;
    verdicts[i].error = reason;
    verdicts[i].offenders = 0;
    verdicts[i].first_offenders.clear();
  }
}

// Judges pieces on all sessions of this process, of which `first` is already in the snapshot.
// Returns when all sessions have ended, because the first transaction must outlive every join. The
// transactions end with their sessions.
Task<void> run_sessions(const CheckOptions& options, const std::vector<SqlCondition>& asked,
                        SharedSnapshot& snapshot, CheckWork& work, Connection& first) {
  const auto work_on = [&](Connection& connection) {
    return work.run([&](const CheckPiece& piece) {
      return judge(connection, asked[piece.condition].sql, piece);
    });
  };
  const auto work_beside = [&]() -> Task<void> {
    const auto connection =
        co_await snapshot.join([&] { return open_set_up(options, first.pooling()); });
    co_await work_on(*connection);
  };
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 1; i < work.sessions(); ++i) scope.start(work_beside());
    co_await work_on(first);
  };
  co_await coro::with_scope(body);
}

}  // namespace

coro::Task<CheckReport> check(CheckOptions options) {
  assert(options.connections > 0);
  const auto first = co_await open_set_up(options, std::nullopt);
  options.dialect = first->dialect();
  co_await recover_before_check(*first, options);
  CheckReport report;
  report.server_version = first->parameter_status("server_version");
  report.after_import = options.after_import;
  WritesAcrossNodes writes;
  co_await writes.begin(*first);
  SharedSnapshot snapshot;
  co_await snapshot.begin(*first);
  report.money = co_await examine_tables(*first, options);
  database::postgres::PostgresAdminSession session(*first, "");
  report.warehouses =
      options.warehouses ? *options.warehouses : co_await count_warehouses_to_check(session);
  std::vector<SqlCondition> asked = conditions_of(report.money, *first);
  if (!options.after_import) report.left_out = leave_out_fresh_only(asked);
  CheckWork work(rules_of(asked), report.warehouses, options);
  if (options.judge_elsewhere) {
    CheckPart all = work.part();
    all.snapshot = snapshot.name();
    all.money = report.money;
    co_await options.judge_elsewhere(all, work);
    work.require_all();
  } else {
    co_await run_sessions(options, asked, snapshot, work, *first);
  }
  report.verdicts = work.verdicts();
  const std::optional<std::string> incomparable = co_await writes.end(*first);
  if (incomparable) leave_unjudged(report.verdicts, asked, *incomparable);
  report.snapshot_refusal = snapshot.refusal() ? snapshot.refusal() : work.refusal();
  co_return report;
}

coro::Task<std::optional<std::string>> check_pieces(
    CheckOptions options, CheckPart part, std::function<void(const PieceVerdict&)> on_verdict) {
  SharedSnapshot snapshot(part.snapshot);
  const auto first =
      co_await snapshot.join([&options] { return open_set_up(options, std::nullopt); });
  options.dialect = first->dialect();
  std::vector<SqlCondition> asked = conditions_of(part.money, *first);
  if (!part.after_import) leave_out_fresh_only(asked);
  CheckWork work(rules_of(asked), part, options, std::move(on_verdict));
  co_await run_sessions(options, asked, snapshot, work, *first);
  co_return snapshot.refusal();
}

}  // namespace drover::tpcc::postgres
