// PostgresSession: statements of scripts on one connection, by the protocol of the run. In the prepared protocol a
// statement is prepared when a session first executes it, as in pgbench; and anew when the server has said that it does
// not have it any more, or that its tables have changed.
//
// Belongs to one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "database/postgres/pooled_backend.h"
#include "workload/sql/backend.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql::postgres {

using database::Error;
using database::postgres::Connection;
using database::postgres::Parameters;
using database::postgres::Result;

// Shared by the sessions of a worker: whether the server takes writes.
struct ServerWrites {
  bool are_reported = true;   // no pooler is in front of the server, which reports each change
  bool were_refused = false;  // by a server that is read-only
};

// Buffers in which the sessions of a worker build their messages for libpq. One set for all
// sessions stays in the cache.
struct Scratch {
  std::string text;
  Parameters parameters;
};

class PostgresSession final : public database::postgres::PooledSession<Session> {
 public:
  // `writes` and `scratch` must live for as long as statements are executed.
  PostgresSession(std::unique_ptr<Connection> connection, Protocol protocol, ServerWrites& writes,
                  Scratch& scratch)
      : PooledSession({std::move(connection), {}}),
        protocol_(protocol),
        writes_(writes),
        scratch_(scratch) {}

  bool is_ready_for(const Statement& statement) const noexcept override {
    return protocol_ != Protocol::prepared || is_prepared(statement);
  }
  coro::Task<void> prepare(const Statement& statement) override;
  coro::Task<void> execute(const Statement& statement, Variables& variables) override;
  coro::Task<void> open_pipeline(std::span<const Statement> statements,
                                 std::size_t& prepared) override;
  void sync_pipeline() override;
  coro::Task<PipelineAnswer> close_pipeline() override;
  Error failed_commit(const Error& error) const override {
    return connection().failed_commit(error);
  }
  coro::Task<void> roll_back() override;

 private:
  // Where the columns of a statement's result go, of the result that was stored last: most have the same ones always.
  struct StoredColumns {
    std::vector<std::string> names;
    std::vector<std::optional<Slot>> slots;
  };

  // The results of a statement so far.
  struct Answer {
    std::optional<Error> error;  // the first one
    bool committed = false;      // by one of several joined statements
    Result last;                 // of the results
  };

  enum class Preparation : std::uint8_t {
    none,
    done,
    outdated,  // its tables have changed: it is to be given up before it is made anew
  };

  bool is_prepared(const Statement& statement) const noexcept {
    return statement.number < prepared_.size() && prepared_[statement.number] == Preparation::done;
  }
  void note_failure(const Statement& statement, const Error& error);
  Error noted(const Error& error);
  bool reports_that_it_writes() noexcept;
  void send(const Statement& statement, const Variables& variables);
  bool take_result(const Statement& statement, Variables& variables, Answer& answer);
  void finish(const Statement& statement, Variables& variables, Answer& answer);
  void take_piped(const Result& result, PipelineAnswer& answer);
  [[noreturn]] void refuse(const Statement& statement, const Error& error);
  void store_last_row(const Statement& statement, const Result& result, Variables& variables);
  const StoredColumns& columns_of(const Statement& statement, const Result& result,
                                  const Variables& variables);

  const Protocol protocol_;
  bool in_pipeline_ = false;
  ServerWrites& writes_;
  Scratch& scratch_;
  std::vector<Preparation> prepared_;    // by Statement::number
  std::vector<StoredColumns> columns_;   // likewise
  std::vector<const Statement*> piped_;  // sent in the open pipeline
  std::size_t syncs_ = 0;                // likewise
};

}  // namespace drover::sql::postgres
