#include "database/postgres/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "coro/deadline.h"
#include "coro/worker.h"

namespace drover::database::postgres {
namespace {

using coro::Readiness;
using coro::Task;

// libpq's messages as one line: it breaks and indents them.
std::string trimmed(const char* text) {
  std::string message;
  for (const char c : std::string_view(text != nullptr ? text : "")) {
    const bool space = c == '\n' || c == '\t' || c == ' ';
    if (!space) {
      message += c;
    } else if (!message.empty() && message.back() != ' ') {
      message += ' ';
    }
  }
  while (!message.empty() && message.back() == ' ') message.pop_back();
  return message;
}

// libpq gives no SQLSTATE for a connection that fails, so the message has to tell.
ErrorClass classify_connect_failure(std::string_view message) noexcept {
  // A server that goes away while it greets us may come back.
  if (message.find("SSL SYSCALL error") != std::string_view::npos) return ErrorClass::unavailable;
  for (const std::string_view sign :
       {"password authentication failed", "does not exist", "no password supplied",
        "authentication failed", "pg_hba.conf", "permission denied for database",
        "not permitted to log in", "certificate", "SSL", "invalid "}) {
    if (message.find(sign) != std::string_view::npos) return ErrorClass::denied;
  }
  return ErrorClass::unavailable;
}

void ignore_notice(void*, const PGresult*) {}

std::string field(const PGresult* result, int code) {
  const char* value = PQresultErrorField(result, code);
  return value != nullptr ? value : "";
}

coro::Duration connect_timeout(PGconn* handle) {
  int seconds = 0;
  PQconninfoOption* options = PQconninfo(handle);
  for (const PQconninfoOption* option = options; option != nullptr && option->keyword != nullptr;
       ++option) {
    if (std::string_view(option->keyword) == "connect_timeout" && option->val != nullptr) {
      seconds = std::atoi(option->val);
    }
  }
  PQconninfoFree(options);
  return std::chrono::seconds(seconds > 0 ? seconds : 10);
}

}  // namespace

Error error_of(const PGresult* result) {
  std::string sqlstate = field(result, PG_DIAG_SQLSTATE);
  std::string message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = trimmed(PQresultErrorMessage(result));
  if (const auto detail = field(result, PG_DIAG_MESSAGE_DETAIL); !detail.empty()) {
    message += fmt::format(" ({})", detail);
  }
  if (const auto hint = field(result, PG_DIAG_MESSAGE_HINT); !hint.empty()) {
    message += fmt::format("; hint: {}", hint);
  }
  if (!sqlstate.empty()) message += fmt::format(" [SQLSTATE {}]", sqlstate);
  const ErrorClass error_class =
      sqlstate.empty() ? ErrorClass::connection_lost : classify_sqlstate(sqlstate);
  return {error_class, std::move(sqlstate), message};
}

Task<std::unique_ptr<Connection>> Connection::open(std::string conninfo) {
  // A word alone is the name of a database. Anything else that libpq cannot read it quotes whole.
  if (conninfo.find_first_of("=:@") != std::string::npos) {
    if (const auto problem = conninfo_problem(conninfo)) {
      throw Error(ErrorClass::denied, "", *problem);
    }
  }
  const char* const keywords[] = {"dbname", "fallback_application_name", "client_encoding",
                                  nullptr};
  const char* const values[] = {conninfo.c_str(), "drover", "UTF8", nullptr};
  PGconn* handle = PQconnectStartParams(keywords, values, 1);
  if (handle == nullptr) throw std::bad_alloc();
  std::unique_ptr<Connection> connection(new Connection(handle));
  PQsetNoticeReceiver(handle, ignore_notice, nullptr);
  if (PQstatus(handle) == CONNECTION_BAD) {
    const std::string message = trimmed(PQerrorMessage(handle));
    throw Error(classify_connect_failure(message), "", message);
  }
  const coro::Duration timeout = connect_timeout(handle);
  bool timed_out = false;
  try {
    co_await coro::with_deadline(coro::Worker::current().now() + timeout,
                                 connection->finish_connecting());
  } catch (const coro::DeadlineExceeded&) {
    timed_out = true;
  }
  if (timed_out) {
    throw Error(ErrorClass::unavailable, "",
                fmt::format("no connection to {} within {} s (connect_timeout)",
                            describe_conninfo(conninfo),
                            std::chrono::duration_cast<std::chrono::seconds>(timeout).count()));
  }
  co_return connection;
}

Task<void> Connection::finish_connecting() {
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK) {
    {
      // libpq may close the socket and open another one of the same number: watch each anew.
      coro::FdWatch watch(PQsocket(handle_));
      co_await watch.ready(status == PGRES_POLLING_READING ? Readiness::read : Readiness::write);
    }
    status = PQconnectPoll(handle_);
    if (status == PGRES_POLLING_FAILED) {
      const std::string message = trimmed(PQerrorMessage(handle_));
      throw Error(classify_connect_failure(message), "", message);
    }
  }
  PQsetnonblocking(handle_, 1);
  watch_.emplace(PQsocket(handle_));
}

