#include "workload/sql/ydb/pgbench_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "database/unfit_schema.h"
#include "database/ydb/partitions.h"
#include "database/ydb/value/bulk_rows.h"
#include "workload/sql/builtin/pgbench_schema.h"

namespace drover::sql::ydb {

using coro::Task;
using database::UnfitSchema;
using database::ydb::BulkRows;
using database::ydb::Column;
using database::ydb::DatabaseAccess;
using database::ydb::Primitive;

namespace {

// Some MiB, as a request of BulkUpsert may have.
constexpr std::int64_t rows_at_a_time = 20'000;

constexpr std::array<Column, 3> account_columns = {
    {{"aid", Primitive::int64}, {"bid", Primitive::int32}, {"abalance", Primitive::int64}}};
constexpr std::array<Column, 3> teller_columns = {
    {{"tid", Primitive::int32}, {"bid", Primitive::int32}, {"tbalance", Primitive::int64}}};
constexpr std::array<Column, 2> branch_columns = {
    {{"bid", Primitive::int32}, {"bbalance", Primitive::int64}}};

// With as many partitions as a table of `rows` rows has to begin with; they are cut by the first column of its key.
std::string create_statement(std::string_view name, std::string_view columns, std::int64_t rows) {
  const std::vector<std::string> keys = database::ydb::keys_of_ranges(rows);
  return fmt::format("CREATE TABLE IF NOT EXISTS {} ({}){};", name, columns,
                     database::ydb::partition_settings(keys.size() + 1, keys));
}

std::array<std::string, 4> create_statements(std::int64_t scale) {
  const std::int64_t accounts = scale * accounts_per_branch;
  return {
      create_statement("pgbench_accounts",
                       "aid Int64 NOT NULL, bid Int32, abalance Int64, filler Utf8, "
                       "PRIMARY KEY (aid)",
                       accounts),
      create_statement("pgbench_branches",
                       "bid Int32 NOT NULL, bbalance Int64, filler Utf8, PRIMARY KEY (bid)", scale),
      create_statement("pgbench_history",
                       "aid Int64 NOT NULL, mtime Timestamp NOT NULL, tid Int32, bid Int32, "
                       "delta Int64, filler Utf8, PRIMARY KEY (aid, mtime)",
                       accounts),
      create_statement("pgbench_tellers",
                       "tid Int32 NOT NULL, bid Int32, tbalance Int64, filler Utf8, "
                       "PRIMARY KEY (tid)",
                       scale * tellers_per_branch)};
}

Task<std::vector<std::string>> tables_there(DatabaseAccess& access) {
  std::vector<std::string> there;
  for (const std::string& name : co_await access.table_names()) {
    if (std::ranges::find(pgbench_table_names, name) != pgbench_table_names.end()) {
      there.push_back(name);
    }
  }
  std::ranges::sort(there);
  co_return there;
}

// The rows `first` to `last` of a table: their number, their branch, and the balance 0.
template <class Number>
Task<void> fill(DatabaseAccess& access, std::string_view table, std::span<const Column> columns,
                std::int64_t first, std::int64_t last, std::int64_t rows_of_branch) {
  while (first <= last) {
    BulkRows rows(columns);
    for (; first <= last && rows.rows() < rows_at_a_time; ++first) {
      const auto branch = static_cast<std::int32_t>((first - 1) / rows_of_branch + 1);
      rows.add(static_cast<Number>(first), branch, std::int64_t{0}).end_row();
    }
    co_await access.bulk_upsert(table, std::move(rows));
  }
}

Task<void> fill_branches(DatabaseAccess& access, std::int64_t scale) {
  for (std::int64_t branch = 1; branch <= scale;) {
    BulkRows rows(branch_columns);
    for (; branch <= scale && rows.rows() < rows_at_a_time; ++branch) {
      rows.add(static_cast<std::int32_t>(branch), std::int64_t{0}).end_row();
    }
    co_await access.bulk_upsert("pgbench_branches", std::move(rows));
  }
}

}  // namespace

Task<std::vector<std::string>> drop_pgbench_tables(DatabaseAccess& access) {
  std::vector<std::string> there = co_await tables_there(access);
  for (const std::string& name : there) {
    co_await access.change_scheme(fmt::format("DROP TABLE IF EXISTS {};", name));
  }
  co_return there;
}

Task<std::vector<std::string>> make_pgbench_tables(DatabaseAccess& access,
                                                   InitialiseSettings settings) {
  co_await access.make_folder();
  std::vector<std::string> there = co_await tables_there(access);
  if (!settings.force) refuse_tables_there(there);
  const std::vector<std::string> dropped = co_await drop_pgbench_tables(access);
  for (const std::string& text : create_statements(settings.scale)) {
    co_await access.change_scheme(text);
  }
  co_await fill<std::int32_t>(access, "pgbench_tellers", teller_columns, 1,
                              settings.scale * tellers_per_branch, tellers_per_branch);
  for (std::int64_t branch = 0; branch < settings.scale; ++branch) {
    co_await fill<std::int64_t>(access, "pgbench_accounts", account_columns,
                                branch * accounts_per_branch + 1,
                                (branch + 1) * accounts_per_branch, accounts_per_branch);
    if (settings.on_progress) settings.on_progress(branch + 1);
  }
  co_await fill_branches(access, settings.scale);
  co_return dropped;
}

Task<std::int64_t> count_branches(DatabaseAccess& access) {
  const std::vector<std::string> there = co_await tables_there(access);
  if (std::ranges::find(there, "pgbench_branches") == there.end()) refuse_no_branches(false);
  const database::ydb::QueryResult counted =
      co_await access.query("SELECT COUNT(*) FROM pgbench_branches;");
  const std::int64_t branches = counted.set(0).at(0, 0).integer();
  if (branches == 0) refuse_no_branches(true);
  co_return branches;
}

}  // namespace drover::sql::ydb
