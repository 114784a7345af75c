#include "tpcc/postgres/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <memory>
#include <utility>

#include "coro/scope.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "tpcc/check_plan.h"
#include "tpcc/postgres/check_snapshot.h"
#include "tpcc/postgres/conditions.h"
#include "tpcc/postgres/population_rules.h"
#include "tpcc/postgres/postgres_backend.h"

namespace drover::tpcc::postgres {

namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Connection;
using database::postgres::Result;

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

std::int64_t to_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

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
  const std::int64_t rows = to_number(counted.text(0, 0));
  const std::int64_t last = to_number(counted.text(0, 1));
  if (rows == 0) {
    throw Error(ErrorClass::statement, "",
                "there is no warehouse: run 'drover tpcc import -w N', or say with -w how many "
                "there should be");
  }
  // A gap or two is an offence that condition 1 reports; this is no numbering at all.
  if (last < 1 || last > 2 * rows + 100) {
    throw Error(ErrorClass::statement, "",
                fmt::format("warehouses are numbered from 1, but the {} rows of the table go up to "
                            "w_id = {}: say with -w how many there should be",
                            rows, last));
  }
  co_return static_cast<std::int32_t>(last);
}

void append(std::vector<Condition>& all, std::vector<Condition> more) {
  for (Condition& condition : more) all.push_back(std::move(condition));
}

// What is to be judged. What would hold of freshly loaded data only goes to `left_out` otherwise.
std::vector<Condition> catalogue_of(const CheckOptions& options, Money money,
                                    std::vector<Condition>& left_out) {
  std::vector<Condition> all = consistency_conditions(money);
  std::vector<Condition>& fresh = options.after_import ? all : left_out;
  fresh.push_back(freshly_loaded_condition(money));
  std::sort(all.begin(), all.end(), [](const Condition& left, const Condition& right) {
    return left.number < right.number;
  });
  append(all, further_conditions(money));
  append(fresh, population_rules(money));
  return all;
}

// One check under way, shared by its sessions, all of one worker.
class Checking {
 public:
  Checking(const CheckOptions& options, std::vector<Condition> conditions, std::int32_t warehouses)
      : options_(options),
        conditions_(std::move(conditions)),
        pieces_(plan_check(conditions_, warehouses, options.connections)),
        findings_(conditions_.size()),
        time_left_(pieces_, conditions_.size(), options.connections) {}

  std::size_t pieces() const noexcept { return pieces_.size(); }

  // Works on `connection`, which is in its snapshot, until no piece is left.
  Task<void> work(Connection& connection) {
    while (next_ < pieces_.size()) {
      const CheckPiece& piece = pieces_[next_++];
      tell_progress(conditions_[piece.condition].title);
      const coro::Instant start = coro::Worker::current().now();
      // What the server refused once it refuses for every range.
      if (!findings_[piece.condition].error) co_await judge(connection, piece);
      const coro::Duration took = coro::Worker::current().now() - start;
      findings_[piece.condition].took += took;
      time_left_.piece_done(piece, took);
      ++done_;
    }
    if (done_ == pieces_.size()) tell_progress({});
  }

  std::vector<Verdict> verdicts() const;

 private:
  // What is known of a condition so far.
  struct Finding {
    std::int64_t offenders = 0;
    // The first ones of all warehouses seen yet, in the order of the pieces, which is that of the
    // warehouses.
    std::vector<std::pair<std::int32_t, Offender>> first;
    std::optional<std::string> error;
    coro::Duration took{};
  };

  Task<void> judge(Connection& connection, const CheckPiece& piece);
  void keep_answer(const Result& result, const CheckPiece& piece);

  void tell_progress(std::string_view condition) const {
    if (options_.on_progress)
      options_.on_progress({done_, pieces_.size(), condition, time_left_.estimate()});
  }

  const CheckOptions& options_;
  std::vector<Condition> conditions_;
  std::vector<CheckPiece> pieces_;
  std::vector<Finding> findings_;  // one for each condition
  TimeLeft time_left_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

Task<void> Checking::judge(Connection& connection, const CheckPiece& piece) {
  std::optional<std::string> refused;
  try {
    const Result result =
        co_await connection.query(conditions_[piece.condition].sql, piece.first_warehouse,
                                  piece.last_warehouse, options_.offenders_kept);
    keep_answer(result, piece);
  } catch (const Error& error) {
    if (!refused_by_server(error, connection)) throw;
    refused = error.what();
  }
  if (!refused) co_return;
  findings_[piece.condition].error = std::move(refused);
  co_await CheckSnapshot::recover(connection);
}

// The pieces of a condition may end in any order. Of the offenders those of the first warehouses
// are kept, so that the report is the same each time and the memory that of a few rows.
void Checking::keep_answer(const Result& result, const CheckPiece& piece) {
  if (result.rows() == 0) return;
  Finding& finding = findings_[piece.condition];
  finding.offenders += to_number(result.text(0, 3));
  auto place = std::upper_bound(
      finding.first.begin(), finding.first.end(), piece.first_warehouse,
      [](std::int32_t warehouse, const auto& other) { return warehouse < other.first; });
  for (int row = 0; row < result.rows(); ++row) {
    Offender offender{std::string(result.text(row, 0)), std::string(result.text(row, 1)),
                      std::string(result.text(row, 2))};
    place = finding.first.emplace(place, piece.first_warehouse, std::move(offender)) + 1;
  }
  const auto kept = static_cast<std::size_t>(options_.offenders_kept);
  if (finding.first.size() > kept) finding.first.resize(kept);
}

std::vector<Verdict> Checking::verdicts() const {
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i];
    verdicts.push_back({.number = condition.number,
                        .name = condition.name,
                        .clause = condition.clause,
                        .title = condition.title,
                        .offenders = findings_[i].offenders,
                        .first_offenders = {},
                        .error = findings_[i].error,
                        .server_time = findings_[i].took});
    for (const auto& [warehouse, offender] : findings_[i].first)
      verdicts.back().first_offenders.push_back(offender);
  }
  return verdicts;
}

Task<std::unique_ptr<Connection>> open_session(const CheckOptions& options) {
  auto connection = co_await open_in_schema(options.conninfo, options.schema);
  for (const std::string_view setting : session_settings) {
    try {
      co_await connection->script(std::string(setting));
    } catch (const Error& error) {
      // A server that speaks the protocol but does not know the setting.
      if (error.error_class() != ErrorClass::statement) throw;
    }
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
  Checking checking(options, catalogue_of(options, report.money, report.left_out),
                    report.warehouses);

  auto work_beside = [&options, &snapshot, &checking]() -> Task<void> {
    const auto connection = co_await open_session(options);
    co_await snapshot.join(*connection);
    co_await checking.work(*connection);
  };
  const std::size_t sessions = std::min(options.connections, checking.pieces());
  // Nobody leaves before all have ended: the first transaction outlives every join. None of them
  // is ended in words, as there is nothing to be undone and the sessions close.
  auto work_all = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 1; i < sessions; ++i) scope.start(work_beside());
    co_await checking.work(*first);
  };
  co_await coro::with_scope(work_all);
  report.verdicts = checking.verdicts();
  report.snapshot_refusal = snapshot.refusal();
  co_return report;
}

}  // namespace drover::tpcc::postgres