Connection::~Connection() {
  watch_.reset();
  PQfinish(handle_);
}

std::string_view Connection::parameter_status(const char* name) const noexcept {
  const char* value = PQparameterStatus(handle_, name);
  return value != nullptr ? value : "";
}

void Connection::throw_lost() {
  broken_ = true;
  queued_ = 0;
  std::string message = trimmed(PQerrorMessage(handle_));
  if (message.empty()) message = "the connection to the server was lost";
  Error error(ErrorClass::connection_lost, "", message);
  // What the server said before it closed the session says more than that it closed it. No call
  // waits here: there is nothing to wait for.
  constexpr int results_max = 1000;
  for (int i = 0; i < results_max && PQstatus(handle_) != CONNECTION_OK; ++i) {
    const Result result(PQgetResult(handle_));
    if (PQresultStatus(result.get()) != PGRES_FATAL_ERROR) continue;
    const Error said = error_of(result.get());
    if (!said.sqlstate().empty()) {
      error = Error(ErrorClass::connection_lost, said.sqlstate(), said.what());
    }
    break;
  }
  forget_closed_socket();
  throw Error(error);
}

// libpq has closed the socket of a lost session, and the next one to be opened gets its number: a
// watch that lived on would end the watch of that one.
void Connection::forget_closed_socket() noexcept {
  if (PQsocket(handle_) < 0) watch_.reset();
}

// An error of a session that is gone is a loss, whatever the server calls it.
Error Connection::judged(const Error& error, Commits commits) {
  if (PQstatus(handle_) == CONNECTION_OK) return error;
  forget_closed_socket();
  const bool ambiguous = commits == Commits::yes;
  return {ambiguous ? ErrorClass::ambiguous_commit : ErrorClass::connection_lost, error.sqlstate(),
          error.what()};
}

// A COPY that was not begun by copy_begin() waits for us for ever.
void Connection::refuse_copy(ExecStatusType status) {
  if (status != PGRES_COPY_IN && status != PGRES_COPY_OUT && status != PGRES_COPY_BOTH) return;
  throw Error(ErrorClass::statement, "", "COPY is possible only as copy_begin(COPY … FROM STDIN)");
}

void Connection::require_sent(int sent) {
  if (sent == 1) return;
  if (PQstatus(handle_) != CONNECTION_OK) throw_lost();
  broken_ = true;
  throw Error(ErrorClass::statement, "", trimmed(PQerrorMessage(handle_)));
}

void Connection::use_pipeline() {
  if (PQpipelineStatus(handle_) == PQ_PIPELINE_OFF) require_sent(PQenterPipelineMode(handle_));
}

void Connection::leave_pipeline() {
  assert(queued_ == 0);
  if (PQpipelineStatus(handle_) != PQ_PIPELINE_OFF) require_sent(PQexitPipelineMode(handle_));
}

void Connection::send_prepared(const Statement& statement) {
  use_pipeline();
  require_sent(PQsendQueryPrepared(handle_, statement.name, parameters_.count(),
                                   parameters_.values(), parameters_.lengths(),
                                   parameters_.formats(), 1));
  ++queued_;
}

void Connection::send_text(const std::string& sql) {
  use_pipeline();
  require_sent(PQsendQueryParams(handle_, sql.c_str(), parameters_.count(), nullptr,
                                 parameters_.values(), parameters_.lengths(), parameters_.formats(),
                                 0));
  ++queued_;
}

Task<void> Connection::prepare(std::span<const Statement> statements) {
  use_pipeline();
  for (const Statement& statement : statements) {
    require_sent(PQsendPrepare(handle_, statement.name, statement.sql.c_str(), 0, nullptr));
    ++queued_;
  }
  co_await run();
}

