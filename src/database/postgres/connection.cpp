#include "database/postgres/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <exception>
#include <utility>

#include "coro/scope.h"
#include "coro/worker.h"
#include "database/postgres/dialect.h"
#include "text/plain_text.h"

namespace drover::database::postgres {
namespace {

using coro::Readiness;
using coro::Task;

// The command tag that ends an answer ("COMMIT", "INSERT 0 1") shows whether it belongs to the
// statement. A COMMIT that is answered with ROLLBACK has not committed.
constexpr std::array<std::string_view, 4> bare = {"BEGIN", "COMMIT", "ROLLBACK", "SET"};
constexpr std::array<std::string_view, 4> with_a_count = {"INSERT", "UPDATE", "DELETE", "COPY"};

bool begins_with_word(std::string_view text, std::string_view word) noexcept {
  return text.starts_with(word) &&
         (text.size() == word.size() || text[word.size()] == ' ' || text[word.size()] == ';');
}

// Returns the word with which the command tag of the answer must begin; empty: not checked.
// Requires: the statement begins with its first word in capitals.
std::string_view expected_tag(std::string_view sql) noexcept {
  // Its tag is ROLLBACK, but the transaction stays open.
  if (sql.starts_with("ROLLBACK TO")) return {};
  for (const auto& words : {bare, with_a_count}) {
    for (const std::string_view word : words) {
      if (begins_with_word(sql, word)) return word;
    }
  }
  return {};
}

bool is_tag_of(std::string_view tag, std::string_view expected) noexcept {
  if (expected.empty() || tag == expected) return true;
  const bool counts = std::ranges::find(with_a_count, expected) != with_a_count.end();
  return counts && begins_with_word(tag, expected);
}

std::string wrong_tag(std::string_view tag, std::string_view expected) {
  if (expected == "COMMIT" && tag == "ROLLBACK") {
    return "the server answered COMMIT with ROLLBACK: the transaction had failed before and "
           "changed nothing in the database";
  }
  return fmt::format("the server answered {} with '{}', where '{}' was expected", expected,
                     tag.substr(0, 64), expected);
}

// Returns true if a transaction is open after an answer with this tag.
bool open_after(std::string_view tag, bool open) noexcept {
  if (tag == "BEGIN") return true;
  return open && tag != "COMMIT" && tag != "ROLLBACK";
}

std::string field(const PGresult* result, int code) {
  return one_line(PQresultErrorField(result, code));
}

}  // namespace

bool Connection::still_open() noexcept {
  constexpr int looks_max = 8;  // notices and changed settings may come before the end
  if (broken() || (watch_ && watch_->is_quiet())) return !broken();
  for (int look = 0; look < looks_max && !broken(); ++look) {
    pollfd socket{.fd = PQsocket(handle_), .events = POLLIN, .revents = 0};
    if (::poll(&socket, 1, 0) <= 0) break;
    if (PQconsumeInput(handle_) == 0) broken_ = true;
    static_cast<void>(PQisBusy(handle_));  // parses the input
  }
  if (broken()) forget_closed_socket();
  return !broken();
}

// Returns true if this error, as the only answer to a statement, shows that the server did not
// complete the statement. PostgreSQL ends a session with these errors only between commands or
// within one, whose transaction it rolls back; after a commit it sends the answer to the commit, or
// nothing. Behind a pooler this is not known, since the pooler may have received the answer.
bool Connection::ends_unexecuted(const Error& error) const noexcept {
  constexpr std::array<std::string_view, 3> ends = {"57P01", "57P05", "25P03"};
  return !behind_pooler_ && !setup_ && dialect_ == Dialect::postgres &&
         std::ranges::find(ends, error.sqlstate()) != ends.end();
}

// Returns true if PostgreSQL ended the session while it waited for a message: it reports both
// timeouts only after it has answered a message and before it executes a part of the next one.
bool ends_idle(const Error& error) noexcept {
  return error.sqlstate() == "57P05" || error.sqlstate() == "25P03";
}

bool is_refusal(const PGresult* result) {
  return field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "ERROR";
}

Error error_of(const PGresult* result) {
  std::string sqlstate = field(result, PG_DIAG_SQLSTATE);
  std::string message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = one_line(PQresultErrorMessage(result));
  if (const auto detail = field(result, PG_DIAG_MESSAGE_DETAIL); !detail.empty()) {
    message += fmt::format(" ({})", detail);
  }
  if (const auto hint = field(result, PG_DIAG_MESSAGE_HINT); !hint.empty()) {
    message += fmt::format("; hint: {}", hint);
  }
  if (!sqlstate.empty()) message += fmt::format(" [SQLSTATE {}]", sqlstate);
  ErrorClass error_class =
      sqlstate.empty() ? ErrorClass::connection_lost : classify_sqlstate(sqlstate);
  // An ERROR of this class concerns a connection that the server itself has, such as that of a
  // foreign table. The session stays usable, and the statement has changed nothing.
  if (error_class == ErrorClass::connection_lost && is_refusal(result)) {
    error_class = ErrorClass::statement;
  }
  return {error_class, std::move(sqlstate), message};
}

Connection::RoundTripTimer::~RoundTripTimer() {
  if (armed()) wheel_->remove(*this);
}

void Connection::RoundTripTimer::begin(coro::Duration limit) noexcept {
  if (expired_) return;
  coro::Worker& worker = coro::Worker::current();
  due_ = worker.now() + limit;
  runs_ = true;
  if (armed() && deadline() <= due_) return;
  if (armed()) wheel_->remove(*this);  // the previous limit was longer
  wheel_ = &worker.timers();
  wheel_->add(*this, due_);
}

void Connection::RoundTripTimer::on_timer() noexcept {
  if (!runs_) return;
  if (deadline() < due_) return wheel_->add(*this, due_);
  expired_ = true;
  ::shutdown(PQsocket(connection_.handle_), SHUT_RDWR);
}

Connection::~Connection() {
  watch_.reset();
  // PQTRANS_ACTIVE means that an answer is outstanding. A session whose round trip expired has no
  // socket for a cancel request.
  if (!round_trip_timer_.expired() && PQtransactionStatus(handle_) == PQTRANS_ACTIVE) {
    cancel_and_finish(handle_);
  } else {
    PQfinish(handle_);
  }
}

// libpq passes on as a notice the message with which a server ends an idle session.
void Connection::on_notice(void* connection, const PGresult* notice) {
  auto& noticed = *static_cast<Connection*>(connection);
  const std::string severity = field(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity == "FATAL" || severity == "PANIC") noticed.broken_ = true;
  if (severity != "WARNING") return;
  // Keeps a WARNING that leaves the outcome of a commit open, if there is one.
  if (noticed.warned_.empty() || refuses_to_commit(noticed.warned_)) {
    noticed.warned_ = field(notice, PG_DIAG_SQLSTATE);
  }
  if (noticed.warnings_.size() == warnings_most) return;
  noticed.warnings_.push_back(field(notice, PG_DIAG_MESSAGE_PRIMARY));
}

template <class T>
Task<T> Connection::with_companion(Task<T> operation) {
  return companion_ ? accompanied(std::move(operation)) : std::move(operation);
}

template <class T>
Task<T> Connection::accompanied(Task<T> operation) {
  std::optional<T> answer;
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(companion_());
    answer.emplace(co_await std::move(operation));
    scope.cancel();
  };
  co_await coro::with_scope(body);
  co_return std::move(*answer);
}

