#include "database/postgres/shared_snapshot.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "database/postgres/dialect.h"
#include "database/postgres/session_setup.h"

namespace drover::database::postgres {

using coro::Task;

bool refused_by_server(const Error& error, const Connection& session) noexcept {
  const ErrorClass is = error.error_class();
  const bool judged = is == ErrorClass::statement || is == ErrorClass::timed_out ||
                      is == ErrorClass::retryable || is == ErrorClass::denied;
  return judged && !session.broken();
}

namespace {

constexpr std::string_view begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

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
  co_await session.script(std::string(begin_snapshot));
}

Task<void> begin_anew(Connection& session) {
  co_await session.script("ROLLBACK");
  co_await begin_transaction(session);
}

Task<void> save(Connection& session) {
  co_await session.script("SAVEPOINT before_statement");
}

}  // namespace

Task<void> SharedSnapshot::begin(Connection& first) {
  const DialectTraits& traits = traits_of(first.dialect());
  co_await begin_transaction(first);
  if (first.pooling() == Pooling::pgpool) {
    // It would tell its standbys, too, which do not know the snapshot, and end the session.
    refusal_ = "pgpool-II has no snapshot for several sessions";
  } else if (!traits.shared_snapshots) {
    refusal_ = fmt::format("{} has no snapshot for several sessions", traits.title);
  } else {
    refusal_ = co_await try_statement(first, "SELECT pg_export_snapshot()", id_);
    if (refusal_) co_await begin_anew(first);
  }
  co_await save(first);
}

Task<void> SharedSnapshot::join(Connection& other) {
  // The first session keeps one process of the pool until all sessions have ended.
  if (other.pooling() == Pooling::transaction) co_await require_process(other);
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
  co_await save(other);
}

Task<void> SharedSnapshot::recover(Connection& session) {
  co_await session.script("ROLLBACK TO SAVEPOINT before_statement");
}

}  // namespace drover::database::postgres
