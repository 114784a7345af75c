#include "database/postgres/pooling.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "coro/deadline.h"
#include "coro/worker.h"
#include "database/error.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

// To open a second session and to hear of it: one that has to wait for a free process waits for minutes.
constexpr coro::Duration patience = std::chrono::seconds(5);

// None where the server has no processes that it names.
Task<std::optional<std::int32_t>> process_of(Connection& connection) {
  try {
    const Result result = co_await connection.query("SELECT pg_backend_pid()");
    if (result.rows() == 1) co_return result.number<std::int32_t>(0, 0);
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement || connection.broken()) throw;
  }
  co_return std::nullopt;
}

// While the second one is in a transaction, no other session can have its process. So if it gets the one that the first
// has had, or the first gets another one than before, processes are lent by the transaction. A pooler lends the one that
// was used last; others may come between, and so it is tried more than once.
Task<Pooling> pooling_of(Connection& first, Access access, std::int32_t process) {
  constexpr int attempts = 5;
  const auto second = co_await open(std::move(access));
  for (int i = 0; i < attempts; ++i) {
    co_await second->script("BEGIN");
    const auto of_second = co_await process_of(*second);
    const auto of_first = co_await process_of(first);
    co_await second->script("ROLLBACK");
    if (of_second == process || of_first != process) co_return Pooling::transaction;
  }
  co_return Pooling::session;
}

}  // namespace

Task<Pooling> find_pooling(Connection& first, Access access) {
  const auto process = co_await process_of(first);
  if (!process || *process == first.backend_pid()) co_return Pooling::none;
  try {
    const coro::Instant give_up = coro::Worker::current().now() + patience;
    co_return co_await coro::with_deadline(give_up, pooling_of(first, std::move(access), *process));
  } catch (const Error&) {
    if (first.broken()) throw;
  } catch (const coro::DeadlineExceeded&) {
  }
  co_return Pooling::transaction;
}

std::string pooling_note(Pooling pooling) {
  if (pooling == Pooling::session) {
    return "note: a pooler stands before the server and lends each connection a process of it: "
           "more connections than "
           "the pooler's pool has wait for each other";
  }
  return "note: a pooler stands before the server and lends its processes by the transaction: "
         "statements go as text "
         "each time, and what a session is SET to goes with each transaction, which costs the "
         "server more";
}

}  // namespace drover::database::postgres