std::string_view Connection::parameter_status(const char* name) const noexcept {
  const char* value = PQparameterStatus(handle_, name);
  return value != nullptr ? value : "";
}

std::string Connection::lost_message() const {
  if (round_trip_timer_.expired()) {
    const std::chrono::duration<double> limit = *round_trip_limit_;
    return fmt::format("no answer within {:g} s", limit.count());
  }
  std::string message = one_line(PQerrorMessage(handle_));
  return message.empty() ? "the connection to the server was lost" : message;
}

void Connection::throw_lost() {
  broken_ = true;
  queued_.clear();
  Error error(ErrorClass::connection_lost, "", lost_message());
  // Prefers the server's last message to libpq's. PQgetResult() does not block here.
  constexpr int results_max = 1000;
  bool skipped = false;  // an answer to an executed statement
  for (int i = 0; i < results_max && PQstatus(handle_) != CONNECTION_OK; ++i) {
    const Result result(PQgetResult(handle_));
    if (PQresultStatus(result.get()) != PGRES_FATAL_ERROR) {
      skipped = skipped || result.get() != nullptr;
      continue;
    }
    const Error said = error_of(result.get());
    if (!said.sqlstate().empty()) {
      error = Error(ErrorClass::connection_lost, said.sqlstate(), said.what());
    }
    break;
  }
  if (skipped) throw Error(loss(error, false));
  throw_end(error);
}

