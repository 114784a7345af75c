#include "cli/database_option.h"

#include <fmt/format.h>

#include "cli/usage_error.h"
#include "database/postgres/connection.h"

namespace drover::cli {

void add_database_options(CLI::App& command, DatabaseOption& option) {
  command
      .add_option("--db", option.db,
                  "The database: a libpq URI or connection string, e.g. "
                  "postgresql://user@host:5432/name; what it leaves open comes from the PG* "
                  "variables. Without it: the private server (see drover pg)")
      ->envname("DROVER_DB")
      ->type_name("URI")
      ->group("Database");
  command
      .add_option("--schema", option.schema,
                  "The schema of the tables (default: the first of the search_path)")
      ->type_name("NAME")
      ->group("Database");
}

DatabaseTarget::DatabaseTarget(const DatabaseOption& option)
    : conninfo_(option.db), schema_(option.schema) {
  if (schema_.size() > 63) {
    throw UsageError("--schema: a name in PostgreSQL has at most 63 bytes");
  }
  if (conninfo_.empty()) {
    lease_.emplace(database::embedded::ServerLease::acquire());
    conninfo_ = lease_->conninfo();
    return;
  }
  if (const auto scheme_end = conninfo_.find("://"); scheme_end != std::string::npos) {
    const std::string scheme = conninfo_.substr(0, scheme_end);
    if (scheme != "postgresql" && scheme != "postgres") {
      throw UsageError(
          fmt::format("--db: unknown kind of database {}://; expected postgresql://…", scheme));
    }
  } else if (conninfo_.find('=') == std::string::npos) {
    throw UsageError(
        "--db: expected a URI (postgresql://user@host/name) or a connection string (host=… "
        "dbname=…)");
  }
  if (const auto problem = database::postgres::conninfo_problem(conninfo_)) {
    throw UsageError(fmt::format("--db: {}", *problem));
  }
}

std::string DatabaseTarget::description() const {
  if (lease_) return "the private server";
  return database::postgres::describe_conninfo(conninfo_);
}

}  // namespace drover::cli
