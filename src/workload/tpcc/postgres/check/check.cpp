#include "workload/tpcc/postgres/check/check.h"

#include <fmt/format.h>

#include <cassert>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/check/check_work.h"
#include "workload/tpcc/postgres/check/conditions.h"
#include "workload/tpcc/postgres/postgres_backend.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Connection;
using database::postgres::Result;

// Whether the server has judged the statement and the session lives on.
bool refused_by_server(const Error& error, const Connection& session) noexcept {
  const ErrorClass is = error.error_class();
  const bool judged = is == ErrorClass::statement || is == ErrorClass::timed_out ||
                      is == ErrorClass::retryable || is == ErrorClass::denied;
  return judged && !session.broken();
}

constexpr std::string_view begin_statement = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
constexpr std::string_view savepoint_statement = "SAVEPOINT before_statement";

// Hands back what the server said where it refused, else nothing, and the text of the first field
// in `answer`.
Task<std::optional<std::string>> try_statement(Connection& session, std::string sql,
                                               std::string& answer) {
  try {
    const Result result = co_await session.script(std::move(sql));
    if (result.rows() > 0) answer = result.text(0, 0);
    co_return std::nullopt;
  } catch (const Error& error) {
    if (!refused_by_server(error, session)) throw;
    co_return std::string(error.what());
  }
}

Task<void> begin_transaction(Connection& session) {
  co_await session.script(std::string(begin_statement));
}

Task<void> begin_anew(Connection& session) {
  co_await session.script("ROLLBACK");
  co_await begin_transaction(session);
}

// One snapshot for all sessions of a check: the first one exports it, the others import it, and so
// all of them read the database as it was at one instant, whatever is written meanwhile.
//
// Each session stays in one transaction, REPEATABLE READ and READ ONLY. A statement that the server
// refuses is rolled back to a savepoint: the snapshot survives it.
//
// A server that cannot share a snapshot (one that speaks the protocol but is no PostgreSQL, a
// session that a balancer sent elsewhere) leaves each session with a snapshot of its own; then
// `refusal` says why.
class CheckSnapshot {
 public:
  // Begins the first session, whose transaction must stay open until the last one has joined. All
  // of these throw database::Error where the session is lost or cannot begin at all.
  Task<void> begin(Connection& first) {
    co_await begin_transaction(first);
    refusal_ = co_await try_statement(first, "SELECT pg_export_snapshot()", id_);
    if (refusal_) co_await begin_anew(first);
    co_await first.script(std::string(savepoint_statement));
  }

  // Begins a further session in the snapshot of the first, or in one of its own.
  Task<void> join(Connection& other) {
    co_await begin_transaction(other);
    if (!id_.empty()) {
      // The name came from the server and is quoted all the same.
      std::string quoted;
      for (const char letter : id_) quoted.append(letter == '\'' ? 2 : 1, letter);
      std::string ignored;
      auto refused = co_await try_statement(
          other, fmt::format("SET TRANSACTION SNAPSHOT '{}'", quoted), ignored);
      if (refused) {
        if (!refusal_) refusal_ = std::move(refused);
        co_await begin_anew(other);
      }
    }
    co_await other.script(std::string(savepoint_statement));
  }

  // After a statement that the server refused.
  static Task<void> recover(Connection& session) {
    co_await session.script("ROLLBACK TO SAVEPOINT before_statement");
  }

  // Set where not all sessions see the same: what the server said to the first that does not.
  const std::optional<std::string>& refusal() const noexcept { return refusal_; }

 private:
  std::string id_;  // empty: none to be had
  std::optional<std::string> refusal_;
};

// One row a table of ours: whether it is there, and whether it holds money in binary floating
// point. to_regclass() goes by the search path, as the conditions do.
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

// Which way money is stored. Throws an error that names the tables that are missing.
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
  throw Error(ErrorClass::statement, "42P01",
              fmt::format("{} {} not found in {}: run 'drover tpcc init' and 'drover tpcc import', "
                          "or name the schema with --schema",
                          missing.find(',') == missing.npos ? "table" : "tables", missing,
                          place_of(options, path.text(0, 0))));
}

Task<std::int32_t> count_warehouses(Connection& connection, const CheckOptions& options) {
  if (options.warehouses) co_return *options.warehouses;
  const Result counted =
      co_await connection.query("SELECT count(*), coalesce(max(w_id), 0)::int8 FROM warehouse");
  co_return warehouses_to_check(counted.number<std::int64_t>(0, 0),
                                counted.number<std::int64_t>(0, 1));
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

// On `connection`, which is in its snapshot and stays there.
Task<PieceAnswer> judge(Connection& connection, const std::string& sql, CheckPiece piece) {
  PieceAnswer answer;
  try {
    answer = answer_in(co_await connection.query(sql, piece.first_warehouse, piece.last_warehouse,
                                                 offenders_kept));
  } catch (const Error& error) {
    if (!refused_by_server(error, connection)) throw;
    answer.error = error.what();
  }
  if (answer.error) co_await CheckSnapshot::recover(connection);
  co_return answer;
}

Task<std::unique_ptr<Connection>> open_session(const CheckOptions& options) {
  auto connection = co_await open_in_schema(options.conninfo, options.schema);
  for (const std::string_view setting : session_settings) {
    std::string sql(setting);
    co_await set_if_known(*connection, std::move(sql));
  }
  co_return connection;
}

}  // namespace

coro::Task<CheckReport> check(CheckOptions options) {
  assert(options.connections > 0);
  auto first = co_await open_session(options);
  CheckReport report;
  report.server_version = first->parameter_status("server_version");
  report.after_import = options.after_import;
  CheckSnapshot snapshot;
  co_await snapshot.begin(*first);
  report.money = co_await examine_tables(*first, options);
  report.warehouses = co_await count_warehouses(*first, options);
  std::vector<SqlCondition> asked = conditions(report.money);
  if (!options.after_import) report.left_out = leave_out_fresh_only(asked);
  CheckWork work(rules_of(asked), report.warehouses, options);
  auto work_on = [&](Connection& connection) -> Task<void> {
    return work.run([&](const CheckPiece& piece) {
      return judge(connection, asked[piece.condition].sql, piece);
    });
  };
  auto work_beside = [&]() -> Task<void> {
    const auto connection = co_await open_session(options);
    co_await snapshot.join(*connection);
    co_await work_on(*connection);
  };
  // Nobody leaves before all have ended: the first transaction outlives every join. None of them
  // is ended in words, as there is nothing to be undone and the sessions close.
  auto work_all = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 1; i < work.sessions(); ++i) scope.start(work_beside());
    co_await work_on(*first);
  };
  co_await coro::with_scope(work_all);
  report.verdicts = work.verdicts();
  report.snapshot_refusal = snapshot.refusal();
  co_return report;
}

}  // namespace drover::tpcc::postgres