int Connection::port() const noexcept {
  return text::number_of<int>(PQport(handle_)).value_or(0);
}

std::string_view Connection::host_address() const noexcept {
  const char* address = PQhostaddr(handle_);
  return address != nullptr ? address : "";
}

// libpq has closed the socket of a lost session. The next socket gets its number, and the watch of
// the old socket would end the new one's.
void Connection::forget_closed_socket() noexcept {
  if (PQsocket(handle_) < 0) watch_.reset();
}

// Returns the error of a lost session with the class of a loss.
Error Connection::loss(const Error& error, bool ambiguous) {
  forget_closed_socket();
  return {ambiguous ? ErrorClass::ambiguous_commit : ErrorClass::connection_lost, error.sqlstate(),
          error.sqlstate().empty() && round_trip_timer_.expired() ? lost_message() : error.what()};
}

// Throws for a COPY that was not begun by copy_begin(), because it would wait for data.
void Connection::refuse_copy(ExecStatusType status) {
  if (status != PGRES_COPY_IN && status != PGRES_COPY_OUT && status != PGRES_COPY_BOTH) return;
  throw Error(ErrorClass::statement, "", "COPY is possible only as copy_begin(COPY … FROM STDIN)");
}

void Connection::require_sent(int sent) {
  if (sent == 1) return;
  if (PQstatus(handle_) != CONNECTION_OK) throw_lost();
  broken_ = true;
  throw Error(ErrorClass::statement, "", one_line(PQerrorMessage(handle_)));
}

// Returns true if the statement begins a transaction with a setup.
bool Connection::begins(std::string_view sql) const noexcept {
  // VACUUM cannot be in a transaction.
  return setup_ && queued_.empty() && !in_transaction() && !begins_with_word(sql, "VACUUM");
}

// pgpool-II (4.3.5) hides that the server refused to commit, unless there was a COMMIT. So a single
// statement that writes gets its own COMMIT.
bool Connection::needs_commit(std::string_view sql) const noexcept {
  if (pooling_ != Pooling::pgpool || !queued_.empty() || in_transaction()) return false;
  constexpr std::array<std::string_view, 4> writing = {"INSERT", "UPDATE", "DELETE", "WITH"};
  return std::ranges::any_of(writing,
                             [sql](std::string_view word) { return begins_with_word(sql, word); });
}

// Prepares the pipeline for the statement. Returns true if the statement is a BEGIN that was sent
// with the setup.
bool Connection::use_pipeline(const std::string& sql) {
  const bool with_setup = begins(sql);
  wrapped_ = wrapped_ || needs_commit(sql);
  const bool begins_here = wrapped_ && queued_.empty();
  if (queued_.empty()) open_before_ = in_transaction();
  if (PQpipelineStatus(handle_) == PQ_PIPELINE_OFF) require_sent(PQenterPipelineMode(handle_));
  if (begins_here) send_bare("BEGIN", false);
  return with_setup && begin_with_setup(sql);
}

