#include "cli/database_option.h"

#include <fmt/format.h>

#include <utility>

#include "cli/usage_error.h"
#include "database/postgres/connection.h"
#include "tpcc/postgres/database_on_postgres.h"

namespace drover::cli {
namespace {

void require_postgres(const DatabaseOption& option) {
  if (const std::string_view name = first_given(option.ydb); !name.empty()) {
    throw UsageError(fmt::format("{}: of use with a database of YDB only (--db ydb://…)", name));
  }
  if (option.schema.size() > 63) {
    throw UsageError("--schema: a name in PostgreSQL has at most 63 bytes");
  }
}

void require_conninfo(const std::string& conninfo) {
  if (const auto scheme_end = conninfo.find("://"); scheme_end != std::string::npos) {
    const std::string scheme = conninfo.substr(0, scheme_end);
    if (scheme != "postgresql" && scheme != "postgres") {
      throw UsageError(fmt::format(
          "--db: unknown kind of database {}://; expected postgresql://… or ydb://…", scheme));
    }
  } else if (conninfo.find('=') == std::string::npos) {
    throw UsageError(
        "--db: expected a URI (postgresql://user@host/name, ydb://host:2136/Root/name) or a "
        "connection string (host=… dbname=…)");
  }
  if (const auto problem = database::postgres::conninfo_problem(conninfo)) {
    throw UsageError(fmt::format("--db: {}", *problem));
  }
}

}  // namespace

DatabaseKind kind_of(const DatabaseOption& option) noexcept {
  const bool ydb = option.db.starts_with("ydb://") || option.db.starts_with("ydbs://");
  return ydb ? DatabaseKind::ydb : DatabaseKind::postgres;
}

void add_database_options(CLI::App& command, DatabaseOption& option) {
  command
      .add_option("--db", option.db,
                  "The database: a libpq URI or connection string, e.g. "
                  "postgresql://user@host:5432/name, where what it leaves open comes from the PG* "
                  "variables; or ydb://host:2136/Root/name (ydbs:// with TLS). Without it: the "
                  "private server (see drover pg)")
      ->envname("DROVER_DB")
      ->type_name("URI")
      ->group("Database");
  command
      .add_option("--schema", option.schema,
                  "The schema of the tables (default: the first of the search_path); on YDB a "
                  "folder below the database (default: the database itself)")
      ->type_name("NAME")
      ->group("Database");
  add_ydb_options(command, option.ydb);
}

std::vector<std::string> words_without_db(const DatabaseOption& option) {
  std::vector<std::string> words = {"--schema", option.schema};
  for (std::string& word : words_of(option.ydb)) words.push_back(std::move(word));
  return words;
}

DatabaseTarget::DatabaseTarget(const DatabaseOption& option)
    : kind_(kind_of(option)), schema_(option.schema) {
  if (kind_ == DatabaseKind::ydb) {
    database_ = database_on_ydb(option.db, option.schema, option.ydb);
    return;
  }
  require_postgres(option);
  std::string conninfo = option.db;
  if (conninfo.empty()) {
    lease_.emplace(database::embedded::ServerLease::acquire());
    conninfo = lease_->conninfo();
  } else {
    require_conninfo(conninfo);
  }
  database_ = std::make_unique<tpcc::postgres::DatabaseOnPostgres>(std::move(conninfo), schema_);
}

std::string DatabaseTarget::description() const {
  return lease_ ? "the private server" : database_->description();
}

}  // namespace drover::cli
