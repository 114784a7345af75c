// Connection: a session of a PostgreSQL server, on its worker's epoll. It uses libpq's non-blocking
// calls, and blocks the thread only while libpq resolves a host name.
//
// send() queues prepared statements, and run() sends them as one pipeline:
//
//   connection.send(begin);
//   connection.send(get_customer, w_id, d_id, c_id);
//   const Results results = co_await connection.run();   // one round trip; [1] is the customer
//
// Thread safety: none; a connection belongs to the worker on which it was made.
// A connection whose operation was cancelled or lost is broken(), and must be destroyed. The
// destructor has the server cancel a statement in progress. Errors: database::Error.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/fd_watch.h"
#include "coro/task.h"
#include "coro/timer_wheel.h"
#include "database/error.h"
#include "database/postgres/conninfo.h"
#include "database/postgres/statement.h"
#include "database/server.h"

namespace drover::database::postgres {

// The begin of each transaction behind transaction pooling, where settings of a session do not
// last.
struct TransactionSetup {
  std::string begin = "BEGIN";             // replaces a plain BEGIN
  std::vector<std::string> settings = {};  // SET LOCAL …, one statement each
};

// `yes`: COMMIT is the last statement of a pipeline. If the session is lost during such a
// pipeline, the outcome is unknown (ambiguous_commit), unless the server has answered that a
// statement failed (connection_lost) or that it has committed (no error).
enum class Commits : bool { no, yes };

// The part of a connection's options that may change with each attempt to connect.
struct ConnectionChoice {
  std::optional<std::string> password = {};    // none: libpq finds it
  std::optional<std::size_t> first_host = {};  // Access::first_host
};

// Aligned so that the members that each message uses lie in the first three cache lines, which the
// worker prefetches with the watch.
class alignas(64) Connection {
 public:
  // Opens a connection. `conninfo` is a connection string or URI of libpq; the PG* variables supply
  // missing options. The time limit is connect_timeout_of().
  //
  // Tries several hosts one after the other, each up to the time limit, until one accepts the
  // connection and fits target_session_attrs. The error names the reason of each host. Like libpq,
  // stops at a host that denies access (a wrong password). libpq itself tries the addresses of one
  // name, and a list with an empty hostaddr, within one time limit.
  static coro::Task<std::unique_ptr<Connection>> open(std::string conninfo,
                                                      ConnectionChoice choice = {});

  // Returns the hosts of the string or of PGHOST as "name:port", in their order. Empty for a list
  // that libpq tries itself.
  static std::vector<std::string> hosts_of(const std::string& conninfo);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Prepares all statements in one round trip. With a TransactionSetup, sends nothing and keeps the
  // texts for send().
  coro::Task<void> prepare(std::span<const Statement> statements);

  // Queues a prepared statement, identified by its name. Parameters::add() accepts the arguments.
  template <class... Arguments>
  void send(const Statement& statement, const Arguments&... arguments) {
    parameters_.clear();
    (parameters_.add(arguments), ...);
    send_prepared(statement);
  }

  // Queues a prepared statement; add(parameters) adds its parameters.
  template <class Add>
  void send_list(const Statement& statement, Add add) {
    parameters_.clear();
    add(parameters_);
    send_prepared(statement);
  }

  // Sends the queued statements and waits for all results, in order. Throws the first error after
  // the server has answered the whole pipeline (it skips the rest). Also throws if an answer has
  // another command tag than its statement or leaves another transaction state: with class
  // statement for a COMMIT that is answered with ROLLBACK; otherwise the session is lost, because
  // its state is unknown.
  coro::Task<Results> run(Commits commits = Commits::no);

  // Sends one statement and waits for its result.
  template <class... Arguments>
  coro::Task<Result> execute(const Statement& statement, const Arguments&... arguments) {
    send(statement, arguments...);
    return only_result();
  }

  // Executes a rare statement as text, without preparing it; the results are text.
  template <class... Arguments>
  coro::Task<Result> query(std::string sql, const Arguments&... arguments) {
    parameters_.clear();
    (parameters_.add(arguments), ...);
    send_text(sql);
    return only_result();
  }

  // Executes one or several statements without parameters (the simple protocol), and returns the
  // last result. Checks only the first command tag, so a COMMIT must be the only statement.
  coro::Task<Result> script(std::string sql);