// run() commits a transaction that the setup has begun.
bool Connection::begin_with_setup(const std::string& sql) {
  const bool is_begin = begins_with_word(sql, "BEGIN");
  // A BEGIN with options, such as READ ONLY, keeps them.
  send_bare(is_begin && sql != "BEGIN" ? sql : setup_->begin, is_begin);
  for (const std::string& setting : setup_->settings) send_bare(setting, false);
  wrapped_ = !is_begin;
  return is_begin;
}

void Connection::send_bare(const std::string& sql, bool asked_for) {
  constexpr int no_parameters = 0;
  require_sent(PQsendQueryParams(handle_, sql.c_str(), no_parameters, nullptr, nullptr, nullptr,
                                 nullptr, 0));
  queued_.push_back({.tag = expected_tag(sql), .asked_for = asked_for});
}

// Adds the setup to the text. Several statements in one message are one transaction.
std::string Connection::with_setup(std::string sql) const {
  const bool is_begin = begins_with_word(sql, "BEGIN");
  const std::string settings = fmt::format("{}", fmt::join(setup_->settings, "; "));
  if (settings.empty()) return is_begin && sql == "BEGIN" ? setup_->begin : sql;
  if (!is_begin) return settings + "; " + sql;
  const std::size_t end = std::min(sql.find(';'), sql.size());
  const std::string begin = sql.substr(0, end);
  return (begin == "BEGIN" ? setup_->begin : begin) + "; " + settings + sql.substr(end);
}

// Returns the text for the pooler. pgpool must send BEGIN, COMMIT, ROLLBACK and SET to all nodes,
// and the other statements to the primary.
std::string Connection::routed(const std::string& sql) const {
  if (pooling_ != Pooling::pgpool || !expected_tag(sql).empty()) return sql;
  return "/*NO LOAD BALANCE*/ " + sql;
}

void Connection::leave_pipeline() {
  assert(queued_.empty());
  if (PQpipelineStatus(handle_) != PQ_PIPELINE_OFF) require_sent(PQexitPipelineMode(handle_));
}

void Connection::send_prepared(const Statement& statement) {
  if (use_pipeline(statement.sql)) return;
  constexpr int binary = 1;
  const int sent = setup_ ? PQsendQueryParams(handle_, text_of(statement).c_str(),
                                              parameters_.count(), nullptr, parameters_.values(),
                                              parameters_.lengths(), parameters_.formats(), binary)
                          : PQsendQueryPrepared(handle_, statement.name, parameters_.count(),
                                                parameters_.values(), parameters_.lengths(),
                                                parameters_.formats(), binary);
  require_sent(sent);
  queued_.push_back({expected_tag(statement.sql)});
}

void Connection::send_text(const std::string& sql) {
  if (use_pipeline(sql)) return;
  require_sent(PQsendQueryParams(handle_, routed(sql).c_str(), parameters_.count(), nullptr,
                                 parameters_.values(), parameters_.lengths(), parameters_.formats(),
                                 0));
  queued_.push_back({expected_tag(sql)});
}

// Returns the text of prepare(), or the statement's own, such as a ROLLBACK.
const std::string& Connection::text_of(const Statement& statement) const {
  const auto found = texts_.find(statement.name);
  return found == texts_.end() ? statement.sql : found->second;
}

Task<void> Connection::prepare(std::span<const Statement> statements) {
  if (setup_) {
    for (const Statement& one : statements) texts_.insert_or_assign(one.name, one.sql);
    co_return;
  }
  for (const Statement& statement : statements) {
    use_pipeline(statement.sql);
    require_sent(PQsendPrepare(handle_, statement.name, routed(statement.sql).c_str(), 0, nullptr));
    queued_.emplace_back();
  }
  co_await run();
}

