#include "tpcc/postgres/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "coro/scope.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
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

// Of what the hash tables of a piece hold, 30,000 customers a warehouse, most stay in the caches
// of the processor.
constexpr std::int32_t range_warehouses_max = 4;

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

std::vector<Condition> catalogue_of(const CheckOptions& options, Money money) {
  std::vector<Condition> all = consistency_conditions(money);
  if (options.after_import) all.push_back(freshly_loaded_condition(money));
  std::sort(all.begin(), all.end(), [](const Condition& left, const Condition& right) {
    return left.number < right.number;
  });
  for (Condition& condition : further_conditions(money)) all.push_back(std::move(condition));
  if (options.after_import)
    for (Condition& rule : population_rules(money)) all.push_back(std::move(rule));
  return all;
}

void append_pieces(std::vector<CheckPiece>& pieces, std::size_t condition, std::int32_t warehouses,
                   std::int32_t count) {
  for (std::int32_t part = 0; part < count; ++part) {
    const std::int64_t begin = std::int64_t{warehouses} * part / count;
    const std::int64_t end = std::int64_t{warehouses} * (part + 1) / count;
    pieces.push_back(
        {condition, static_cast<std::int32_t>(begin + 1), static_cast<std::int32_t>(end)});
  }
}

// One check under way, shared by its sessions, all of one worker.
class Checking {
 public:
  Checking(const CheckOptions& options, std::vector<Condition> conditions, std::int32_t warehouses)
      : options_(options),
        conditions_(std::move(conditions)),
        pieces_(plan_check(conditions_, warehouses, options.connections)),
        answers_(pieces_.size()),
        errors_(conditions_.size()),
        times_(conditions_.size()) {}

  std::size_t pieces() const noexcept { return pieces_.size(); }

  // Works on `connection` until no piece is left.
  Task<void> work(Connection& connection) {
    co_await begin(connection);
    while (next_ < pieces_.size()) {
      const std::size_t piece = next_++;
      // What the server refused once it refuses for every range.
      if (!errors_[pieces_[piece].condition]) co_await judge(connection, piece);
      ++done_;
      if (options_.on_progress) options_.on_progress(done_, pieces_.size());
    }
    co_await connection.script("ROLLBACK");
  }

  std::vector<Verdict> verdicts() const;

 private:
  struct Answer {
    std::int64_t offenders = 0;
    std::vector<Offender> first;
  };

  static Task<void> begin(Connection& connection) {
    co_await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  }

  Task<void> judge(Connection& connection, std::size_t piece);
  static Answer read_answer(const Result& result);

  const CheckOptions& options_;
  std::vector<Condition> conditions_;
  std::vector<CheckPiece> pieces_;
  std::vector<Answer> answers_;                     // one for each piece
  std::vector<std::optional<std::string>> errors_;  // one for each condition
  std::vector<coro::Duration> times_;               // one for each condition
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

Task<void> Checking::judge(Connection& connection, std::size_t piece) {
  const auto& [condition, first, last] = pieces_[piece];
  const coro::Instant start = coro::Worker::current().now();
  std::optional<std::string> refused;
  try {
    const Result result =
        co_await connection.query(conditions_[condition].sql, first, last, options_.offenders_kept);
    answers_[piece] = read_answer(result);
  } catch (const Error& error) {
    const bool by_server = error.error_class() == ErrorClass::statement ||
                           error.error_class() == ErrorClass::retryable ||
                           error.error_class() == ErrorClass::denied;
    if (!by_server || connection.broken()) throw;
    refused = error.what();
  }
  times_[condition] += coro::Worker::current().now() - start;
  if (!refused) co_return;
  errors_[condition] = std::move(refused);
  co_await connection.script("ROLLBACK");
  co_await begin(connection);
}

Checking::Answer Checking::read_answer(const Result& result) {
  Answer answer;
  for (int row = 0; row < result.rows(); ++row) {
    answer.first.push_back({std::string(result.text(row, 0)), std::string(result.text(row, 1)),
                            std::string(result.text(row, 2))});
    answer.offenders = to_number(result.text(row, 3));
  }
  return answer;
}

std::vector<Verdict> Checking::verdicts() const {
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& condition = conditions_[i];
    verdicts.push_back({.number = condition.number,
                        .name = condition.name,
                        .clause = condition.clause,
                        .title = condition.title,
                        .offenders = 0,
                        .first_offenders = {},
                        .error = errors_[i],
                        .server_time = times_[i]});
  }
  // The pieces of a condition lie in the order of their warehouses.
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Verdict& verdict = verdicts[pieces_[i].condition];
    verdict.offenders += answers_[i].offenders;
    for (const Offender& offender : answers_[i].first) {
      if (std::ssize(verdict.first_offenders) == options_.offenders_kept) break;
      verdict.first_offenders.push_back(offender);
    }
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

bool CheckReport::holds() const noexcept {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return verdict.holds(); });
}

std::vector<CheckPiece> plan_check(const std::vector<Condition>& conditions,
                                   std::int32_t warehouses, std::size_t connections) {
  assert(warehouses > 0 && connections > 0);
  const auto sessions = static_cast<std::int32_t>(std::min<std::size_t>(connections, 1'000));
  const std::int32_t narrow =
      std::min(warehouses,
               std::max((warehouses + range_warehouses_max - 1) / range_warehouses_max, sessions));
  // Each wide range costs a pass over a whole table, each narrower one less memory: the root of
  // their number keeps both within bounds.
  const auto root = static_cast<std::int32_t>(std::ceil(std::sqrt(warehouses) / 2));
  const std::int32_t wide = std::min(warehouses, std::max(root, sessions));

  std::vector<CheckPiece> pieces;
  std::vector<CheckPiece> by_range;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    switch (conditions[i].span) {
      case Span::once:
        pieces.push_back({i, 1, warehouses});
        break;
      case Span::wide_range:
        append_pieces(pieces, i, warehouses, wide);
        break;
      case Span::range:
        append_pieces(by_range, i, warehouses, narrow);
        break;
    }
  }
  std::sort(by_range.begin(), by_range.end(), [](const auto& left, const auto& right) {
    return std::pair(left.first_warehouse, left.condition) <
           std::pair(right.first_warehouse, right.condition);
  });
  pieces.insert(pieces.end(), by_range.begin(), by_range.end());
  return pieces;
}

coro::Task<CheckReport> check(CheckOptions options) {
  assert(options.connections > 0);
  auto first = co_await open_session(options);
  CheckReport report;
  report.money = co_await examine_tables(*first, options);
  report.warehouses = co_await count_warehouses(*first, options);
  Checking checking(options, catalogue_of(options, report.money), report.warehouses);

  auto work_beside = [&options, &checking]() -> Task<void> {
    const auto connection = co_await open_session(options);
    co_await checking.work(*connection);
  };
  const std::size_t sessions = std::min(options.connections, checking.pieces());
  auto work_all = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 1; i < sessions; ++i) scope.start(work_beside());
    co_await checking.work(*first);
  };
  co_await coro::with_scope(work_all);
  report.verdicts = checking.verdicts();
  co_return report;
}

}  // namespace drover::tpcc::postgres