  // The following functions are for users' SQL (connection_user_sql.cpp). They check neither
  // command tags nor the transaction's state; the caller inspects the results.
  //
  //   connection.ask_prepared(name, parameters);
  //   do {
  //     if (!connection.answer_is_here()) co_await connection.wait_for_answer();
  //   } while ((result = connection.take_answer()).get() != nullptr);
  //
  // On the hot path, callers write out wait_for_answer(), because a further coroutine costs too
  // much:
  //
  //   const Connection::RoundTrip round_trip(connection);
  //   if (!connection.is_sent()) co_await connection.send_rest();
  //   while (!connection.answer_is_here()) {
  //     co_await connection.readable();
  //     connection.read_input();
  //   }

  // Sends one or several statements with the simple protocol.
  void ask(const std::string& sql);
  // Send one statement with parameters; the results are text. Require: the last answer was taken to
  // its end, or a pipeline is open.
  void ask(const std::string& sql, Parameters& parameters);
  void ask_prepared(const char* name, Parameters& parameters);

  // Returns true if take_answer() need not wait.
  bool answer_is_here() const noexcept { return PQisBusy(handle_) == 0; }
  coro::Task<void> wait_for_answer();
  class RoundTrip;  // applies the limit of a round trip while it exists
  bool is_sent() noexcept { return PQflush(handle_) == 0; }
  coro::Task<void> send_rest();
  coro::FdWatch::ReadyAwaiter readable() noexcept { return watch_->ready(coro::Readiness::read); }
  // Throws if the session was lost.
  void read_input() {
    if (PQconsumeInput(handle_) == 0) throw_lost();
  }
  // Returns the next result, which may be an ERROR (error_of()). Returns an empty result after the
  // last one; in a pipeline, after the last one of each statement. Throws if the session was lost,
  // and for a COPY that waits for data. Throws NeverExecuted if the server ended the session before
  // it completed the statement; in a pipeline, before it began the unanswered statements. Requires:
  // answer_is_here().
  Result take_answer();

  // Begins a pipeline. Its answers can be taken after sync_pipeline(), which adds a result with the
  // status PGRES_PIPELINE_SYNC. Close the pipeline after all answers have been taken.
  void open_pipeline();
  void sync_pipeline() { require_sent(PQpipelineSync(handle_)); }
  void close_pipeline();
  bool in_pipeline() const noexcept { return asks_pipeline_; }

  // Execute COPY … FROM STDIN. Only copy_send() may be called between begin and end.
  coro::Task<void> copy_begin(std::string sql);
  coro::Task<void> copy_send(std::span<const char> bytes);
  coro::Task<std::int64_t> copy_end();  // returns the number of rows

  // From this call on, sends statements as text, and begins each transaction with the setup. A
  // pipeline, query() or script() outside of a transaction becomes one. Does not change users' SQL.
  // Requires: nothing is queued, no transaction is open.
  void set_up_each_transaction(TransactionSetup setup) { setup_ = std::move(setup); }
  // Returns the setup, which may be changed, or null if there is none.
  TransactionSetup* setup() noexcept { return setup_ ? &*setup_ : nullptr; }

  // Limits how long later operations, except COPY, wait for an answer; nothing: no limit. At the
  // limit the connection becomes broken(), and the error has the class connection_lost
  // (ambiguous_commit for a pipeline that commits).
  void set_round_trip_limit(std::optional<coro::Duration> limit) noexcept {
    round_trip_limit_ = limit;
  }

  // Runs `companion()` beside each later run(), script() and copy_begin(), and cancels it when the
  // answer has arrived. The companion must not use this connection and must not throw.
  void accompany_statements(std::function<coro::Task<void>()> companion) {
    companion_ = std::move(companion);
  }

  // Returns the server's WARNINGs since the last call, one line each, and at most `warnings_most`:
  // later ones are dropped.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }
  static constexpr std::size_t warnings_most = 16;

  // Returns of_a_commit() (dialect.h) for the error of a COMMIT, or of a statement that commits by
  // itself. Must be called before anything else is sent.
  Error failed_commit(const Error& error) const;

  // Returns false, and makes the connection broken(), if the server, a pooler or a balancer has
  // ended the idle session. Makes no system call if nothing has arrived. Requires: nothing is
  // queued or in flight.
  bool still_open() noexcept;

  // Returns true if a round trip has exceeded its limit.
  bool unanswered() const noexcept { return round_trip_timer_.expired(); }

