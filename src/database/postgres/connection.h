// Connection: one session of a PostgreSQL server, on its worker's epoll. Built on libpq's
// non-blocking calls; no thread is ever blocked by it, save for the resolution of a host's name,
// which libpq does itself.
//
// Prepared statements are queued with send() and go out together, as one pipeline, with run():
//
//   connection.send(begin);
//   connection.send(get_customer, w_id, d_id, c_id);
//   const Results results = co_await connection.run();   // one round trip; [1] is the customer
//
// Thread safety: none; a connection belongs to the worker on which it was made.
// Invariant: a connection whose operation was cancelled or lost is broken() and of no further use.
// Destroying a connection in the middle of a statement has the server cancel the statement
// (cancel_request.h). All operations throw database::Error.
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
#include "database/postgres/parameters.h"
#include "database/postgres/result.h"
#include "database/server.h"

namespace drover::database::postgres {

// A statement that every session prepares once. The name is unique within a session.
struct Statement {
  const char* name;
  std::string sql;
};

using Results = std::vector<Result>;

// How each transaction begins where no session outlives one (pooling.h): what a session would have been SET to once.
struct TransactionSetup {
  std::string begin = "BEGIN";             // of a transaction that asks for nothing more itself
  std::vector<std::string> settings = {};  // SET LOCAL …, one statement each
};

// Whether a pipeline ends its transaction, with COMMIT as its last statement. If the session is
// lost under it, the outcome is unknown (ambiguous_commit), unless the server had said before that
// a statement of it failed (connection_lost) or that it has committed (no error).
enum class Commits : bool { no, yes };

// What is chosen anew at each connect.
struct ConnectionChoice {
  std::optional<std::string> password =
      {};  // none: as the string, the variables or libpq's file of passwords say
  std::optional<std::size_t> first_host = {};  // of several (Access::first_host)
};

// Aligned so that the members that each message uses lie in the first three cache lines, which the
// worker prefetches with the watch.
class alignas(64) Connection {
 public:
  // `conninfo` is any connection string or URI of libpq; what it leaves open comes from the PG*
  // variables. Gives up at the connect_timeout of the string or of PGCONNECT_TIMEOUT, else after 10
  // s.
  //
  // Several hosts are tried in turn, for that time each, until one lets us in and is what
  // target_session_attrs asks for; the error says of each why it was not. As libpq does, it stops
  // at one that denies us (a wrong password). The addresses of one name, and a list with an empty
  // hostaddr, are left to libpq: they share the time.
  static coro::Task<std::unique_ptr<Connection>> open(std::string conninfo,
                                                      ConnectionChoice choice = {});

  // The hosts of the string, or of PGHOST, as people know them: "name:port", in their order. None of a list that is
  // left to libpq.
  static std::vector<std::string> hosts_of(const std::string& conninfo);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Takes one round trip for all of them. With a TransactionSetup, sends nothing: keeps the texts,
  // which send() then sends.
  coro::Task<void> prepare(std::span<const Statement> statements);

  // Queues a prepared statement, which is known by its name: the text is the one that prepare() was
  // given. The arguments are what Parameters can add.
  template <class... Arguments>
  void send(const Statement& statement, const Arguments&... arguments) {
    parameters_.clear();
    (parameters_.add(arguments), ...);
    send_prepared(statement);
  }

  // Queues a prepared statement with a number of parameters that is known only when it is sent:
  // add(parameters) adds them.
  template <class Add>
  void send_list(const Statement& statement, Add add) {
    parameters_.clear();
    add(parameters_);
    send_prepared(statement);
  }

  // Sends what is queued and waits for all results, in order. The first error of a statement is
  // thrown when the server has answered the whole pipeline (it skips the rest). An answer with
  // another tag than its statement's, or that leaves another state of the transaction behind, is an
  // error, too: a COMMIT that is answered with ROLLBACK is one of the class statement; after any
  // other the session is given up as lost, as nobody knows what it is about.
  coro::Task<Results> run(Commits commits = Commits::no);

  // Sends one statement and waits for its result.
  template <class... Arguments>
  coro::Task<Result> execute(const Statement& statement, const Arguments&... arguments) {
    send(statement, arguments...);
    return only_result();
  }

  // A statement as text, not prepared, with the results as text. For what happens rarely.
  template <class... Arguments>
  coro::Task<Result> query(std::string sql, const Arguments&... arguments) {
    parameters_.clear();
    (parameters_.add(arguments), ...);
    send_text(sql);
    return only_result();
  }

  // One or several statements without parameters (the simple protocol); hands back the last result.
  // With several, the tag of the first alone is looked at: a COMMIT goes by itself.
  coro::Task<Result> script(std::string sql);

  // What follows is for SQL that is not ours (connection_user_sql.cpp). Nothing is asked of its tags, nor of the state
  // of the transaction that it leaves behind: whoever sends it looks at what comes back.
  //
  //   connection.ask_prepared(name, parameters);
  //   do {
  //     if (!connection.answer_is_here()) co_await connection.wait_for_answer();
  //   } while ((result = connection.take_answer()).get() != nullptr);
  //
  // On the hot path, where a coroutine of its own would cost too much, wait_for_answer() is written
  // out:
  //
  //   const Connection::RoundTrip round_trip(connection);
  //   if (!connection.is_sent()) co_await connection.send_rest();
  //   while (!connection.answer_is_here()) {
  //     co_await connection.readable();
  //     connection.read_input();
  //   }