Task<void> Connection::flush() {
  for (;;) {
    const int pending = PQflush(handle_);
    if (pending == 0) co_return;
    if (pending < 0) throw_lost();
    // A server that cannot write its answers does not read: take them in while we wait.
    co_await watch_->ready(Readiness::read_or_write);
    if (PQconsumeInput(handle_) == 0) throw_lost();
  }
}

// The next result, or an empty one at the end of a statement's results.
Task<Result> Connection::next_result() {
  while (PQisBusy(handle_) != 0) {
    co_await watch_->ready(Readiness::read);
    if (PQconsumeInput(handle_) == 0) throw_lost();
  }
  co_return Result(PQgetResult(handle_));
}

Task<Results> Connection::run(Commits commits) {
  Results results;
  results.reserve(queued_);
  std::optional<Error> first_error;
  broken_ = true;  // until the whole answer is here
  [[maybe_unused]] const std::size_t expected = std::exchange(queued_, 0);
  try {
    require_sent(PQpipelineSync(handle_));
    co_await flush();
    for (;;) {
      while (PQisBusy(handle_) != 0) {
        co_await watch_->ready(Readiness::read);
        if (PQconsumeInput(handle_) == 0) throw_lost();
      }
      Result result(PQgetResult(handle_));
      if (result.get() == nullptr) continue;  // the end of one statement
      const ExecStatusType status = PQresultStatus(result.get());
      if (status == PGRES_PIPELINE_SYNC) break;
      if (status == PGRES_FATAL_ERROR && !first_error) first_error = error_of(result.get());
      // A lost session ends without a sync.
      if (status == PGRES_FATAL_ERROR && PQstatus(handle_) != CONNECTION_OK) break;
      refuse_copy(status);
      results.push_back(std::move(result));
    }
    if (PQstatus(handle_) == CONNECTION_OK) broken_ = false;
  } catch (const Error& error) {
    if (!first_error) first_error = error;
  }
  if (first_error) throw judged(*first_error, commits);
  assert(results.size() == expected);
  co_return results;
}

Task<Result> Connection::only_result() {
  Results results = co_await run();
  co_return std::move(results.front());
}

Task<Result> Connection::simple_results(bool stop_at_copy) {
  Result last;
  std::optional<Error> first_error;
  for (;;) {
    Result result = co_await next_result();
    if (result.get() == nullptr) break;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_FATAL_ERROR && !first_error) first_error = error_of(result.get());
    last = std::move(result);
    if (status == PGRES_COPY_IN && stop_at_copy) break;
    refuse_copy(status);
  }
  if (PQstatus(handle_) == CONNECTION_OK) broken_ = false;
  if (first_error) throw judged(*first_error, Commits::no);
  co_return last;
}

Task<Result> Connection::script(std::string sql) {
  leave_pipeline();
  require_sent(PQsendQuery(handle_, sql.c_str()));
  broken_ = true;  // until the whole answer is here
  co_await flush();
  co_return co_await simple_results(false);
}

Task<void> Connection::copy_begin(std::string sql) {
  leave_pipeline();
  require_sent(PQsendQuery(handle_, sql.c_str()));
  broken_ = true;
  co_await flush();
  const Result result = co_await simple_results(true);
  if (PQresultStatus(result.get()) != PGRES_COPY_IN) {
    throw Error(ErrorClass::statement, "", "the server did not start to copy");
  }
  broken_ = true;  // until copy_end()
}

Task<void> Connection::copy_send(std::span<const char> bytes) {
  for (;;) {
    const int taken = PQputCopyData(handle_, bytes.data(), static_cast<int>(bytes.size()));
    if (taken == 1) break;
    if (taken < 0) co_await copy_failed();
    co_await watch_->ready(Readiness::read_or_write);
    if (PQconsumeInput(handle_) == 0) throw_lost();
  }
  co_await flush();
}

// The server has ended the copy: fetches its reason.
Task<void> Connection::copy_failed() {
  if (PQstatus(handle_) != CONNECTION_OK) throw_lost();
  co_await simple_results(false);
  throw Error(ErrorClass::statement, "", "the server ended the copy without a reason");
}

Task<std::int64_t> Connection::copy_end() {
  for (;;) {
    const int taken = PQputCopyEnd(handle_, nullptr);
    if (taken == 1) break;
    if (taken < 0) co_await copy_failed();
    co_await watch_->ready(Readiness::write);
  }
  co_await flush();
  const Result result = co_await simple_results(false);
  co_return result.affected();
}

}  // namespace drover::database::postgres