  // Returns the process number of pg_stat_activity. A pooler reports a number of its own.
  int backend_pid() const noexcept { return PQbackendPID(handle_); }

  // The port and the numeric address of the other side; empty for a Unix socket.
  int port() const noexcept;
  std::string_view host_address() const noexcept;

  bool in_transaction() const noexcept { return PQtransactionStatus(handle_) != PQTRANS_IDLE; }
  bool broken() const noexcept {
    return broken_ || round_trip_timer_.expired() || PQstatus(handle_) != CONNECTION_OK;
  }

  // Returns the host's number in the connection string.
  std::size_t host() const noexcept { return host_; }

  // The pooler, as set by the caller. With pgpool, each of Drover's own statements goes to the
  // primary, because a standby may lag; pgpool chooses the server for users' SQL.
  Pooling pooling() const noexcept { return pooling_; }
  void set_pooling(Pooling pooling) noexcept {
    pooling_ = pooling;
    behind_pooler_ = behind_pooler_ || pooling != Pooling::none;
  }

  Dialect dialect() const noexcept { return dialect_; }
  void set_dialect(Dialect dialect) noexcept { dialect_ = dialect; }

  // Returns 180001 for 18.1. A relative of PostgreSQL returns the version it claims to be.
  int server_version() const noexcept { return PQserverVersion(handle_); }

  // Returns a parameter that the server reports, such as server_version, or an empty text.
  std::string_view parameter_status(const char* name) const noexcept;

 private:
  // The answer to a pipeline.
  struct Answer {
    Results results;             // of successful statements
    std::optional<Error> error;  // the first one
    bool refused = false;        // the server sent ERROR or ROLLBACK, so it has not committed
    bool misled = false;         // an answer has another tag than its statement
    bool lost = false;           // the answer is incomplete or inconsistent
    bool whole = false;          // the answer has arrived to its end
    bool committed = false;      // the last answer has the tag COMMIT
    std::size_t count = 0;       // number of answers, with those of the session setup
  };

  // A statement that was sent.
  struct Queued {
    std::string_view tag;   // the expected tag of the answer
    bool asked_for = true;  // false: a statement of the setup
  };

  // Shuts down the socket when a round trip exceeds its limit, so that the waiting coroutine finds
  // the session lost. The timer stays in the wheel between round trips and is moved when it fires:
  // adding and removing it each time would touch timers of other connections, outside the cache.
  class RoundTripTimer final : public coro::TimerNode {
   public:
    explicit RoundTripTimer(Connection& owner) noexcept : connection_(owner) {}
    ~RoundTripTimer();
    // begin() and end() must be called on the worker's thread.
    void begin(coro::Duration limit) noexcept;
    void end() noexcept { runs_ = false; }
    bool expired() const noexcept { return expired_; }

   private:
    void on_timer() noexcept override;

    Connection& connection_;
    coro::TimerWheel* wheel_ = nullptr;
    coro::Instant due_{};  // the end of the present round trip
    bool runs_ = false;
    bool expired_ = false;
  };
  struct Host;

  explicit Connection(PGconn* handle) noexcept : handle_(handle) {}