// Returns false if the session was lost.
Task<bool> Connection::flush() {
  for (;;) {
    const int pending = PQflush(handle_);
    if (pending == 0) co_return true;
    if (pending < 0) co_return false;
    // A server that cannot write its answers does not read, so read them meanwhile.
    co_await watch_->ready(Readiness::read_or_write);
    if (PQconsumeInput(handle_) == 0) co_return false;
  }
}

// Returns the next result, or an empty one after the last.
Task<Result> Connection::next_result() {
  while (PQisBusy(handle_) != 0) {
    co_await watch_->ready(Readiness::read);
    if (PQconsumeInput(handle_) == 0) throw_lost();
  }
  co_return Result(PQgetResult(handle_));
}

// Adds a result to the answer. Returns true if another result follows.
bool Connection::take(Result result, Answer& answer) {
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_PIPELINE_SYNC) {
    answer.whole = true;
    return false;
  }
  if (status == PGRES_FATAL_ERROR) {
    if (!answer.error) answer.error = in_dialect(dialect_, error_of(result.get()));
    (is_refusal(result.get()) ? answer.refused : answer.lost) = true;
    return !answer.lost;
  }
  refuse_copy(status);
  if (status == PGRES_PIPELINE_ABORTED) return true;
  const Queued statement = answer.count < queued_.size() ? queued_[answer.count] : Queued{};
  ++answer.count;
  check_tag(PQcmdStatus(result.get()), statement.tag, answer);
  answer.committed = std::string_view(PQcmdStatus(result.get())) == "COMMIT";
  if (statement.asked_for) answer.results.push_back(std::move(result));
  return true;
}

void Connection::check_tag(std::string_view tag, std::string_view expected, Answer& answer) {
  if (is_tag_of(tag, expected) || answer.error) return;
  answer.error = Error(ErrorClass::statement, "", wrong_tag(tag, expected));
  answer.misled = true;
  const bool rolled_back = expected == "COMMIT" && tag == "ROLLBACK";
  (rolled_back ? answer.refused : answer.lost) = true;
}

// Checks the transaction's state after the answer.
void Connection::check_state(bool open, Answer& answer) {
  const PGTransactionStatusType status = PQtransactionStatus(handle_);
  if (status == (open ? PQTRANS_INTRANS : PQTRANS_IDLE)) return;
  const char* found = "a failed transaction";
  if (status == PQTRANS_IDLE) found = "no transaction";
  if (status == PQTRANS_INTRANS) found = "a transaction";
  answer.error = Error(
      ErrorClass::statement, "",
      fmt::format("the server reports that {} is open. Expected {}", found, open ? "one" : "none"));
  answer.lost = true;
}

// Sends the queued statements and reads the answers. libpq keeps the answers that arrived before
// the session was lost.
Task<void> Connection::exchange(Answer& answer) {
  require_sent(PQpipelineSync(handle_));
  bool lost = !co_await flush();
  std::string reason = lost ? lost_message() : "";
  int ends = 0;  // consecutive empty results: one follows each statement, two mean the end
  bool more = true;
  while (more && ends < 2) {
    while (!lost && PQisBusy(handle_) != 0) {
      co_await watch_->ready(Readiness::read);
      lost = PQconsumeInput(handle_) == 0;
      if (lost) reason = lost_message();
    }
    Result result(PQgetResult(handle_));
    ends = result.get() == nullptr ? ends + 1 : 0;
    if (ends == 0) more = take(std::move(result), answer);
  }
  if (more) {
    answer.lost = true;
    if (!answer.error) answer.error = Error(ErrorClass::connection_lost, "", lost_message());
  }
  // Later messages of libpq do not name the cause of the loss.
  if (lost && answer.error && answer.error->sqlstate().empty()) {
    answer.error = Error(ErrorClass::connection_lost, "", reason);
  }
}