  // A message of the simple protocol, with one statement or several.
  void ask(const std::string& sql);
  // One statement, with its parameters; the results are text. It needs the end of the answer before, or a pipeline.
  void ask(const std::string& sql, Parameters& parameters);
  void ask_prepared(const char* name, Parameters& parameters);

  // Whether take_answer() has something to hand out, or the end.
  bool answer_is_here() const noexcept { return PQisBusy(handle_) == 0; }
  coro::Task<void> wait_for_answer();
  class RoundTrip;  // runs the time limit of a round trip (round_trip.h)
  bool is_sent() noexcept { return PQflush(handle_) == 0; }
  coro::Task<void> send_rest();
  coro::FdWatch::ReadyAwaiter readable() noexcept { return watch_->ready(coro::Readiness::read); }
  // Throws if the session was lost.
  void read_input() {
    if (PQconsumeInput(handle_) == 0) throw_lost();
  }
  // Returns the next result, which may be an ERROR (error_of()). Returns an empty result after the
  // last one; in a pipeline, after the last one of each statement. Throws if the session was lost,
  // and if it is given up because a COPY waits for data. Throws NeverExecuted if the server ended
  // the session before it completed the statement; in a pipeline, before it began the statements
  // that are not answered. Requires: answer_is_here().
  Result take_answer();

  // From here on what is asked is a pipeline: answers are to be taken when it has been synced. A result of each sync
  // has the status PGRES_PIPELINE_SYNC. In the end, when all answers have been taken, the pipeline is closed.
  void open_pipeline();
  void sync_pipeline() { require_sent(PQpipelineSync(handle_)); }
  void close_pipeline();
  bool in_pipeline() const noexcept { return asks_pipeline_; }

  // COPY … FROM STDIN. Between begin and end only copy_send() may be called.
  coro::Task<void> copy_begin(std::string sql);
  coro::Task<void> copy_send(std::span<const char> bytes);
  coro::Task<std::int64_t> copy_end();  // the rows that the server took

  // From here on statements go as text each time, and each transaction begins with the setup: also a pipeline, a
  // query() or a script() outside of one, which becomes a transaction. For SQL that is not ours nothing changes.
  // Requires: nothing is queued, no transaction is open.
  void set_up_each_transaction(TransactionSetup setup) { setup_ = std::move(setup); }
  // As it is, to be added to; none where the session lasts.
  TransactionSetup* setup() noexcept { return setup_ ? &*setup_ : nullptr; }

  // How long run(), script() and what is made of them may wait for an answer; nothing: for ever.
  // At the limit the session is given up: it is broken(), and the error is of the class
  // connection_lost (ambiguous_commit of a pipeline that commits). For the operations begun from
  // then on; COPY has none.
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

  // Returns the error of a COMMIT, or of a statement that commits by itself, with the class that
  // it has there (of_a_commit() in dialect.h). To be called before anything else is sent.
  Error failed_commit(const Error& error) const;

  // Returns whether the session is still open. To be called before an idle session is used, since a
  // server, a pooler or a balancer may have ended it. If it returns false, the connection is
  // broken() and nothing was sent. Makes no system call while nothing has arrived. Requires:
  // nothing is queued or in flight.
  bool still_open() noexcept;

  // Whether it was given up at that limit.
  bool unanswered() const noexcept { return round_trip_timer_.expired(); }

  // The server's process of this session, as pg_stat_activity names it; a pooler gives a number of its own.
  int backend_pid() const noexcept { return PQbackendPID(handle_); }

  // Where it has connected to; the address is in digits, and empty for a Unix socket.
  int port() const noexcept;
  std::string_view host_address() const noexcept;

  bool in_transaction() const noexcept { return PQtransactionStatus(handle_) != PQTRANS_IDLE; }
  bool broken() const noexcept {
    return broken_ || round_trip_timer_.expired() || PQstatus(handle_) != CONNECTION_OK;
  }

  // The host that has let us in, by its number in the string; 0 of a string with one.
  std::size_t host() const noexcept { return host_; }

  // What stands between it and the server, where somebody has asked. From a pgpool on each statement goes to the
  // primary, as a standby may not know yet what was committed; SQL that is not ours goes where pgpool sends it.
  Pooling pooling() const noexcept { return pooling_; }
  void set_pooling(Pooling pooling) noexcept {
    pooling_ = pooling;
    behind_pooler_ = behind_pooler_ || pooling != Pooling::none;
  }

  // Likewise, whose SQL it is.
  Dialect dialect() const noexcept { return dialect_; }
  void set_dialect(Dialect dialect) noexcept { dialect_ = dialect; }

  // As a number, 180001 for 18.1; of a relative of PostgreSQL, what it says to be.
  int server_version() const noexcept { return PQserverVersion(handle_); }

