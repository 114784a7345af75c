#include "cli/ydb_option.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "cli/usage_error.h"
#ifdef DROVER_WITH_YDB
#include "database/ydb/credentials.h"
#include "database/ydb/target.h"
#include "tpcc/ydb/database_on_ydb.h"
#include "tpcc/ydb/ydb_database.h"
#endif

namespace drover::cli {

void add_ydb_options(CLI::App& command, YdbOption& option) {
  command
      .add_option("--ydb-token-file", option.token_file,
                  "YDB: a file with the token that says who we are. Else YDB_TOKEN_FILE, "
                  "YDB_TOKEN, or YDB_USER with YDB_PASSWORD count, in this order")
      ->type_name("FILE")
      ->group("Database");
  command
      .add_option("--ydb-ca-file", option.ca_file,
                  "YDB: a file with the certificates of the authority to be believed (PEM); else "
                  "YDB_SSL_ROOT_CERTIFICATES_FILE, else those of this machine")
      ->type_name("FILE")
      ->group("Database");
  command
      .add_flag("--no-discovery", option.no_discovery,
                "YDB: use the host of --db alone, and not the nodes that it tells of: for nodes "
                "that cannot be reached from here by their names")
      ->group("Database");
}

std::string_view first_given(const YdbOption& option) noexcept {
  if (!option.token_file.empty()) return "--ydb-token-file";
  if (!option.ca_file.empty()) return "--ydb-ca-file";
  return option.no_discovery ? "--no-discovery" : "";
}

std::vector<std::string> words_of(const YdbOption& option) {
  std::vector<std::string> words;
  if (!option.token_file.empty()) {
    words.insert(words.end(), {"--ydb-token-file", option.token_file});
  }
  if (!option.ca_file.empty()) words.insert(words.end(), {"--ydb-ca-file", option.ca_file});
  if (option.no_discovery) words.emplace_back("--no-discovery");
  return words;
}

#ifdef DROVER_WITH_YDB

std::unique_ptr<tpcc::Database> database_on_ydb(const std::string& url, const std::string& schema,
                                                const YdbOption& option) {
  tpcc::ydb::YdbDatabase database;
  try {
    database.client.target = database::ydb::parse_target(url);
  } catch (const database::ydb::TargetError& error) {
    throw UsageError(fmt::format("--db: {}", error.what()));
  }
  try {
    database.client.credentials = database::ydb::find_credentials(
        {option.token_file, option.ca_file}, [](const char* name) { return std::getenv(name); });
    database.folder = tpcc::ydb::parse_folder(schema);
  } catch (const database::ydb::TargetError& error) {
    throw UsageError(error.what());
  }
  database.client.discovery = !option.no_discovery;
  return std::make_unique<tpcc::ydb::DatabaseOnYdb>(std::move(database));
}

#else

std::unique_ptr<tpcc::Database> database_on_ydb(const std::string&, const std::string&,
                                                const YdbOption&) {
  throw UsageError(
      "--db: this drover was built without the client of YDB. Install libgrpc-dev libprotobuf-dev "
      "protobuf-compiler (Debian), then configure and build it again");
}

#endif

}  // namespace drover::cli
