#include "database/postgres/pooling.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "coro/deadline.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/worker.h"
#include "database/error.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

// The time within which a session gets its answer, unless it waits for a free process.
constexpr coro::Duration usual_answer = std::chrono::seconds(1);

// The longest time between two answers that a pooler sends one directly after the other.
constexpr coro::Duration between_answers = std::chrono::milliseconds(250);

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

// The second session's answer, while the first session may ask something else.
struct Answer {
  std::optional<std::int32_t> process;
  std::optional<Error> error;
  coro::Event is_here;
};

Task<void> ask_process(Connection& connection, Answer& answer) {
  try {
    answer.process = co_await process_of(connection);
  } catch (const Error& error) {
    answer.error = error;
  }
  answer.is_here.set();
}

// Returns whether the answer arrived in time.
Task<bool> wait_for(Answer& answer, coro::Duration patience) {
  auto come = [&answer]() -> Task<void> { co_await answer.is_here.wait(); };
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + patience, come());
  } catch (const coro::DeadlineExceeded&) {
  }
  co_return answer.is_here.is_set();
}

// Returns the process of the second session, or nothing if the pool has none for it while the first
// session is open. With transaction pooling, a waiting session gets the next free process before
// sessions that ask later. So the second session gets one as soon as the first session's query has
// ended.
Task<std::optional<std::int32_t>> process_of_second(Connection& first, Connection& second) {
  Answer answer;
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(ask_process(second, answer));
    bool is_here = co_await wait_for(answer, usual_answer);
    if (!is_here) {
      co_await process_of(first);
      is_here = co_await wait_for(answer, between_answers);
    }
    if (!is_here) scope.cancel();  // the second session is not used any more
  };
  co_await coro::with_scope(body);
  if (answer.error) throw Error(*answer.error);
  co_return answer.process;
}

// With session pooling the first session keeps its process. If the second session gets that
// process, or if one of the two gets another process than before, the pooler uses transaction
// pooling. Poolers assign the process that was used last, or each in turn, and other clients may
// come between: so both sessions ask several times, and the second one twice in a row.
Task<Pooling> pooling_of(Connection& first, Connection& second, std::int32_t process) {
  constexpr int attempts = 4;
  std::optional<std::int32_t> before;
  for (int i = 0; i < 2 * attempts; ++i) {
    const auto of_second = co_await process_of_second(first, second);
    if (!of_second) co_return Pooling::session;
    if (*of_second == process || (before && *before != *of_second)) {
      co_return Pooling::transaction;
    }
    before = of_second;
    if (i % 2 == 0) continue;
    const auto of_first = co_await process_of(first);
    if (of_first != process) co_return Pooling::transaction;
  }
  co_return Pooling::session;
}

// Returns null if the pooler accepts no more connections.
Task<std::unique_ptr<Connection>> open_second(Access access) {
  try {
    co_return co_await open(std::move(access));
  } catch (const Error&) {
  }
  co_return nullptr;
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
          "pgpool-II itself replicates the data (backend_clustering_mode = {}), which drover does "
          "not support. Use pgpool-II with streaming replication, or connect to a server directly",
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
    const ErrorClass is = error.error_class();  // denied: a function may have been revoked
    const bool is_answer = is == ErrorClass::statement || is == ErrorClass::denied;
    if (!is_answer || connection.broken()) throw;
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
  const auto second = co_await open_second(std::move(access));
  if (!second) co_return Pooling::transaction;
  try {
    co_return co_await pooling_of(first, *second, *process);
  } catch (const Error&) {
    if (first.broken()) throw;
  }
  co_return Pooling::transaction;
}

std::string pooling_note(Pooling pooling) {
  if (pooling == Pooling::session) {
    return "note: a pooler in session pooling mode is in front of the server. If the run has more "
           "connections than the pool, the surplus connections wait";
  }
  if (pooling == Pooling::pgpool) {
    return "note: pgpool-II is in front of the server. Drover sends its statements to the "
           "primary, never to a standby. For the statements of scripts (drover sql run), pgpool-II "
           "chooses "
           "the server. If the run has more connections than num_init_children, the surplus "
           "connections wait";
  }
  return "note: a pooler in transaction pooling mode is in front of the server. Each execution "
         "sends the statement as text, and each transaction sends the session's settings again, "
         "which costs the server more";
}

}  // namespace drover::database::postgres