Task<Results> Connection::run(Commits commits) {
  return with_companion(wrapped_ ? run_wrapped(commits) : run_queued(commits));
}

// Adds the COMMIT, and rolls back after an error, so that no transaction stays open.
Task<Results> Connection::run_wrapped(Commits commits) {
  wrapped_ = false;
  send_bare("COMMIT", false);
  std::exception_ptr error;
  try {
    co_return co_await run_queued(commits);
  } catch (const Error&) {
    error = std::current_exception();
  }
  co_await roll_back(*this);
  std::rethrow_exception(error);
}

Error Connection::failed_commit(const Error& error) const {
  return of_a_commit(dialect_, error, warned_);
}

Task<Results> Connection::run_queued(Commits commits) {
  Answer answer;
  warned_.clear();
  answer.results.reserve(queued_.size());
  broken_ = true;  // until the whole answer has arrived
  const std::size_t expected = queued_.size();
  const bool lone = expected == 1 && queued_.front().tag != "COMMIT";
  bool open = queued_.empty() ? in_transaction() : open_before_;
  for (const Queued& statement : queued_) open = open_after(statement.tag, open);
  const RoundTrip round_trip(*this);
  try {
    co_await exchange(answer);
    if (answer.whole) broken_ = false;
  } catch (const Error& error) {
    if (!answer.error) answer.error = error;
  }
  queued_.clear();
  const bool complete = answer.count == expected;
  if (!answer.whole && !answer.misled && complete && commits == Commits::yes && answer.committed) {
    forget_closed_socket();  // the session ended after its last answer
    co_return std::move(answer.results);
  }
  if (!answer.error && !complete) {
    answer.lost = broken_ = true;
    answer.error =
        Error(ErrorClass::connection_lost, "",
              fmt::format("the server gave {} answers to {} statements", answer.count, expected));
  }
  if (commits == Commits::yes && answer.error && answer.count + 1 == expected) {
    answer.error = failed_commit(*answer.error);
  }
  if (!answer.error) check_state(open, answer);
  if (answer.error && (answer.lost || PQstatus(handle_) != CONNECTION_OK)) {
    broken_ = true;
    // The server answers in order, and the last statement commits.
    const bool before_commit =
        answer.count + 1 < expected || (answer.count == 0 && (lone || ends_idle(*answer.error)));
    const bool unexecuted = before_commit && ends_unexecuted(*answer.error);
    const bool is_open = answer.error->error_class() == ErrorClass::ambiguous_commit;
    throw loss(*answer.error,
               is_open || (commits == Commits::yes && !answer.refused && !unexecuted));
  }
  if (answer.error) throw Error(*answer.error);
  co_return std::move(answer.results);
}

Task<Result> Connection::only_result() {
  Results results = co_await run();
  co_return std::move(results.front());
}

Task<Result> Connection::simple_results(std::string_view first_tag, bool stop_at_copy) {
  Result last;
  Answer answer;
  std::optional<bool> open;  // set by a statement that begins or ends a transaction
  for (bool first = true; !answer.lost; first = false) {
    Result result = co_await next_result();
    if (result.get() == nullptr) break;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_FATAL_ERROR) {
      if (!answer.error) answer.error = in_dialect(dialect_, error_of(result.get()));
      answer.lost = !is_refusal(result.get());
    } else {
      const std::string_view tag = PQcmdStatus(result.get());
      if (first) check_tag(tag, first_tag, answer);
      const std::string_view said = first ? first_tag : tag;
      if (open_after(said, false) || !open_after(said, true)) open = open_after(said, false);
    }
    last = std::move(result);
    if (status == PGRES_COPY_IN && stop_at_copy) break;
    refuse_copy(status);
  }
  answer.lost = answer.lost || PQstatus(handle_) != CONNECTION_OK;
  if (!answer.error && !answer.lost && PQresultStatus(last.get()) != PGRES_COPY_IN) {
    check_state(open.value_or(in_transaction()), answer);
  }
  broken_ = answer.lost;
  if (answer.error) throw answer.lost ? loss(*answer.error, false) : Error(*answer.error);
  co_return last;
}

