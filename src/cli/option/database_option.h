// --db, --schema and what goes with them, the same for every command that talks to a database.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  std::string schema;  // empty: as the server's search_path has it; of YDB: the database's root
  std::optional<database::Dialect> dialect = {};  // of PostgreSQL's protocol; none: ask the server
  // These three are for YDB alone. Empty: as the variables say.
  std::string ydb_token_file = {};
  std::string ydb_ca_file = {};
  bool no_discovery = false;
  // Prints the password, for PostgreSQL. Empty: libpq has it elsewhere.
  std::string password_command = {};
};

using run::DatabaseKind;

// By the URL alone; everything that does not begin with ydb:// or ydbs:// is PostgreSQL's.
DatabaseKind kind_of(const DatabaseOption& option) noexcept;

// Those that --db names, as people know them; one, or none, where there are not several. Throws UsageError.
std::vector<std::string> hosts_of(const DatabaseOption& option);

// Adds --db (also by the variable DROVER_DB), --schema, --password-command and the options of YDB to a command.
void add_database_options(Command& command, DatabaseOption& option);

// The words of a command line that say the same, but for --db, which may hold a password.
std::vector<std::string> words_without_db(const DatabaseOption& option);

// Where a command works: a database of the user's, or the private server, which runs at least as
// long as this object.
class DatabaseTarget {
 public:
  // An administrative command notes on stderr how far Drover supports the server. A run has
  // that note among its own.
  enum class Use : std::uint8_t { run, administration };

  // Throws UsageError (a string that cannot be read, or YDB where this program was built without its client) or
  // database::embedded::ServerError.
  explicit DatabaseTarget(const DatabaseOption& option, Use use = Use::run);

  DatabaseKind kind() const noexcept { return kind_of(option_); }
  const std::string& schema() const noexcept { return option_.schema; }

  // For people; never a password.
  const std::string& description() const noexcept { return description_; }

  run::RunPlace place() const;

  // run::IdentityOfDatabase.
  coro::Task<std::string> identity() const;

  // As the commands of a workload see it. They may outlive the target, unless it is the private server.
  std::unique_ptr<tpcc::Database> tpcc() const;
  std::unique_ptr<ycsb::Database> ycsb() const;
  std::unique_ptr<sql::Database> sql() const;

 private:
  DatabaseOption option_;
  std::optional<database::embedded::ServerLease> lease_;
  database::postgres::Access access_;  // to PostgreSQL
  std::string description_;
};

}  // namespace drover::cli