  static std::unique_ptr<Connection> start(const std::string& conninfo,
                                           const ConnectionChoice& choice,
                                           const Host* host = nullptr,
                                           const char* session_attributes = nullptr);
  // Tries the hosts in this order, once with each value of target_session_attrs.
  static coro::Task<std::unique_ptr<Connection>> open_one_of(
      std::string conninfo, ConnectionChoice choice, std::vector<Host> hosts,
      std::vector<const char*> session_attributes);
  static std::vector<Host> hosts_in(const ConninfoOptions& options);
  coro::Task<void> connect_in_time(std::string whom);
  coro::Task<void> finish_connecting();
  template <class T>
  coro::Task<T> with_companion(coro::Task<T> operation);
  template <class T>
  coro::Task<T> accompanied(coro::Task<T> operation);
  coro::Task<Result> script_alone(std::string sql);
  coro::Task<Result> copy_begin_alone(std::string sql);
  void send_prepared(const Statement& statement);
  const std::string& text_of(const Statement& statement) const;
  void send_text(const std::string& sql);
  coro::Task<Result> only_result();
  coro::Task<Result> next_result();
  coro::Task<bool> flush();
  coro::Task<void> exchange(Answer& answer);
  coro::Task<Results> run_queued(Commits commits);
  coro::Task<Results> run_wrapped(Commits commits);
  bool take(Result result, Answer& answer);
  void check_tag(std::string_view tag, std::string_view expected, Answer& answer);
  void check_state(bool open, Answer& answer);
  coro::Task<Result> simple_results(std::string_view first_tag, bool stop_at_copy = false);
  coro::Task<void> copy_failed();
  bool begins(std::string_view sql) const noexcept;
  bool needs_commit(std::string_view sql) const noexcept;
  bool use_pipeline(const std::string& sql);
  bool begin_with_setup(const std::string& sql);
  void send_bare(const std::string& sql, bool asked_for);
  std::string with_setup(std::string sql) const;
  std::string routed(const std::string& sql) const;
  void leave_pipeline();
  void require_sent(int sent);
  void expect_answer(int sent);
  [[noreturn]] void throw_lost();
  [[noreturn]] void throw_end(const Error& error);
  void forget_closed_socket() noexcept;
  Error loss(const Error& error, bool ambiguous);
  bool ends_unexecuted(const Error& error) const noexcept;
  static void on_notice(void* connection, const PGresult* notice);
  std::string lost_message() const;
  // Takes ownership of a session that executes a statement, sends its server a request to cancel
  // the statement, and closes the session, without blocking (cancel_request.cpp).
  static void cancel_and_finish(PGconn* session) noexcept;
  static void refuse_copy(ExecStatusType status);

  // The members that each message uses come first.
  PGconn* handle_;
  std::optional<coro::FdWatch> watch_;
  Pooling pooling_ = Pooling::none;
  bool behind_pooler_ = false;  // also if pooling_ was set back to none
  Dialect dialect_ = Dialect::postgres;
  bool wrapped_ = false;        // the pipeline gets a BEGIN and COMMIT of its own
  bool asks_pipeline_ = false;  // between open_pipeline() and close_pipeline()
  bool answered_ = true;        // false until the first part of the answer to ask() is taken
  bool open_before_ = false;    // a transaction was open when the first statement was queued
  bool broken_ = false;
  std::optional<coro::Duration> round_trip_limit_;
  RoundTripTimer round_trip_timer_{*this};

  std::size_t host_ = 0;
  Parameters parameters_;
  std::vector<Queued> queued_;
  std::optional<TransactionSetup> setup_;
  std::map<std::string_view, std::string> texts_;  // of prepare(), by name, with a setup
  std::function<coro::Task<void>()> companion_;
  std::vector<std::string> warnings_;
  std::string warned_;  // SQLSTATE of a WARNING since the last statements were sent
};

class Connection::RoundTrip {
 public:
  explicit RoundTrip(Connection& connection) : timer_(connection.round_trip_timer_) {
    if (connection.round_trip_limit_) timer_.begin(*connection.round_trip_limit_);
  }
  RoundTrip(const RoundTrip&) = delete;
  RoundTrip& operator=(const RoundTrip&) = delete;
  ~RoundTrip() { timer_.end(); }

 private:
  RoundTripTimer& timer_;
};

// Returns a message of libpq as one line (database::one_line()); empty for null. Omits repeated
// lines, because libpq accumulates the messages of a lost session.
std::string one_line(const char* text);

// Returns the error of a failed result, with the server's SQLSTATE, message, detail and hint.
Error error_of(const PGresult* result);

// Returns true if PostgreSQL ended the session at an idle timeout.
bool ends_idle(const Error& error) noexcept;

// Returns true if a failed result is the ERROR of a statement. Otherwise the session has ended: by
// FATAL or PANIC of the server, or by an answer that libpq does not understand.
bool is_refusal(const PGresult* result);

// Rolls back the open transaction, if there is one.
coro::Task<void> roll_back(Connection& connection);

// Executes a SET, or adds it as SET LOCAL to the setup of each transaction.
coro::Task<void> set(Connection& connection, std::string setting);

// Does the same, and ignores the error of a server that does not know the setting.
coro::Task<void> set_if_known(Connection& connection, std::string setting);

// Executes a query. Returns nothing if the server does not know a function or table of the query,
// or if the role may not use it.
coro::Task<std::optional<Result>> query_if_allowed(Connection& connection, std::string sql);

}  // namespace drover::database::postgres
