// The PostgreSQL backend of one worker: a fixed number of connections, and the operations on them.
// A read, a scan, an update and an insert are one statement and one round trip each. A
// read-modify-write is a transaction of two round trips. Belongs to one worker.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/postgres/pooled_backend.h"
#include "database/postgres/session_setup.h"
#include "database/server.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/table.h"

namespace drover::ycsb::postgres {

// The statements of the operations that a mix needs, prepared once per session. $1 is the key.
struct Statements {
  using Statement = database::postgres::Statement;

  Statements(const Table& table, const Properties& properties, ValueKind values,
             database::Isolation isolation);
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;

  std::vector<Statement> all() const;

  std::vector<Statement> read;
  std::vector<Statement> scan;  // $2: the largest number of rows
  // Reads for a read-modify-write; locks the row if the isolation level does not prevent conflicts.
  std::vector<Statement> read_to_write;
  std::vector<Statement> update;   // $2: the value, or an array of all values
  Statement insert{"insert", {}};  // $2: an array of all values
  Statement begin{"begin", "BEGIN"};
  Statement commit{"commit", "COMMIT"};

 private:
  std::vector<Statement> named(const std::string& name, const std::vector<std::string>& texts,
                               std::string_view suffix = "");

  std::deque<std::string> names_;
};

// Returns the SET statements of a session.
std::vector<std::string> session_settings(database::Dialect dialect);

class PostgresBackend final : public database::postgres::PooledBackend<Backend, Session> {
 public:
  // Throws PropertyError. Requires: the isolation level is not `snapshot`.
  PostgresBackend(database::postgres::Access access, BackendSettings settings);
  ~PostgresBackend() override;

  coro::Task<std::vector<database::Resolution>> resolve(std::vector<UnknownCommit> writes) override;

 private:
  class PostgresSession;

  coro::Task<std::unique_ptr<Pooled>> connect(std::optional<std::size_t> first_host) override;

  const BackendSettings settings_;
  const Table table_;
  database::postgres::SessionSettings session_settings_;
  OperationValues values_;
  Statements statements_;
  std::vector<database::postgres::Statement> prepared_;
};

}  // namespace drover::ycsb::postgres