  // A parameter that the server reports, like server_version; empty if it does not.
  std::string_view parameter_status(const char* name) const noexcept;

 private:
  // What came back of a pipeline.
  struct Answer {
    Results results;             // of the statements that succeeded
    std::optional<Error> error;  // the first one
    bool refused = false;        // the server said ERROR, or ROLLBACK: it cannot be committed
    bool misled = false;         // an answer has another tag than its statement's
    bool lost = false;           // without an end, or of no meaning
    bool whole = false;          // to the end, so that the session goes on
    bool committed = false;      // so the last of the answers says
    std::size_t count = 0;       // of answers, with those that nobody asked for
  };

  // A statement that was sent. Its answer is the setup's where nobody asked for it.
  struct Queued {
    std::string_view tag;  // expected of its answer
    bool asked_for = true;
  };

  // Shuts down the socket when a round trip exceeds its limit, so that the coroutine waiting for
  // the socket finds the session lost. The timer stays in the wheel between round trips and is
  // moved when it fires: adding and removing it for each one would touch the timers of other
  // connections, which have left the cache.
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
    coro::TimerWheel* wheel_ = nullptr;  // the wheel that it was last added to
    coro::Instant due_{};                // the end of the present round trip
    bool runs_ = false;
    bool expired_ = false;
  };
  struct Host;
  struct Route;  // the hosts to be tried, and how

  explicit Connection(PGconn* handle) noexcept : handle_(handle) {}

  static std::unique_ptr<Connection> start(const std::string& conninfo,
                                           const ConnectionChoice& choice,
                                           const Host* host = nullptr,
                                           const char* session_attributes = nullptr);
  static coro::Task<std::unique_ptr<Connection>> open_one_of(std::string conninfo,
                                                             ConnectionChoice choice, Route route);
  static Route route_of(PGconn* handle, std::optional<std::size_t> first_host);
  static void require_port(const Host& host);
  coro::Task<void> connect_in_time(std::string whom);
  coro::Task<void> finish_connecting();
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
  [[noreturn]] void throw_lost();
  [[noreturn]] void throw_end(const Error& error);
  void forget_closed_socket() noexcept;
  Error loss(const Error& error, bool ambiguous);
  bool ends_unexecuted(const Error& error) const noexcept;
  static void on_notice(void* connection, const PGresult* notice);
  std::string lost_message() const;
  static void refuse_copy(ExecStatusType status);

  // The members that each message uses come first.
  PGconn* handle_;
  std::optional<coro::FdWatch> watch_;
  Pooling pooling_ = Pooling::none;
  bool behind_pooler_ = false;  // also where statements go as if there were none
  Dialect dialect_ = Dialect::postgres;
  bool wrapped_ = false;        // the pipeline is a transaction that we have begun, and end
  bool asks_pipeline_ = false;  // between open_pipeline() and close_pipeline()
  bool answered_ = true;        // false until the first part of the answer to ask() is taken
  bool open_before_ = false;    // a transaction was, when the first of them was queued
  bool broken_ = false;
  std::optional<coro::Duration> round_trip_limit_;
  RoundTripTimer round_trip_timer_{*this};

  std::size_t host_ = 0;
  Parameters parameters_;
  std::vector<Queued> queued_;
  std::optional<TransactionSetup> setup_;
  std::map<std::string_view, std::string> texts_;  // of prepare(), by name, where there is a setup
  std::function<coro::Task<void>()> companion_;
  std::vector<std::string> warnings_;
  std::string warned_;  // SQLSTATE of a WARNING since the last statements were sent
};

// What libpq says, as one line fit for a terminal (database/message.h): it hands out null pointers
// where it has nothing to say, for which this is empty, and gathers what it says of a lost session, so
// that the same sentence may come twice: no line comes a second time.
std::string one_line(const char* text);

// The error of a failed result, with the server's SQLSTATE, message, detail and hint.
Error error_of(const PGresult* result);

// Returns true if PostgreSQL ended the session at an idle timeout.
bool ends_idle(const Error& error) noexcept;

// Whether a failure is that of a statement. All others are the last word of a session: of the server (FATAL, PANIC), or
// of libpq, which has no SQLSTATE, and has not understood what came.
bool is_refusal(const PGresult* result);

// `text` is a connection string: says what is wrong with it, or nothing. Never quotes a password.
std::optional<std::string> conninfo_problem(const std::string& text);

// How long an attempt to connect may take: as the string or PGCONNECT_TIMEOUT says, else 10 s.
coro::Duration connect_timeout_of(const std::string& conninfo);

// Whether the string itself has a password.
bool has_password(const std::string& conninfo);

// The connection string for people: "host=… port=… dbname=… user=…", never a password.
std::string describe_conninfo(const std::string& text);

// Ends the transaction that is open, if one is and the session lives.
coro::Task<void> roll_back(Connection& connection);

// Has the session execute a SET, or each of its transactions, where no session lasts.
coro::Task<void> set(Connection& connection, std::string setting);

// The same, unless the server speaks the protocol but does not know the setting.
coro::Task<void> set_if_known(Connection& connection, std::string setting);

}  // namespace drover::database::postgres