Task<Result> Connection::script(std::string sql) {
  return with_companion(script_alone(std::move(sql)));
}

Task<Result> Connection::script_alone(std::string sql) {
  leave_pipeline();
  if (begins(sql)) sql = with_setup(std::move(sql));
  const std::string_view tag = expected_tag(sql);
  if (tag == "COMMIT" && !in_transaction()) {
    throw Error(ErrorClass::statement, "", "the server ended the transaction before its COMMIT");
  }
  const RoundTrip round_trip(*this);
  require_sent(PQsendQuery(handle_, routed(sql).c_str()));
  broken_ = true;  // until the whole answer is here
  if (!co_await flush()) throw_lost();
  co_return co_await simple_results(tag);
}

Task<void> Connection::copy_begin(std::string sql) {
  co_await with_companion(copy_begin_alone(std::move(sql)));
}

Task<Result> Connection::copy_begin_alone(std::string sql) {
  leave_pipeline();
  assert(!begins(sql));
  require_sent(PQsendQuery(handle_, sql.c_str()));
  broken_ = true;
  if (!co_await flush()) throw_lost();
  Result result = co_await simple_results("", true);
  if (PQresultStatus(result.get()) != PGRES_COPY_IN) {
    throw Error(ErrorClass::statement, "", "the server did not start the COPY");
  }
  broken_ = true;  // until copy_end()
  co_return result;
}

Task<void> Connection::copy_send(std::span<const char> bytes) {
  for (;;) {
    const int taken = PQputCopyData(handle_, bytes.data(), static_cast<int>(bytes.size()));
    if (taken == 1) break;
    if (taken < 0) co_await copy_failed();
    co_await watch_->ready(Readiness::read_or_write);
    if (PQconsumeInput(handle_) == 0) throw_lost();
  }
  if (!co_await flush()) throw_lost();
}

// Throws the reason with which the server has ended the COPY.
Task<void> Connection::copy_failed() {
  if (PQstatus(handle_) != CONNECTION_OK) throw_lost();
  co_await simple_results("");
  throw Error(ErrorClass::statement, "", "the server ended the COPY without giving a reason");
}

Task<std::int64_t> Connection::copy_end() {
  for (;;) {
    const int taken = PQputCopyEnd(handle_, nullptr);
    if (taken == 1) break;
    if (taken < 0) co_await copy_failed();
    co_await watch_->ready(Readiness::write);
  }
  if (!co_await flush()) throw_lost();
  const Result result = co_await simple_results("COPY");
  co_return result.affected();
}

Task<void> roll_back(Connection& connection) {
  if (connection.broken() || !connection.in_transaction()) co_return;
  try {
    co_await connection.script("ROLLBACK");
  } catch (const Error&) {
    // The session has ended, and its transaction with it.
  }
}

Task<void> set(Connection& connection, std::string setting) {
  TransactionSetup* const setup = connection.setup();
  if (setup == nullptr) {
    co_await connection.script(std::move(setting));
    co_return;
  }
  assert(begins_with_word(setting, "SET"));
  const std::string local = "SET LOCAL" + setting.substr(std::string_view("SET").size());
  co_await connection.script(local);  // throws if the server refuses the setting
  setup->settings.push_back(local);
}

Task<void> set_if_known(Connection& connection, std::string setting) {
  try {
    co_await set(connection, std::move(setting));
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement) throw;
  }
}

Task<std::optional<Result>> query_if_allowed(Connection& connection, std::string sql) {
  try {
    co_return co_await connection.query(std::move(sql));
  } catch (const Error& error) {
    if (!error.is_permanent() || connection.broken()) throw;
  }
  co_return std::nullopt;
}

}  // namespace drover::database::postgres
