// Traits of the databases that use PostgreSQL's protocol. PostgreSQL and Citus were tried.
// The traits of CockroachDB and YugabyteDB follow from their documentation (docs/dialects.md).
//
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/error.h"
#include "database/server.h"

namespace drover::database::postgres {

class Connection;

inline constexpr std::string_view not_tried = "experimental and not tested against a server";

struct DialectTraits {
  Dialect dialect;
  std::string_view name;   // for --dialect
  std::string_view title;  // for messages
  // The isolation level of a run without --isolation.
  Isolation default_isolation = Isolation::read_committed;
  // A transaction may contain several statements of DDL.
  bool ddl_in_transactions = true;
  // Primary keys are declared with the table, because adding them is impossible or rewrites the
  // table.
  bool keys_with_table = false;
  // ALTER TABLE can add foreign keys, and validate them later.
  bool foreign_keys = true;
  bool advisory_locks = true;
  // Several sessions can share a snapshot (pg_export_snapshot()).
  bool shared_snapshots = true;
  // True if pg_backend_pid() names a process of the server: poolers are recognised by its changes,
  // and pg_terminate_backend() ends it. False if SHOW session_id names a session, and CANCEL
  // SESSION ends it.
  bool processes = true;
  // The server can execute every statement with a generic plan (plan_cache_mode). Citus
  // refuses the generic plan of a statement that reads several shards.
  bool generic_plans = true;
  // The largest number of rows that a transaction of an import writes; 0: a whole warehouse.
  std::int32_t rows_a_transaction = 0;
  // A further SET command of sessions that load data.
  std::string_view load_setting = {};
  // Further SQLSTATEs that are retryable.
  std::span<const std::string_view> retryable = {};
  // The server with which this dialect was tried; empty for PostgreSQL.
  std::string_view tried = {};

  bool is_experimental() const noexcept { return tried == not_tried; }
};

const DialectTraits& traits_of(Dialect dialect) noexcept;

std::span<const DialectTraits> all_dialects() noexcept;

// Recognises the server by version(), and Citus by its extension. Requires: nothing is queued, no
// transaction is open.
coro::Task<Dialect> find_dialect(Connection& connection);

// Returns the error with its class in the dialect.
Error in_dialect(Dialect dialect, Error error);

// Returns the error of a COMMIT, or of a statement that commits by itself, with its class in the
// dialect.
//
// An ERROR of PostgreSQL itself means that the transaction was rolled back. A server of several
// nodes may have committed the transaction before it reports what went wrong, so there the outcome
// is known only if the SQLSTATE cannot come after a commit. Relatives may call themselves
// PostgreSQL, so XX000, 53000, 58000, 58030 and class 08 (except connections that were never
// established) leave the outcome unknown (ambiguous_commit) there, too. An error without an
// SQLSTATE is returned unchanged.
//
// `warned` is the SQLSTATE of the server's WARNINGs since the statement was sent (empty: none).
// Citus passes a worker's refusal to commit on as a WARNING, and then reports XX000: the result is
// the worker's error.
Error of_a_commit(Dialect dialect, Error error, std::string_view warned = {});

// Returns true if a server of several nodes reports this SQLSTATE only of a transaction that it has
// not committed.
bool refuses_to_commit(std::string_view sqlstate) noexcept;

// Returns lines for the user about the server of this session, for the start of a command: that its
// dialect is experimental, or that it is older than the versions that Drover is tested with.
std::vector<std::string> support_notes(const Connection& connection);

// Returns the note on an old server, or nothing if `number` (PQserverVersion(), 100023 for 10.23)
// is 14 or later. `version` is the text of the setting server_version.
std::optional<std::string> old_server_note(int number, std::string_view version);

}  // namespace drover::database::postgres
