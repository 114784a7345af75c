#include "database/postgres/watch/statement_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "database/message.h"
#include "text/plain_text.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

// The time has another name before 1.8 of the extension, which a server of any version may have kept.
constexpr std::string_view extension_sql =
    "SELECT pg_catalog.quote_ident(n.nspname) || '.pg_stat_statements', "
    "(SELECT a.attname FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c "
    "ON c.oid = a.attrelid WHERE c.relname = 'pg_stat_statements' AND c.relnamespace = n.oid "
    "AND a.attname IN ('total_exec_time', 'total_time')) "
    "FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n "
    "ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'";

constexpr std::string_view own_statements =
    "dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) "
    "AND userid = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)";

double milliseconds_in(std::string_view text) {
  return text::number_of<double>(text).value_or(0);
}

}  // namespace

void StatementHistory::take(StatementReading reading) {
  if (last_) {
    for (const auto& [id, now] : reading) {
      StatementCounters before;
      const auto found = last_->find(id);
      // Fewer calls: it has been counted anew, since the server crashed, or was short of room.
      if (found != last_->end() && found->second.calls <= now.calls) before = found->second;
      if (now.calls == before.calls) continue;
      StatementCounters& sum = sums_[id];
      sum.calls += now.calls - before.calls;
      sum.total_ms += std::max(now.total_ms - before.total_ms, 0.0);
      sum.rows += now.rows - std::min(before.rows, now.rows);
    }
  }
  last_ = std::move(reading);
}

std::vector<CountedStatement> StatementHistory::longest(std::size_t most) const {
  std::vector<CountedStatement> sorted(sums_.begin(), sums_.end());
  std::ranges::sort(sorted, {}, [](const CountedStatement& one) {
    return std::pair(-one.second.total_ms, one.first);
  });
  if (sorted.size() > most) sorted.resize(most);
  return sorted;
}

Task<std::string> StatementCosts::read(Connection& connection) {
  if (!has_looked_) {
    const Result found = co_await connection.query(std::string(extension_sql));
    has_looked_ = true;
    if (found.rows() != 1 || found.is_null(0, 1)) {
      co_return "this database lacks the extension pg_stat_statements. Create it with "
                "CREATE EXTENSION";
    }
    function_ = found.text(0, 0);
    time_column_ = found.text(0, 1);
  }
  if (function_.empty()) co_return "";
  try {
    history_.take(co_await read_counters(connection));
  } catch (const Error& error) {
    // Not loaded by the server, or not for this role: it stays so.
    const bool hopeless =
        error.error_class() == ErrorClass::statement || error.error_class() == ErrorClass::denied;
    if (!hopeless || connection.broken()) throw;
    function_.clear();
    co_return error.what();
  }
  co_return "";
}

Task<std::optional<std::vector<StatementCost>>> StatementCosts::read_all(Connection& connection) {
  if (function_.empty() || !history_.has_begun()) co_return std::nullopt;
  history_.take(co_await read_counters(connection));
  const auto longest = history_.longest(statements_most);
  const auto texts = co_await read_texts(connection, longest);
  std::vector<StatementCost> costs;
  for (const auto& [id, counters] : longest) {
    const auto text = texts.find(id);
    costs.push_back({text == texts.end() ? "(text not available)" : text->second, counters.calls,
                     counters.total_ms, counters.rows});
  }
  co_return costs;
}

Task<std::map<std::int64_t, std::string>> StatementCosts::read_texts(
    Connection& connection, const std::vector<CountedStatement>& of) const {
  std::map<std::int64_t, std::string> texts;
  std::string ids;
  for (const auto& [id, counters] : of) ids += fmt::format("{}{}", ids.empty() ? "" : ",", id);
  if (ids.empty()) co_return texts;
  const Result result = co_await connection.query(
      fmt::format("SELECT queryid, left(min(query), {}) FROM {}(true) WHERE queryid IN ({}) AND {} "
                  "GROUP BY queryid",
                  2 * text_bytes_most, function_, ids, own_statements));
  for (int row = 0; row < result.rows(); ++row) {
    texts[result.number<std::int64_t>(row, 0)] = shown_statement(result.text(row, 1));
  }
  co_return texts;
}

Task<StatementReading> StatementCosts::read_counters(Connection& connection) const {
  const Result result = co_await connection.query(
      fmt::format("SELECT queryid, sum(calls)::int8, sum({}), sum(rows)::int8 FROM {}(false) "
                  "WHERE queryid IS NOT NULL AND {} GROUP BY queryid",
                  time_column_, function_, own_statements));
  StatementReading reading;
  for (int row = 0; row < result.rows(); ++row) {
    reading[result.number<std::int64_t>(row, 0)] = {result.number<std::uint64_t>(row, 1),
                                                    milliseconds_in(result.text(row, 2)),
                                                    result.number<std::uint64_t>(row, 3)};
  }
  co_return reading;
}

std::string shown_statement(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find("password") != std::string::npos && lower.find('\'') != std::string::npos) {
    return "(not shown: it may hold a password)";
  }
  std::string shown(text);
  std::ranges::replace(shown, '\n', ' ');  // one_line() would end the lines as sentences
  shown = database::one_line(shown);
  if (shown.size() <= StatementCosts::text_bytes_most) return shown;
  std::size_t end = StatementCosts::text_bytes_most;
  // Not within a character.
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
  return shown.substr(0, end) + "…";
}

}  // namespace drover::database::postgres
