#include "database/postgres/pooling.h"

#include <fmt/format.h>

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

// Where pgpool-II itself keeps the servers equal, by sending each what is written, no one of them is the database.
Task<void> refuse_replicating_pgpool(Connection& connection) {
  std::string mode;
  try {
    const Result result = co_await connection.script("PGPOOL SHOW backend_clustering_mode");
    if (result.rows() == 1) mode = result.text(0, 0);
  } catch (const Error&) {
    if (connection.broken()) throw;  // older than 4.2
  }
  if (mode != "native_replication" && mode != "snapshot_isolation") co_return;
  throw Error(
      ErrorClass::denied, "",
      fmt::format(
          "pgpool-II replicates by itself (backend_clustering_mode = {}), which drover does "
          "not measure: have it stand before streaming replication, or connect to a server "
          "directly",
          mode));
}

}  // namespace

namespace {

// Whether the server's end of the session is where we have connected to. Then nothing stands in between, and nobody is
// asked what a server without a pgpool logs as an error.
Task<bool> is_direct(Connection& connection) {
  try {
    const Result at = co_await connection.query(
        "SELECT coalesce(inet_server_port(), current_setting('port')::int), "
        "coalesce(host(inet_server_addr()), '')");
    co_return at.rows() == 1 && at.number<int>(0, 0) == connection.port() &&
        at.text(0, 1) == connection.host_address();
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement || connection.broken()) throw;
  }
  co_return false;
}

}  // namespace

// No server knows the parameter; pgpool-II answers in the simple protocol only.
Task<bool> is_pgpool(Connection& connection) {
  const bool direct = co_await is_direct(connection);
  if (direct) co_return false;
  try {
    co_await connection.script("SHOW pool_version");
    co_return true;
  } catch (const Error&) {
    if (connection.broken()) throw;
  }
  co_return false;
}

Task<Pooling> find_pooling(Connection& first, Access access) {
  if (co_await is_pgpool(first)) {
    co_await refuse_replicating_pgpool(first);
    co_return Pooling::pgpool;
  }
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
  if (pooling == Pooling::pgpool) {
    return "note: pgpool-II stands before the server: all statements but those of scripts (drover "
           "sql run) go to the primary, and none is balanced over its standbys; more connections "
           "than its num_init_children wait for each other";
  }
  return "note: a pooler stands before the server and lends its processes by the transaction: "
         "statements go as text "
         "each time, and what a session is SET to goes with each transaction, which costs the "
         "server more";
}

}  // namespace drover::database::postgres
