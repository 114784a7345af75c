// What the relatives of PostgreSQL do otherwise than it does. None but PostgreSQL itself has been tried: what stands here
// follows from their documentation (docs/dialects.md).
//
// Constants, and a question to a server. Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "coro/task.h"
#include "database/dialect.h"
#include "database/error.h"
#include "database/isolation.h"

namespace drover::database::postgres {

class Connection;

// How the server is had to end a session that its client has lost.
enum class SessionEnd : std::uint8_t {
  terminate,  // pg_stat_activity names it, pg_terminate_backend() ends it
  cancel,     // SHOW session_id names it, CANCEL SESSION ends it
  none,
};

struct DialectTraits {
  Dialect dialect;
  std::string_view name;   // as --dialect has it
  std::string_view title;  // for people
  // The levels that there are; the first is that of a run that asks for none.
  std::span<const Isolation> isolations;
  // Whether SET SESSION CHARACTERISTICS says the level; otherwise it is the only one.
  bool sets_isolation = true;
  // Whether a transaction may hold several statements of DDL.
  bool ddl_in_transactions = true;
  // Whether the catalogue is PostgreSQL's (pg_class, to_regclass()); otherwise it is the standard's information_schema.
  bool postgres_catalogue = true;
  // Whether keys are declared with the table, for they cannot be added, or only by writing the table anew.
  bool keys_with_table = false;
  // Whether ALTER TABLE adds foreign keys, and validates them apart.
  bool foreign_keys = true;
  bool advisory_locks =
      true;  // with their settings: a lock that is held by nobody is worse than none
  bool savepoints = true;
  // Whether several sessions can look at one state of the data (pg_export_snapshot()).
  bool shared_snapshots = true;
  bool analyze = true;
  bool wide_integers = false;  // there are none of four bytes
  // Whether pg_backend_pid() names a process of the server's, which tells of poolers.
  bool processes = true;
  SessionEnd session_end = SessionEnd::terminate;
  // The most rows that a transaction of an import writes, with its record; 0: a warehouse goes whole.
  std::int32_t rows_a_transaction = 0;
  // What else bounds it: bytes, and cells of rows; 0: nothing.
  std::int64_t bytes_a_transaction = 0;
  std::int64_t cells_a_transaction = 0;
  // What a session that loads is SET to besides.
  std::string_view load_setting = {};
  // States of errors that another attempt may get over, besides those of PostgreSQL.
  std::span<const std::string_view> retryable = {};
};

const DialectTraits& traits_of(Dialect dialect) noexcept;

// Nothing for a name that is none of them.
std::optional<Dialect> dialect_of(std::string_view name) noexcept;

// "postgres, cockroach, …"
std::string dialect_names();

// By version(), and where that says PostgreSQL by what is there besides. Requires: nothing is queued, no transaction is open.
coro::Task<Dialect> find_dialect(Connection& connection);

// The error as the dialect means it.
Error in_dialect(Dialect dialect, Error error);

// The same of the last statement of a transaction: an error of no certain meaning does not say that it has not committed.
Error of_a_commit(Dialect dialect, Error error);

// For people, before a run on another one than PostgreSQL.
std::string dialect_note(Dialect dialect);

// The level that was asked for, or the dialect's first. Throws Error where it has no such level.
Isolation choose_isolation(Dialect dialect, std::optional<Isolation> wanted);

}  // namespace drover::database::postgres
