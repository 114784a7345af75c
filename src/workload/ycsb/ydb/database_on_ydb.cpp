#include "workload/ycsb/ydb/database_on_ydb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <set>
#include <utility>

#include "database/ydb/database_access.h"
#include "database/ydb/ydb_error.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/load_record.h"
#include "workload/ycsb/preparation.h"
#include "workload/ycsb/ydb/ydb_backend.h"

namespace drover::ycsb::ydb {

using coro::Task;
using database::ydb::DatabaseAccess;
using database::ydb::QueryResult;
using database::ydb::YdbAdminSession;
using database::ydb::YdbDatabase;

namespace {

void require_name(std::string_view property, std::string_view name) {
  const auto is_of_name = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
  };
  if (!name.empty() && name.front() != '.' && std::ranges::all_of(name, is_of_name)) return;
  throw PropertyError(
      fmt::format("{}={}: on YDB, the name consists of letters, digits, '_', '-' and '.', and does "
                  "not begin with '.'",
                  property, name));
}

// Returns the CREATE TABLE statement of a table with partitions for all rows of the properties.
std::string create_table_text(const Table& table, const Properties& properties) {
  std::string columns = fmt::format("{} Utf8 NOT NULL", key_column);
  for (const std::string& field : table.fields) columns += fmt::format(", {} Utf8", field);
  const std::size_t partitions = partitions_wanted(properties);
  std::vector<std::string> keys;
  for (const std::string& key : split_keys(properties, partitions)) {
    keys.push_back(fmt::format("\"{}\"", key));
  }
  return fmt::format("CREATE TABLE IF NOT EXISTS {} ({}, PRIMARY KEY ({})){};", table.name, columns,
                     key_column, database::ydb::partition_settings(partitions, keys));
}

std::array<std::string, 2> create_record_tables_texts() {
  return {fmt::format("CREATE TABLE IF NOT EXISTS {} (table_name Utf8 NOT NULL, format_version "
                      "Int32, layout Utf8, PRIMARY KEY (table_name));",
                      record_table),
          fmt::format("CREATE TABLE IF NOT EXISTS {} (table_name Utf8 NOT NULL, first_row Uint64 "
                      "NOT NULL, row_count Uint64, PRIMARY KEY (table_name, first_row));",
                      loaded_table)};
}

class YdbTableReader final : public AdminTableReader {
 public:
  YdbTableReader(DatabaseAccess& access, YdbAdminSession& session, const Properties& properties)
      : AdminTableReader(session, table_of(properties), properties), access_(access) {}

  Task<database::ServerFacts> read_server_facts() override {
    return database::ydb::read_server_facts(access_.client().options());
  }

  Task<std::vector<std::uint64_t>> rows_there(std::uint64_t begin, std::uint64_t rows) override {
    const std::vector<std::string> keys = keys_of_rows(properties_, begin, rows);
    const QueryResult result = co_await find_rows(access_, table_, key_column, keys);
    std::set<std::string_view> found;
    for (std::size_t row = 0; row < result.set(0).rows(); ++row) {
      found.insert(result.set(0).at(row, 0).text());
    }
    std::vector<std::uint64_t> there;
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (found.contains(keys[i])) there.push_back(begin + i);
    }
    co_return there;
  }

 protected:
  std::string columns_query() const override {
    return fmt::format("SELECT {}, {} FROM {} LIMIT 1", key_column, table_.all_fields, table_.name);
  }
  std::string version_of(const std::string& field) const override {
    return fmt::format("COALESCE(CAST(Unicode::Substring({}, 0, {}) AS Uint64), 0ul)", field,
                       version_size);
  }

 private:
  DatabaseAccess& access_;
};

class DatabaseOnYdb final : public Database {
 public:
  explicit DatabaseOnYdb(YdbDatabase database) : database_(std::move(database)) {}

  Task<LoadProgress> load(LoadSettings settings) const override {
    return ydb::load(database_, std::move(settings));
  }

