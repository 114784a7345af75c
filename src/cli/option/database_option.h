// --db, --schema and the options of each kind of database, for every command that uses a database.
#pragma once

#include <memory>

#include "cli/option/command.h"
#include "database/embedded/private_server.h"
#include "database/postgres/access.h"
#include "run/measured_run.h"
#include "workload/sql/database.h"
#include "workload/tpcc/database.h"
#include "workload/ycsb/database.h"

namespace drover::cli {

struct DatabaseOption {
  std::string db;      // empty: the private server
  std::string schema;  // empty: the first of the search_path; YDB: the root of the database
  std::optional<database::Dialect> dialect = {};  // of PostgreSQL's protocol; none: ask the server
  std::string ydb_token_file = {};                // empty: by YDB's environment variables
  std::string ydb_ca_file = {};                   // empty: by YDB's environment variables
  bool no_discovery = false;                      // YDB
  std::string password_command = {};  // PostgreSQL: prints the password. Empty: libpq finds it
};

using run::DatabaseKind;

// Returns YDB for a URL that begins with ydb:// or ydbs://, else PostgreSQL.
DatabaseKind kind_of(const DatabaseOption& option) noexcept;

// Returns the server hosts that --db names. Empty for YDB and for the private server. Throws
// UsageError.
std::vector<std::string> hosts_of(const DatabaseOption& option);

// Adds --db (variable DROVER_DB), --schema, --password-command and the options of YDB to a command.
void add_database_options(Command& command, DatabaseOption& option);

// The database that a command uses: a database of the user, or the private server, which runs at
// least as long as this object.
class DatabaseTarget {
 public:
  // An administrative command notes on stderr how far Drover supports the server. A run has
  // that note among its own.
  enum class Use : std::uint8_t { run, administration };

  // Throws UsageError (for a string that cannot be read, or for YDB in a build without its client),
  // or database::embedded::ServerError.
  explicit DatabaseTarget(const DatabaseOption& option, Use use = Use::run);

  DatabaseKind kind() const noexcept { return kind_of(option_); }
  const std::string& schema() const noexcept { return option_.schema; }

  // For messages; contains no password.
  const std::string& description() const noexcept { return description_; }

  run::RunPlace place() const;

  // run::IdentityOfDatabase.
  coro::Task<std::string> identity() const;

  // The interfaces of the workloads. They may outlive the target, unless it is the private server.
  std::unique_ptr<tpcc::Database> tpcc() const;
  std::unique_ptr<ycsb::Database> ycsb() const;
  std::unique_ptr<sql::Database> sql() const;

 private:
  DatabaseOption option_;
  std::optional<database::embedded::ServerLease> lease_;
  database::postgres::Access access_;  // of PostgreSQL
  std::string description_;
};

}  // namespace drover::cli
