#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "database/error.h"
#include "database/postgres/citus.h"
#include "database/postgres/connection.h"
#include "database/postgres/dialect.h"
#include "database/postgres/pooled_backend.h"
#include "database/postgres/session_setup.h"
#include "text/utf8.h"
#include "workload/sql/postgres/database_on_postgres.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql::postgres {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Access;
using database::postgres::Connection;
using database::postgres::error_of;
using database::postgres::in_dialect;
using database::postgres::Parameters;
using database::postgres::Result;

namespace {

// Shared by the sessions of a worker.
struct ServerWrites {
  bool are_reported = true;   // false behind a pooler, which hides whether the server takes writes
  bool were_refused = false;  // a server was read-only
};

// Buffers in which the sessions of a worker build their messages for libpq. One set for all
// sessions stays in the cache.
struct MessageBuffers {
  std::string text;
  Parameters parameters;
};

// Returns true if the session has lost its prepared statements.
bool drops_statements(const Result& result) {
  if (result.get() == nullptr) return false;
  const std::string_view tag = PQcmdStatus(result.get());
  return tag == "DISCARD ALL" || tag == "DEALLOCATE ALL";
}

// A COMMIT of a failed transaction has the tag ROLLBACK.
bool is_commit(const Result& result) {
  const std::string_view tag = PQcmdStatus(result.get());
  return tag.starts_with("COMMIT") || tag == "PREPARE TRANSACTION";
}

// Executes statements on one connection with the protocol of the run. In the prepared protocol, a
// session prepares a statement before its first execution, as in pgbench. It prepares the statement
// again if the server reports that it has lost it, or that its tables have changed.
class PostgresSession final : public database::postgres::PooledSession<ScriptSession> {
 public:
  // `writes` and `buffers` must outlive the session.
  PostgresSession(std::unique_ptr<Connection> connection, Protocol protocol, ServerWrites& writes,
                  MessageBuffers& buffers)
      : PooledSession({std::move(connection), {}}),
        protocol_(protocol),
        writes_(writes),
        buffers_(buffers) {}

  bool is_ready_for(const Statement& statement) const noexcept override {
    return protocol_ != Protocol::prepared || is_prepared(statement);
  }

  Task<void> prepare(const Statement& statement) override {
    if (prepared_.size() <= statement.number) prepared_.resize(statement.number + 1);
    Preparation& preparation = prepared_[statement.number];
    if (std::exchange(preparation, Preparation::none) == Preparation::outdated) {
      co_await connection().script("DEALLOCATE " + statement.name);
    }
    const database::postgres::Statement named{statement.name.c_str(), statement.parameterised};
    co_await connection().prepare({&named, 1});
    prepared_[statement.number] = Preparation::done;
  }

  // A single coroutine, because each statement of each client would touch the memory of a second
  // frame, and with many clients this memory is not in the cache.
  Task<void> execute(const Statement& statement, Variables& variables) override {
    send(statement, variables);
    if (in_pipeline_) {
      piped_.push_back(&statement);
      co_return;
    }
    Connection& link = connection();
    Answer answer;
    do {
      if (link.answer_is_here()) continue;
      const Connection::RoundTrip round_trip(link);
      if (!link.is_sent()) co_await link.send_rest();
      while (!link.answer_is_here()) {
        co_await link.readable();
        // Prefetches the memory that is used next, while the kernel copies the answer.
        __builtin_prefetch(this);
        __builtin_prefetch(&variables);
        link.read_input();
      }
    } while (take_result(statement, variables, answer));
    finish(statement, variables, answer);
  }

  Task<void> open_pipeline(std::span<const Statement> statements, std::size_t& prepared) override {
    if (protocol_ == Protocol::prepared) {
      for (prepared = 0; prepared < statements.size(); ++prepared) {
        if (!is_prepared(statements[prepared])) co_await prepare(statements[prepared]);
      }
    }
    connection().open_pipeline();
    in_pipeline_ = true;
    piped_.clear();
    syncs_ = 0;
  }

  void sync_pipeline() override {
    connection().sync_pipeline();
    ++syncs_;
  }

  Task<PipelineAnswer> close_pipeline() override {
    PipelineAnswer answer;
    try {
      sync_pipeline();
      int ends = 0;  // null results in a row: one after each statement, two if no more will come
      for (std::size_t synced = 0; synced < syncs_;) {
        if (!connection().answer_is_here()) co_await connection().wait_for_answer();
        const Result result = connection().take_answer();
        ends = result.get() == nullptr ? ends + 1 : 0;
        if (ends == 1) continue;
        if (ends > 1) {
          throw Error(ErrorClass::connection_lost, "",
                      "the server has not answered all statements of the pipeline");
        }
        if (PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC) ++synced;
        take_piped(result, answer);
      }
    } catch (const database::NeverExecuted& end) {
      answer.error = Error(end);
      co_return answer;
    }
    connection().close_pipeline();
    in_pipeline_ = false;
    if (answer.error) answer.error = noted(*answer.error);
    co_return answer;
  }

