#include "workload/sql/postgres/postgres_backend.h"

#include <utility>

#include "database/postgres/citus.h"
#include "database/postgres/session_setup.h"

namespace drover::sql::postgres {

using coro::Task;
using database::postgres::Connection;

namespace {

Task<void> require_read_write(Connection& connection) {
  const auto answer = co_await connection.query("SHOW transaction_read_only");
  if (answer.rows() == 1 && answer.text(0, 0) == "off") co_return;
  throw database::Error(
      database::ErrorClass::unavailable, "25006",
      "the server accepts no writes: it is a standby, or default_transaction_read_only is on. Name "
      "all hosts in the URI, with target_session_attrs=read-write");
}

}  // namespace

PostgresBackend::PostgresBackend(PostgresOptions options)
    : PooledBackend({.connections = options.connections,
                     .wait_for_server = options.run.waits_for_database(),
                     .seed = options.seed,
                     .upkeep = options.upkeep}),
      options_(std::move(options)),
      writes_{.are_reported = options_.pooling == database::Pooling::none} {}

Task<std::unique_ptr<PostgresBackend::Pooled>> PostgresBackend::connect(
    std::optional<std::size_t> first_host) {
  database::postgres::Access access = options_;
  access.first_host = first_host;
  access.role_patience = role_patience();
  // Scripts do not declare whether they write. Once the server has refused a write, sessions must
  // be able to write.
  if (met_read_only()) access.role = database::postgres::ServerRole::writable;
  auto connection = co_await database::postgres::open_for_run(std::move(access), options_.pooling);
  co_await database::postgres::limit_statements(*connection, options_.run.statement_timeout());
  // Once a write was refused, read-only sessions are of no use.
  if (writes_.were_refused) co_await require_read_write(*connection);
  // What a script asks goes where a pgpool sends it.
  if (options_.pooling == database::Pooling::pgpool) {
    connection->set_pooling(database::Pooling::none);
  }
  // A process that was lent for a transaction does not know what another one has prepared.
  const bool forgets = options_.pooling == database::Pooling::transaction;
  const Protocol protocol =
      forgets && options_.protocol == Protocol::prepared ? Protocol::extended : options_.protocol;
  if (protocol == Protocol::prepared)
    co_await database::postgres::set_up_citus_scripts(*connection);
  co_return std::make_unique<PostgresSession>(std::move(connection), protocol, writes_, scratch_);
}

}  // namespace drover::sql::postgres
