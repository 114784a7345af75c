#include "workload/sql/ydb/database_on_ydb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <string_view>
#include <utility>

#include "database/ydb/database_access.h"
#include "database/ydb/value/bulk_rows.h"
#include "workload/sql/builtin/builtin.h"

namespace drover::sql::ydb {
namespace {

using coro::Task;
using database::ydb::BulkRows;
using database::ydb::Column;
using database::ydb::DatabaseAccess;
using database::ydb::Primitive;
using database::ydb::YdbDatabase;

// Some MiB, within the limit of a BulkUpsert request.
constexpr std::int64_t rows_at_a_time = 20'000;

constexpr std::array<Column, 3> account_columns = {
    {{"aid", Primitive::int64}, {"bid", Primitive::int32}, {"abalance", Primitive::int64}}};
constexpr std::array<Column, 3> teller_columns = {
    {{"tid", Primitive::int32}, {"bid", Primitive::int32}, {"tbalance", Primitive::int64}}};
constexpr std::array<Column, 2> branch_columns = {
    {{"bid", Primitive::int32}, {"bbalance", Primitive::int64}}};

// The table has partitions for `rows` rows, split by the first column of its key.
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

Task<std::vector<std::string>> existing_tables(DatabaseAccess& access) {
  std::vector<std::string> existing;
  for (const std::string& name : co_await access.table_names()) {
    if (std::ranges::find(pgbench_table_names, name) != pgbench_table_names.end()) {
      existing.push_back(name);
    }
  }
  std::ranges::sort(existing);
  co_return existing;
}

// Inserts the rows `first` to `last`. `add` adds the row of a number.
template <class Add>
Task<void> fill(DatabaseAccess& access, std::string_view table, std::span<const Column> columns,
                std::int64_t first, std::int64_t last, Add add) {
  while (first <= last) {
    BulkRows rows(columns);
    for (; first <= last && rows.rows() < rows_at_a_time; ++first) add(rows, first);
    co_await access.bulk_upsert(table, std::move(rows));
  }
}

void add_branch(BulkRows& rows, std::int64_t bid) {
  rows.add(static_cast<std::int32_t>(bid), std::int64_t{0}).end_row();
}

void add_teller(BulkRows& rows, std::int64_t tid) {
  const auto bid = static_cast<std::int32_t>((tid - 1) / tellers_per_branch + 1);
  rows.add(static_cast<std::int32_t>(tid), bid, std::int64_t{0}).end_row();
}

void add_account(BulkRows& rows, std::int64_t aid) {
  const auto bid = static_cast<std::int32_t>((aid - 1) / accounts_per_branch + 1);
  rows.add(aid, bid, std::int64_t{0}).end_row();
}

Task<std::vector<std::string>> drop_pgbench_tables(DatabaseAccess& access) {
  std::vector<std::string> existing = co_await existing_tables(access);
  for (const std::string& name : existing) {
    co_await access.change_scheme(fmt::format("DROP TABLE IF EXISTS {};", name));
  }
  co_return existing;
}

Task<std::vector<std::string>> make_pgbench_tables(DatabaseAccess& access,
                                                   InitialiseSettings settings) {
  co_await access.make_folder();
  std::vector<std::string> existing = co_await existing_tables(access);
  if (!settings.force) require_no_pgbench_tables(existing);
  const std::vector<std::string> dropped = co_await drop_pgbench_tables(access);
  for (const std::string& text : create_statements(settings.scale)) {
    co_await access.change_scheme(text);
  }
  const std::int64_t scale = settings.scale;
  co_await fill(access, "pgbench_tellers", teller_columns, 1, scale * tellers_per_branch,
                add_teller);
  for (std::int64_t branch = 1; branch <= scale; ++branch) {
    co_await fill(access, "pgbench_accounts", account_columns,
                  (branch - 1) * accounts_per_branch + 1, branch * accounts_per_branch,
                  add_account);
    if (settings.on_progress) settings.on_progress(branch);
  }
  // The branches come last, because a run reads the scale from them.
  co_await fill(access, "pgbench_branches", branch_columns, 1, scale, add_branch);
  co_return dropped;
}

Task<std::int64_t> count_branches(DatabaseAccess& access) {
  std::optional<std::int64_t> branches;
  const std::vector<std::string> existing = co_await existing_tables(access);
  if (std::ranges::find(existing, "pgbench_branches") != existing.end()) {
    const auto counted = co_await access.query("SELECT COUNT(*) FROM pgbench_branches;");
    branches = counted.set(0).at(0, 0).integer();
  }
  require_branches(branches);
  co_return *branches;
}

class DatabaseOnYdb final : public Database {
 public:
  explicit DatabaseOnYdb(YdbDatabase database) : database_(std::move(database)) {}

  Task<std::vector<std::string>> initialise(InitialiseSettings settings) const override {
    std::vector<std::string> dropped;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      dropped = co_await make_pgbench_tables(access, std::move(settings));
    };
    co_await DatabaseAccess::use(database_, body);
    co_return dropped;
  }

  Task<std::vector<std::string>> clean() const override {
    std::vector<std::string> dropped;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      dropped = co_await drop_pgbench_tables(access);
    };
    co_await DatabaseAccess::use(database_, body);
    co_return dropped;
  }

  Task<ScriptPreparation> prepare(bool count_branches) const override {
    ScriptPreparation prepared;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      prepared.server = co_await database::ydb::read_server_facts(access.client().options());
      if (count_branches) prepared.branches = co_await ydb::count_branches(access);
    };
    co_await DatabaseAccess::use(database_, body);
    co_return prepared;
  }

  // The server does not optimise this condition away, although no branch has the number 0.
  Task<void> require_isolation(database::Isolation isolation) const override {
    if (isolation != database::Isolation::snapshot) co_return;
    co_await database::ydb::require_snapshot_writes(
        database_, "UPDATE pgbench_branches SET bbalance = bbalance WHERE bid = 0;");
  }

  std::unique_ptr<database::Backend> make_backend(ScriptBackendSettings settings) const override {
    assert(settings.protocol == Protocol::declared);
    return ydb::make_backend(std::move(settings), database_);
  }

 private:
  YdbDatabase database_;
};

}  // namespace

std::unique_ptr<Database> make_database(YdbDatabase database) {
  return std::make_unique<DatabaseOnYdb>(std::move(database));
}

}  // namespace drover::sql::ydb
