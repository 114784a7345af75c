#include "tpcc/postgres/check_snapshot.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::tpcc::postgres {

namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Connection;
using database::postgres::Result;

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

}  // namespace

bool refused_by_server(const Error& error, const Connection& session) noexcept {
  const bool judged = error.error_class() == ErrorClass::statement ||
                      error.error_class() == ErrorClass::timed_out ||
                      error.error_class() == ErrorClass::retryable ||
                      error.error_class() == ErrorClass::denied;
  return judged && !session.broken();
}

Task<void> CheckSnapshot::begin(Connection& first) {
  co_await begin_transaction(first);
  refusal_ = co_await try_statement(first, "SELECT pg_export_snapshot()", id_);
  if (refusal_) co_await begin_anew(first);
  co_await first.script(std::string(savepoint_statement));
}

Task<void> CheckSnapshot::join(Connection& other) {
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

Task<void> CheckSnapshot::recover(Connection& session) {
  co_await session.script("ROLLBACK TO SAVEPOINT before_statement");
}

}  // namespace drover::tpcc::postgres
