// Connection: users' SQL, of which nothing is known before the server has answered.
#include <cassert>

#include "database/error.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

using coro::Task;

namespace {

constexpr int text_results = 0;

}  // namespace

void Connection::expect_answer(int sent) {
  require_sent(sent);
  broken_ = true;  // until the whole answer has arrived
  answered_ = false;
  warned_.clear();
}

void Connection::ask(const std::string& sql) {
  leave_pipeline();
  expect_answer(PQsendQuery(handle_, sql.c_str()));
}

void Connection::ask(const std::string& sql, Parameters& parameters) {
  if (!asks_pipeline_) leave_pipeline();
  expect_answer(PQsendQueryParams(handle_, sql.c_str(), parameters.count(), nullptr,
                                  parameters.values(), parameters.lengths(), parameters.formats(),
                                  text_results));
}

void Connection::ask_prepared(const char* name, Parameters& parameters) {
  if (!asks_pipeline_) leave_pipeline();
  expect_answer(PQsendQueryPrepared(handle_, name, parameters.count(), parameters.values(),
                                    parameters.lengths(), parameters.formats(), text_results));
}

Task<void> Connection::send_rest() {
  if (!co_await flush()) throw_lost();
}

Task<void> Connection::wait_for_answer() {
  const RoundTrip round_trip(*this);
  if (!is_sent()) co_await send_rest();
  while (!answer_is_here()) {
    co_await readable();
    read_input();
  }
}

// Throws the error with which the server ended the session. A pipeline may have ended in the middle
// unless the session was idle: then the server has executed the answered part only.
void Connection::throw_end(const Error& error) {
  const bool idle = ends_idle(error);
  const bool unexecuted = (asks_pipeline_ ? idle : !answered_) && ends_unexecuted(error);
  const Error lost = loss(error, false);
  if (unexecuted) throw NeverExecuted(lost, idle);
  throw Error(lost);
}

Result Connection::take_answer() {
  assert(answer_is_here());
  Result result(PQgetResult(handle_));
  if (result.get() == nullptr) {
    if (PQstatus(handle_) != CONNECTION_OK) throw_lost();
    if (!asks_pipeline_) broken_ = false;
    answered_ = true;
    return result;
  }
  switch (PQresultStatus(result.get())) {
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
      throw Error(ErrorClass::statement, "",
                  "COPY FROM STDIN and COPY TO STDOUT are not supported in scripts");
    case PGRES_FATAL_ERROR:
    case PGRES_BAD_RESPONSE:
      if (!is_refusal(result.get())) throw_end(error_of(result.get()));
      break;
    default:
      break;
  }
  answered_ = true;
  return result;
}

void Connection::open_pipeline() {
  if (PQpipelineStatus(handle_) == PQ_PIPELINE_OFF) require_sent(PQenterPipelineMode(handle_));
  asks_pipeline_ = true;
  broken_ = true;  // until close_pipeline()
}

void Connection::close_pipeline() {
  require_sent(PQexitPipelineMode(handle_));
  asks_pipeline_ = false;
  broken_ = false;
}

}  // namespace drover::database::postgres