  Error failed_commit(const Error& error) const override {
    return connection().failed_commit(error);
  }

  // Ends an open pipeline with a ROLLBACK, which also undoes the statements before it.
  Task<void> roll_back() override {
    try {
      if (std::exchange(in_pipeline_, false) && connection().in_pipeline()) {
        buffers_.parameters.clear();
        connection().ask("ROLLBACK", buffers_.parameters);
        co_await close_pipeline();
      }
    } catch (const Error&) {
      // The session is lost, and its transaction with it.
    }
    co_await database::postgres::roll_back(connection());
  }

 private:
  // Variables for the columns of a statement's result. Most results have the columns of the last
  // one.
  struct StoredColumns {
    std::vector<std::string> names;
    std::vector<std::optional<Slot>> slots;
  };

  // The results of a statement so far.
  struct Answer {
    std::optional<Error> error;  // the first one
    bool committed = false;      // by one of several joined statements
    Result last;
  };

  // `outdated`: the statement's tables have changed, so it is dropped before it is prepared again.
  enum class Preparation : std::uint8_t { none, done, outdated };

  bool is_prepared(const Statement& statement) const noexcept {
    return statement.number < prepared_.size() && prepared_[statement.number] == Preparation::done;
  }

  // Makes the next execution prepare the statement again, if this may help.
  void note_failure(const Statement& statement, const Error& error) {
    if (!is_prepared(statement)) return;
    // "cached plan must not change result type". Other errors with this SQLSTATE do no harm.
    constexpr std::string_view plan_has_another_result = "0A000";
    constexpr std::string_view no_such_statement = "26000";
    if (error.sqlstate() == plan_has_another_result) {
      prepared_[statement.number] = Preparation::outdated;
    } else if (error.sqlstate() == no_such_statement) {
      prepared_[statement.number] = Preparation::none;
    }
  }

  void send(const Statement& statement, const Variables& variables) {
    const SqlText& sql = statement.command->sql;
    if (protocol_ == Protocol::simple) {
      buffers_.text.clear();
      sql.render(variables, buffers_.text);
      connection().ask(buffers_.text);
      return;
    }
    buffers_.parameters.clear();
    for (const Slot slot : sql.parameters()) {
      buffers_.parameters.add_text(
          [&variables, slot](std::string& out) { return append_parameter(variables, slot, out); });
    }
    if (protocol_ == Protocol::extended) {
      connection().ask(statement.parameterised, buffers_.parameters);
    } else {
      connection().ask_prepared(statement.name.c_str(), buffers_.parameters);
    }
  }

  // Takes the next result of the answer. Returns false after the last one. Stores an error in
  // `answer` until then, because the session lives on.
  bool take_result(const Statement& statement, Variables& variables, Answer& answer) {
    Result result = connection().take_answer();
    if (result.get() == nullptr) return false;
    if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR) {
      if (!answer.error) answer.error = in_dialect(connection().dialect(), error_of(result.get()));
      return true;
    }
    if (statement.effects.size() > 1 && is_commit(result)) answer.committed = true;
    try {
      if (statement.command->storing == Storing::aset && result.rows() > 0) {
        store_last_row(statement, result, variables);
      }
    } catch (const Error& unnamed) {
      if (!answer.error) answer.error = unnamed;
    }
    answer.last = std::move(result);
    return true;
  }

  void finish(const Statement& statement, Variables& variables, Answer& answer) {
    if (answer.error && answer.committed && answer.error->error_class() == ErrorClass::retryable) {
      answer.error = not_retried(*answer.error);
    }
    if (answer.error) {
      note_failure(statement, *answer.error);
      throw Error(noted(*answer.error));
    }
    if (drops_statements(answer.last)) prepared_.clear();
    if (statement.command->storing != Storing::gset) return;
    if (answer.last.rows() != 1) {
      throw Error(ErrorClass::statement, "",
                  fmt::format("expected one row, got {}", answer.last.rows()));
    }
    store_last_row(statement, answer.last, variables);
  }

  // Returns true if the server reports that it takes writes. Servers since version 14 report each
  // change of these parameters with their answers.
  bool reports_that_it_writes() noexcept {
    return writes_.are_reported && connection().parameter_status("in_hot_standby") == "off" &&
           connection().parameter_status("default_transaction_read_only") == "off";
  }

  // Gives up the session if the server is read-only. If the server takes writes, the script itself
  // has begun a READ ONLY transaction, and the error is like any other.
  Error noted(const Error& error) {
    constexpr std::string_view read_only_transaction = "25006";
    if (error.sqlstate() == read_only_transaction) {
      if (reports_that_it_writes()) return {ErrorClass::statement, error.sqlstate(), error.what()};
      writes_.were_refused = true;
    }
    note_error(error);
    return error;
  }

  void store_last_row(const Statement& statement, const Result& result, Variables& variables) {
    const int row = result.rows() - 1;
    const StoredColumns& columns = columns_of(statement, result, variables);
    for (int column = 0; column < result.columns(); ++column) {
      const std::optional<Slot> slot = columns.slots[static_cast<std::size_t>(column)];
      if (!slot) continue;
      if (result.is_null(row, column)) {
        variables.set(*slot, Value::null());
      } else {
        variables.set_text(*slot, result.text(row, column));
      }
    }
  }

