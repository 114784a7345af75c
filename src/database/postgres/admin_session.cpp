#include "database/postgres/admin_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <exception>
#include <utility>

#include "coro/sleep.h"
#include "database/error.h"
#include "database/postgres/statement.h"
#include "database/session_pool.h"
#include "text/plain_text.h"

namespace drover::database::postgres {

namespace {

using coro::Task;

// Returns a literal that does not depend on standard_conforming_strings.
std::string literal_of(const std::string& text) {
  const std::string quoted = text::replaced(text, "'", "''");
  if (quoted.find('\\') == quoted.npos) return fmt::format("'{}'", quoted);
  return fmt::format(" E'{}'", text::replaced(quoted, "\\", "\\\\"));
}
std::string literal_of(bool value) {
  return value ? "true" : "false";
}
std::string literal_of(std::integral auto number) {
  return number < 0 ? fmt::format("({})", number) : fmt::format("{}", number);
}

bool is_name_letter(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
}

// Returns the text with each $name replaced by its literal.
std::string with_literals(std::string_view text, const std::vector<AdminParameter>& parameters) {
  std::string made;
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$')) {
    made += text.substr(0, at);
    text.remove_prefix(at);
    std::size_t end = 1;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    const std::string_view name = text.substr(0, end);
    const auto found = std::ranges::find(parameters, name, &AdminParameter::name);
    made += found == parameters.end()
                ? std::string(name)
                : std::visit([](const auto& value) { return literal_of(value); }, found->value);
    text.remove_prefix(end);
  }
  return made.append(text);
}

AdminRows rows_of(const Result& result) {
  std::vector<std::string> columns;
  for (int column = 0; column < result.columns(); ++column) {
    columns.emplace_back(PQfname(result.get(), column));
  }
  std::vector<AdminRows::Cell> cells;
  for (int row = 0; row < result.rows(); ++row) {
    for (int column = 0; column < result.columns(); ++column) {
      AdminRows::Cell& cell = cells.emplace_back();
      if (!result.is_null(row, column)) cell.emplace(result.text(row, column));
    }
  }
  return AdminRows(std::move(columns), std::move(cells), result.affected());
}

}  // namespace

std::string PostgresAdminSession::table(std::string_view name) const {
  return qualified_name(schema_, name);
}

Task<AdminRows> PostgresAdminSession::query(std::string text,
                                            std::vector<AdminParameter> parameters) {
  const Result result = co_await script_with_retries(connection_, with_literals(text, parameters));
  co_return rows_of(result);
}

Task<void> PostgresAdminSession::change_tables(std::string text) {
  co_await script_with_retries(connection_, std::move(text));
}

Task<std::vector<bool>> PostgresAdminSession::tables_exist(std::vector<std::string> names) {
  for (std::string& name : names) name = table(name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const Result found = co_await connection_.query(
      "SELECT to_regclass(name) IS NOT NULL FROM unnest($1::text[]) WITH ORDINALITY "
      "AS wanted (name, place) ORDER BY place",
      views);
  std::vector<bool> exist;
  for (int row = 0; row < found.rows(); ++row) exist.push_back(found.text(row, 0) == "t");
  co_return exist;
}

bool PostgresAdminSession::is_unknown_column(const Error& error) const noexcept {
  return error.sqlstate() == "42703";
}

Task<void> with_retries(Connection& connection, std::function<Task<void>()> transaction) {
  constexpr int tries_max = 10;
  ReopenPause pause(0);
  for (int tries = 1;; ++tries) {
    std::exception_ptr end;
    bool again = false;
    try {
      co_await transaction();
      co_return;
    } catch (const Error& error) {
      end = std::current_exception();
      again =
          error.error_class() == ErrorClass::retryable && tries < tries_max && !connection.broken();
    }
    co_await roll_back(connection);
    if (!again) std::rethrow_exception(end);
    co_await coro::sleep_for(pause(tries));
  }
}

Task<Result> script_with_retries(Connection& connection, std::string sql) {
  if (connection.in_transaction()) co_return co_await connection.script(std::move(sql));
  Result result;
  auto execute = [&]() -> Task<void> { result = co_await connection.script(sql); };
  co_await with_retries(connection, execute);
  co_return result;
}

std::string no_statistics_note(std::string_view tables, std::string_view warning) {
  return fmt::format(
      "note: {} may lack statistics, so statements may be slow. The server warned: {} Ask the "
      "owner of the table to run ANALYZE",
      tables, text::sentence(warning));
}

}  // namespace drover::database::postgres