  Task<RunPreparation> prepare(Properties properties,
                               std::optional<TableContents> known) const override {
    RunPreparation prepared;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      YdbAdminSession session(access);
      YdbTableReader table(access, session, properties);
      prepared = co_await prepare_run(table, properties, known);
    };
    co_await DatabaseAccess::use(without_limit(), body);
    co_return prepared;
  }

  // Tries a write to no row: no key is empty. The server would remove a condition that is never
  // true.
  Task<database::Isolation> choose_isolation(Properties properties,
                                             std::optional<database::Isolation> wanted,
                                             const database::ServerFacts&) const override {
    const auto isolation = wanted.value_or(database::Isolation::serializable);
    if (isolation != database::Isolation::snapshot) co_return isolation;
    const Table table = table_of(properties);
    co_await database::ydb::require_snapshot_writes(
        database_, fmt::format("UPDATE {0} SET {1} = {1} WHERE {2} = \"\"u;", table.name,
                               table.fields[0], key_column));
    co_return isolation;
  }

  Task<TableSums> read_sums(Properties properties, ValueKind values) const override {
    TableSums sums;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      YdbAdminSession session(access);
      YdbTableReader table(access, session, properties);
      sums = co_await table.read_sums(values);
    };
    co_await DatabaseAccess::use(without_limit(), body);
    co_return sums;
  }

  Task<CheckReport> check(CheckSettings settings) const override {
    return ydb::check(database_, std::move(settings));
  }

  Task<std::vector<std::string>> clean(std::string name) const override {
    Properties properties;
    properties.table = std::move(name);
    const Table table = table_of(properties);
    std::vector<std::string> dropped;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      YdbAdminSession session(access);
      dropped = co_await drop_table(session, table);
    };
    co_await DatabaseAccess::use(database_, body);
    co_return dropped;
  }

  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override {
    assert(settings.isolation == database::Isolation::serializable ||
           settings.isolation == database::Isolation::snapshot);
    return std::make_unique<YdbBackend>(database_, std::move(settings));
  }

 private:
  // For a pass over the table, which takes a time that grows with the table.
  YdbDatabase without_limit() const {
    YdbDatabase database = database_;
    database.client.request_timeout = {};
    return database;
  }

  YdbDatabase database_;
};

}  // namespace

Table table_of(const Properties& properties) {
  require_name("table", properties.table);
  require_name("fieldnameprefix", properties.field_name_prefix);
  return {properties.table, properties.field_name_prefix, properties.field_count,
          [](std::string_view name) { return fmt::format("`{}`", name); }};
}

std::vector<std::string> split_keys(const Properties& properties, std::size_t ranges) {
  constexpr std::uint64_t samples_of_range = 64;
  const auto rows = static_cast<std::uint64_t>(properties.record_count);
  const std::uint64_t samples = std::min<std::uint64_t>(rows, ranges * samples_of_range);
  std::vector<std::string> sampled;
  for (std::uint64_t i = 0; i < samples; ++i) {
    // i * rows / samples, without overflow.
    const std::uint64_t number = i * (rows / samples) + i * (rows % samples) / samples;
    sampled.emplace_back(KeyName(number, properties).view());
  }
  std::ranges::sort(sampled);
  std::vector<std::string> keys;
  for (std::uint64_t range = 1; range < std::min<std::uint64_t>(ranges, samples); ++range) {
    keys.push_back(sampled[range * samples / ranges]);
  }
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  return keys;
}

std::size_t partitions_wanted(const Properties& properties) {
  constexpr std::uint64_t rows_of_partition_least = 100;
  // Below the limit of a server, which splits further.
  constexpr std::uint64_t most = 10'000;
  const auto rows = static_cast<std::uint64_t>(properties.record_count);
  const auto row_bytes =
      static_cast<std::uint64_t>(properties.field_count * properties.field_length);
  constexpr std::uint64_t partition_bytes =
      std::uint64_t{database::ydb::partition_megabytes} * 1'000'000;
  const std::uint64_t rows_that_fit =
      std::max<std::uint64_t>(partition_bytes / std::max<std::uint64_t>(row_bytes, 1), 1);
  const std::uint64_t wanted =
      std::max<std::uint64_t>(database::ydb::partitions_least, rows / rows_that_fit);
  return std::clamp<std::uint64_t>(rows / rows_of_partition_least, 1, std::min(wanted, most));
}

Task<bool> begin_load(DatabaseAccess& access, const Table& table, const Properties& properties) {
  YdbAdminSession session(access);
  co_await access.make_folder();
  const std::vector<bool> exists = co_await session.tables_exist({table.plain_name});
  for (std::string& text : create_record_tables_texts()) {
    co_await session.change_tables(std::move(text));
  }
  if (!exists[0]) co_await forget_table(session, table);
  co_await session.change_tables(create_table_text(table, properties));
  try {
    co_await record_layout(session, table, properties);
    co_return !exists[0];
  } catch (const database::ydb::YdbError& error) {
    if (error.status() != database::ydb::Status::precondition_failed) throw;
  }
  // Another load has recorded its layout at the same time. Now the record is found.
  co_await record_layout(session, table, properties);
  co_return !exists[0];
}

Task<QueryResult> find_rows(DatabaseAccess& access, const Table& table, std::string_view columns,
                            std::vector<std::string> keys) {
  return access.query(
      fmt::format("DECLARE $keys AS List<Utf8>;\nSELECT {} FROM {} WHERE {} IN $keys;", columns,
                  table.name, key_column),
      [keys = std::move(keys)] {
        database::ydb::Parameters parameters;
        parameters.add_list("$keys", keys);
        return parameters;
      });
}

std::unique_ptr<Database> make_database(YdbDatabase database) {
  return std::make_unique<DatabaseOnYdb>(std::move(database));
}

}  // namespace drover::ycsb::ydb
