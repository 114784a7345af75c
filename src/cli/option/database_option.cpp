#include "cli/option/database_option.h"

#include <fmt/format.h>

#include <atomic>
#include <cctype>
#include <cstdlib>

#include "cli/standard_output.h"
#include "database/postgres/connection.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/session_setup.h"
#include "text/utf8.h"
#include "workload/sql/postgres/database_on_postgres.h"
#include "workload/tpcc/postgres/database_on_postgres.h"
#include "workload/ycsb/postgres/database_on_postgres.h"
#ifdef DROVER_WITH_YDB
#include "database/ydb/database_access.h"
#include "database/ydb/target.h"
#include "workload/sql/ydb/database_on_ydb.h"
#include "workload/tpcc/ydb/database_on_ydb.h"
#include "workload/ycsb/ydb/database_on_ydb.h"
#endif

namespace drover::cli {
namespace {

void require_password_place(const DatabaseOption& option) {
  if (option.password_command.empty()) return;
  if (option.db.empty()) {
    throw UsageError("--password-command needs --db: the private server needs no password");
  }
  if (database::postgres::has_password(option.db)) {
    throw UsageError("--db and --password-command both give a password. Leave out one of them");
  }
}

// Returns true if the text begins with a scheme and "://". A connection string may contain "://"
// within a value.
bool begins_with_scheme(std::string_view text) noexcept {
  const auto is_of_scheme = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
  };
  const auto scheme_end = std::ranges::find_if_not(text, is_of_scheme) - text.begin();
  return text.substr(static_cast<std::size_t>(scheme_end)).starts_with("://");
}

// Messages do not quote the string, because it may contain a password.
void require_conninfo(const std::string& conninfo) {
  if (begins_with_scheme(conninfo)) {
    if (!conninfo.starts_with("postgresql://") && !conninfo.starts_with("postgres://")) {
      throw UsageError("--db: the URI has an unknown scheme. Expected postgresql://… or ydb://…");
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

#ifdef DROVER_WITH_YDB

database::ydb::YdbDatabase ydb_database(const DatabaseOption& option) {
  database::ydb::YdbDatabase database;
  try {
    database.client.target = database::ydb::parse_target(option.db);
  } catch (const database::ydb::TargetError& error) {
    throw UsageError(fmt::format("--db: {}", error.what()));
  }
  try {
    database.client.credentials =
        database::ydb::find_credentials({option.ydb_token_file, option.ydb_ca_file},
                                        [](const char* name) { return std::getenv(name); });
    database.folder = database::ydb::parse_folder(option.schema);
  } catch (const database::ydb::TargetError& error) {
    throw UsageError(error.what());
  }
  database.client.discovery = !option.no_discovery;
  return database;
}

#endif

Choices<database::Dialect> dialects() {
  Choices<database::Dialect> choices;
  for (const database::postgres::DialectTraits& one : database::postgres::all_dialects()) {
    choices.emplace_back(one.name, one.dialect);
  }
  return choices;
}

}  // namespace

DatabaseKind kind_of(const DatabaseOption& option) noexcept {
  const bool ydb = option.db.starts_with("ydb://") || option.db.starts_with("ydbs://");
  return ydb ? DatabaseKind::ydb : DatabaseKind::postgres;
}

std::vector<std::string> hosts_of(const DatabaseOption& option) {
  if (option.db.empty() || kind_of(option) == DatabaseKind::ydb) return {};
  require_conninfo(option.db);
  return database::postgres::Connection::hosts_of(option.db);
}

void add_database_options(Command& command, DatabaseOption& option) {
  command.add_options(
      database_group,
      {{"--db",
        &option.db,
        "URI",
        "Database: postgresql://user@host:5432/name, a libpq connection string, or "
        "ydb[s]://host:2136/Root/name",
        {.default_text = "private server", .common = true, .variable = "DROVER_DB"}},
       {"--schema", &option.schema, "NAME",
        option.schema.empty()
            ? "Schema of the tables (default: the first schema of the search_path). YDB: folder "
              "below the database (default: the database itself)"
            : "Schema of the tables. YDB: folder below the database"},
       {"--dialect", one_of(&option.dialect, dialects()), "auto|postgres|cockroach|yugabyte|citus",
        "SQL dialect of a server with PostgreSQL's protocol. auto: detect. cockroach, yugabyte: "
        "experimental, not tested on a server",
        on_postgres},
       {"--password-command", &option.password_command, "COMMAND",
        "PostgreSQL: for each new connection, run COMMAND with /bin/sh. The first line of its "
        "output is the password",
        on_postgres + instead("For YDB, use --ydb-token-file")},
       {"--ydb-token-file", &option.ydb_token_file, "FILE",
        "YDB: read the authentication token from FILE. Default: the variables YDB_TOKEN_FILE, "
        "YDB_TOKEN, then YDB_USER with YDB_PASSWORD",
        on_ydb},
       {"--ydb-ca-file", &option.ydb_ca_file, "FILE",
        "YDB: trust the certificate authorities in FILE (PEM). Default: "
        "YDB_SSL_ROOT_CERTIFICATES_FILE, then the system's authorities",
        on_ydb},
       {"--no-discovery", &option.no_discovery, "",
        "YDB: connect only to the host of --db, not to the nodes that this host reports", on_ydb}});
}

DatabaseTarget::DatabaseTarget(const DatabaseOption& option, Use use) : option_(option) {
  if (kind() == DatabaseKind::ydb) {
#ifdef DROVER_WITH_YDB
    description_ = ydb_database(option).client.target.url();
    return;
#else
    throw UsageError(
        "--db: this drover was built without support for YDB. Install libgrpc-dev libprotobuf-dev "
        "protobuf-compiler (Debian), then configure and build drover again");
#endif
  }
  if (option.schema.size() > 63) {
    throw UsageError("--schema: the name is too long. PostgreSQL allows at most 63 bytes");
  }
  if (!option.db.empty()) require_conninfo(option.db);
  require_password_place(option);
  access_.schema = option.schema;
  access_.password_command = option.password_command;
  access_.dialect = option.dialect;
  access_.on_session_note = note_to_stderr;
  if (use == Use::administration) access_.support_told = std::make_shared<std::atomic_flag>();
  if (option.db.empty()) {
    lease_.emplace(database::embedded::ServerLease::acquire());
    access_.conninfo = lease_->conninfo();
    description_ = "the private server";
  } else {
    access_.conninfo = option.db;
    description_ = database::postgres::describe_conninfo(option.db);
  }
}

run::RunPlace DatabaseTarget::place() const {
  return {kind(), kind() == DatabaseKind::ydb ? "YDB" : "PostgreSQL", schema(), description_,
          [this] { return identity(); }};
}

coro::Task<std::string> DatabaseTarget::identity() const {
  if (kind() == DatabaseKind::ydb) co_return std::string();
  const auto connection = co_await database::postgres::open_in_schema(access_);
  co_return co_await database::postgres::read_identity(*connection);
}

std::unique_ptr<tpcc::Database> DatabaseTarget::tpcc() const {
#ifdef DROVER_WITH_YDB
  if (kind() == DatabaseKind::ydb) return tpcc::ydb::make_database(ydb_database(option_));
#endif
  return tpcc::postgres::make_database(access_);
}

std::unique_ptr<ycsb::Database> DatabaseTarget::ycsb() const {
#ifdef DROVER_WITH_YDB
  if (kind() == DatabaseKind::ydb) return ycsb::ydb::make_database(ydb_database(option_));
#endif
  return ycsb::postgres::make_database(access_);
}

std::unique_ptr<sql::Database> DatabaseTarget::sql() const {
#ifdef DROVER_WITH_YDB
  if (kind() == DatabaseKind::ydb) return sql::ydb::make_database(ydb_database(option_));
#endif
  return sql::postgres::make_database(access_);
}

}  // namespace drover::cli
