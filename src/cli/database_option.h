// --db and --schema, the same for every command that talks to a database.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "database/embedded/server_lease.h"

namespace drover::cli {

struct DatabaseOption {
  std::string db;      // empty: the private server
  std::string schema;  // empty: as the server's search_path has it
};

// Adds --db (also by the variable DROVER_DB) and --schema to a command.
void add_database_options(CLI::App& command, DatabaseOption& option);

// Where a command works: a database of the user's, or the private server, which runs at least as
// long as this object.
class DatabaseTarget {
 public:
  // Throws UsageError (a string that libpq cannot read) or database::embedded::ServerError.
  explicit DatabaseTarget(const DatabaseOption& option);

  const std::string& conninfo() const noexcept { return conninfo_; }
  const std::string& schema() const noexcept { return schema_; }

  // For people; never a password.
  std::string description() const;

 private:
  std::optional<database::embedded::ServerLease> lease_;
  std::string conninfo_;
  std::string schema_;
};

}  // namespace drover::cli