  const StoredColumns& columns_of(const Statement& statement, const Result& result,
                                  const Variables& variables) {
    if (columns_.size() <= statement.number) columns_.resize(statement.number + 1);
    StoredColumns& stored = columns_[statement.number];
    const auto count = static_cast<std::size_t>(result.columns());
    bool same = stored.names.size() == count;
    for (std::size_t i = 0; same && i < count; ++i) {
      same = stored.names[i] == PQfname(result.get(), static_cast<int>(i));
    }
    if (same) return stored;
    std::vector<std::string_view> names;
    for (int i = 0; i < result.columns(); ++i) {
      const std::string_view name = names.emplace_back(PQfname(result.get(), i));
      if (is_variable_name(statement.command->prefix + std::string(name))) continue;
      throw Error(
          ErrorClass::statement, "",
          fmt::format("the column \"{}\" does not have the name of a variable. Rename it with AS",
                      text::shown(name)));
    }
    stored.slots = column_slots(variables.names(), statement.command->prefix, names);
    stored.names.assign(names.begin(), names.end());
    return stored;
  }

  void take_piped(const Result& result, PipelineAnswer& answer) {
    switch (PQresultStatus(result.get())) {
      case PGRES_PIPELINE_SYNC:
        if (!answer.error) ++answer.synced;
        break;
      case PGRES_FATAL_ERROR:
        if (answer.error) break;
        answer.error = in_dialect(connection().dialect(), error_of(result.get()));
        if (answer.answered < piped_.size()) note_failure(*piped_[answer.answered], *answer.error);
        break;
      default:
        if (drops_statements(result)) prepared_.clear();
        if (!answer.error) ++answer.answered;
    }
  }

  const Protocol protocol_;
  bool in_pipeline_ = false;
  ServerWrites& writes_;
  MessageBuffers& buffers_;
  std::vector<Preparation> prepared_;    // by Statement::number
  std::vector<StoredColumns> columns_;   // by Statement::number
  std::vector<const Statement*> piped_;  // sent in the open pipeline
  std::size_t syncs_ = 0;                // sent in the open pipeline
};

Task<void> require_read_write(Connection& connection) {
  const auto answer = co_await connection.query("SHOW transaction_read_only");
  if (answer.rows() == 1 && answer.text(0, 0) == "off") co_return;
  throw database::Error(
      database::ErrorClass::unavailable, "25006",
      "the server accepts no writes: it is a standby, or default_transaction_read_only is on. Name "
      "all hosts in the URI, with target_session_attrs=read-write");
}

class PostgresBackend final
    : public database::postgres::PooledBackend<database::Backend, ScriptSession> {
 public:
  PostgresBackend(ScriptBackendSettings settings, Access access)
      : PooledBackend({.connections = settings.connections,
                       .wait_for_server = settings.run.waits_for_database(),
                       .seed = settings.seed,
                       .upkeep = settings.upkeep}),
        settings_(std::move(settings)),
        access_(std::move(access)),
        writes_{.are_reported = settings_.pooling == database::Pooling::none} {}

 private:
  // Sessions have the server's settings, except for the statement timeout and, on Citus,
  // plan_cache_mode (set_up_citus_scripts()).
  Task<std::unique_ptr<Pooled>> connect(std::optional<std::size_t> first_host) override {
    Access access = access_;
    access.first_host = first_host;
    access.role_timeout = role_timeout();
    // Scripts do not declare whether they write. Once the server has refused a write, sessions must
    // be able to write.
    if (met_read_only()) access.role = database::postgres::ServerRole::writable;
    auto connection =
        co_await database::postgres::open_for_run(std::move(access), settings_.pooling);
    co_await database::postgres::limit_statements(*connection, settings_.run.statement_timeout());
    if (writes_.were_refused) co_await require_read_write(*connection);
    // Pgpool itself chooses the server for each statement of a script.
    if (settings_.pooling == database::Pooling::pgpool) {
      connection->set_pooling(database::Pooling::none);
    }
    // In transaction pooling, another server process does not know the prepared statements.
    const bool forgets = settings_.pooling == database::Pooling::transaction;
    const Protocol protocol = forgets && settings_.protocol == Protocol::prepared
                                  ? Protocol::extended
                                  : settings_.protocol;
    if (protocol == Protocol::prepared) {
      co_await database::postgres::set_up_citus_scripts(*connection);
    }
    co_return std::make_unique<PostgresSession>(std::move(connection), protocol, writes_, buffers_);
  }

  const ScriptBackendSettings settings_;
  const Access access_;
  ServerWrites writes_;
  MessageBuffers buffers_;
};

}  // namespace

std::unique_ptr<database::Backend> make_backend(ScriptBackendSettings settings, Access access) {
  return std::make_unique<PostgresBackend>(std::move(settings), std::move(access));
}

}  // namespace drover::sql::postgres
