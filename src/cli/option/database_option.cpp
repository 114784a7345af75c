#include "cli/option/database_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>

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

// The words that say what only YDB has.
std::vector<std::string> words_of_ydb(const DatabaseOption& option) {
  std::vector<std::string> words;
  const auto add = [&](const char* name, const std::string& file) {
    if (!file.empty()) words.insert(words.end(), {name, file});
  };
  add("--ydb-token-file", option.ydb_token_file);
  add("--ydb-ca-file", option.ydb_ca_file);
  if (option.no_discovery) words.emplace_back("--no-discovery");
  return words;
}

void require_postgres(const DatabaseOption& option) {
  if (option.schema.size() > 63) {
    throw UsageError("--schema: the name is too long. PostgreSQL allows at most 63 bytes");
  }
}

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

std::unique_ptr<tpcc::Database> tpcc_on_ydb(const DatabaseOption& option) {
  return tpcc::ydb::make_database(ydb_database(option));
}

std::unique_ptr<ycsb::Database> ycsb_on_ydb(const DatabaseOption& option) {
  return ycsb::ydb::make_database(ydb_database(option));
}

std::unique_ptr<sql::Database> sql_on_ydb(const DatabaseOption& option) {
  return sql::ydb::make_database(ydb_database(option));
}

std::string describe_ydb(const DatabaseOption& option) {
  return ydb_database(option).client.target.url();
}

#else

[[noreturn]] void refuse_ydb() {
  throw UsageError(
      "--db: this drover was built without support for YDB. Install libgrpc-dev libprotobuf-dev "
      "protobuf-compiler (Debian), then configure and build drover again");
}

std::unique_ptr<tpcc::Database> tpcc_on_ydb(const DatabaseOption&) {
  refuse_ydb();
}

std::unique_ptr<ycsb::Database> ycsb_on_ydb(const DatabaseOption&) {
  refuse_ydb();
}

std::unique_ptr<sql::Database> sql_on_ydb(const DatabaseOption&) {
  refuse_ydb();
}

std::string describe_ydb(const DatabaseOption&) {
  refuse_ydb();
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
       {"--dialect",
        {&option.dialect, dialects()},
        "auto|postgres|cockroach|yugabyte|citus",
        "SQL dialect of a server with PostgreSQL's protocol. auto: detect. cockroach, yugabyte: "
        "experimental, not tested on a server",
        {.only_on = OnlyOn::postgres}},
       {"--password-command",
        &option.password_command,
        "COMMAND",
        "PostgreSQL: for each new connection, run COMMAND with /bin/sh. The first line of its "
        "output is the password",
        {.only_on = OnlyOn::postgres, .instead = "For YDB, use --ydb-token-file"}},
       {"--ydb-token-file",
        &option.ydb_token_file,
        "FILE",
        "YDB: read the authentication token from FILE. Default: the variables YDB_TOKEN_FILE, "
        "YDB_TOKEN, then YDB_USER with YDB_PASSWORD",
        {.only_on = OnlyOn::ydb}},
       {"--ydb-ca-file",
        &option.ydb_ca_file,
        "FILE",
        "YDB: trust the certificate authorities in FILE (PEM). Default: "
        "YDB_SSL_ROOT_CERTIFICATES_FILE, then the system's authorities",
        {.only_on = OnlyOn::ydb}},
       {"--no-discovery",
        &option.no_discovery,
        "",
        "YDB: connect only to the host of --db, not to the nodes that this host reports",
        {.only_on = OnlyOn::ydb}}});
}

std::vector<std::string> words_without_db(const DatabaseOption& option) {
  std::vector<std::string> words = words_of_ydb(option);
  words.insert(words.begin(), {"--schema", option.schema});
  if (option.dialect) {
    words.insert(words.end(),
                 {"--dialect", std::string(database::postgres::traits_of(*option.dialect).name)});
  }
  if (!option.password_command.empty()) {
    words.insert(words.end(), {"--password-command", option.password_command});
  }
  return words;
}

DatabaseTarget::DatabaseTarget(const DatabaseOption& option, Use use) : option_(option) {
  if (kind() == DatabaseKind::ydb) {
    description_ = describe_ydb(option);
    return;
  }
  require_postgres(option);
  access_.schema = option.schema;
  access_.password_command = option.password_command;
  access_.dialect = option.dialect;
  access_.on_session_note = note_to_stderr;
  if (use == Use::administration) access_.support_told = std::make_shared<std::atomic_flag>();
  if (option.db.empty()) {
    require_password_place(option);
    lease_.emplace(database::embedded::ServerLease::acquire());
    access_.conninfo = lease_->conninfo();
    description_ = "the private server";
  } else {
    require_conninfo(option.db);
    require_password_place(option);
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
  if (kind() == DatabaseKind::ydb) return tpcc_on_ydb(option_);
  return tpcc::postgres::make_database(access_);
}

std::unique_ptr<ycsb::Database> DatabaseTarget::ycsb() const {
  if (kind() == DatabaseKind::ydb) return ycsb_on_ydb(option_);
  return ycsb::postgres::make_database(access_);
}

std::unique_ptr<sql::Database> DatabaseTarget::sql() const {
  if (kind() == DatabaseKind::ydb) return sql_on_ydb(option_);
  return sql::postgres::make_database(access_);
}

}  // namespace drover::cli
