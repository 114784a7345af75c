#include "workload/ycsb/ydb/load_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "database/ydb/ydb_error.h"
#include "workload/ycsb/ydb/table_rows.h"

namespace drover::ycsb::ydb {

using coro::Task;
using database::ydb::BulkRows;
using database::ydb::Column;
using database::ydb::DatabaseAccess;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;

namespace {

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Task<QueryResult> query_of_table(DatabaseAccess& access, const Table& table, std::string text) {
  return access.query("DECLARE $table AS Utf8;\n" + text, [&table] {
    Parameters parameters;
    parameters.add("$table", Primitive::utf8, table.plain_name());
    return parameters;
  });
}

std::array<std::string, 2> create_record_tables() {
  return {fmt::format("CREATE TABLE IF NOT EXISTS {} (table_name Utf8 NOT NULL, format_version "
                      "Int32, layout Utf8, PRIMARY KEY (table_name));",
                      record_table),
          fmt::format("CREATE TABLE IF NOT EXISTS {} (table_name Utf8 NOT NULL, first_row Uint64 "
                      "NOT NULL, row_count Uint64, PRIMARY KEY (table_name, first_row));",
                      loaded_table)};
}

// What is recorded of this table, or of one of its name that somebody has dropped.
Task<void> forget(DatabaseAccess& access, const Table& table) {
  for (const std::string_view ours : {loaded_table, record_table}) {
    co_await query_of_table(access, table,
                            fmt::format("DELETE FROM {} WHERE table_name = $table;", ours));
  }
}

// Throws UnfitSchema if the table lacks YCSB's key column.
Task<void> require_key_column(DatabaseAccess& access, const Table& table) {
  try {
    co_await access.query(fmt::format("SELECT {} FROM {} LIMIT 1;", key_column, table.name()));
  } catch (const database::ydb::YdbError& error) {
    if (!is_of_text(error)) throw;
    refuse_foreign_table(table.plain_name());
  }
}

Task<void> require_no_other_rows(DatabaseAccess& access, const Table& table) {
  const QueryResult found =
      co_await access.query(fmt::format("SELECT {} FROM {} LIMIT 1;", key_column, table.name()));
  if (found.set(0).rows() > 0) refuse_unrecorded_rows(table.plain_name());
}

// Whoever comes first: another load that is quicker has recorded its own.
Task<void> write_layout(DatabaseAccess& access, const Table& table, const Properties& properties) {
  const auto parameters = [&] {
    Parameters made;
    made.add("$table", Primitive::utf8, table.plain_name());
    made.add("$format", Primitive::int32, record_format);
    made.add("$layout", Primitive::utf8, layout_of(properties));
    return made;
  };
  try {
    co_await access.query(
        fmt::format("DECLARE $table AS Utf8;\nDECLARE $format AS Int32;\nDECLARE $layout AS Utf8;\n"
                    "INSERT INTO {} (table_name, format_version, layout) "
                    "VALUES ($table, $format, $layout);",
                    record_table),
        parameters);
  } catch (const database::ydb::YdbError& error) {
    if (error.status() != database::ydb::Status::precondition_failed) throw;
  }
}

}  // namespace

Task<LoadRecord> read_load_record(DatabaseAccess& access, const Table& table) {
  LoadRecord record;
  const std::vector<std::string> names = co_await access.table_names();
  record.has_table = has_name(names, table.plain_name());
  if (!record.has_table || !has_name(names, record_table) || !has_name(names, loaded_table)) {
    co_return record;
  }
  const QueryResult row = co_await query_of_table(
      access, table,
      fmt::format("SELECT format_version, layout FROM {} WHERE table_name = $table;",
                  record_table));
  if (row.set(0).rows() == 0) co_return record;
  require_format(row.set(0).at(0, "format_version").integer(), table.plain_name());
  record.layout = std::string(row.set(0).at(0, "layout").text());
  const QueryResult ranges = co_await query_of_table(
      access, table,
      fmt::format("SELECT first_row, row_count FROM {} WHERE table_name = $table "
                  "ORDER BY first_row;",
                  loaded_table));
  each_row(ranges.set(0), {"first_row", "row_count"}, [&](auto first, auto count) {
    record.loaded.push_back({.begin = first.natural(), .end = first.natural() + count.natural()});
  });
  co_return record;
}

Task<bool> begin_load(DatabaseAccess& access, const Table& table, const Properties& properties) {
  co_await access.make_folder();
  const std::vector<std::string> names = co_await access.table_names();
  const bool had_table = has_name(names, table.plain_name());
  for (const std::string& text : create_record_tables()) co_await access.change_scheme(text);
  if (!had_table) co_await forget(access, table);
  co_await access.change_scheme(table.create_statement(properties));
  const LoadRecord record = co_await read_load_record(access, table);
  if (!record.layout) {
    co_await require_key_column(access, table);
    co_await require_no_other_rows(access, table);
    co_await write_layout(access, table, properties);
  }
  require_layout(co_await read_load_record(access, table), properties);
  co_return !had_table;
}

Task<void> write_loaded(DatabaseAccess& access, const Table& table, RowRange rows) {
  constexpr std::array<Column, 3> columns = {{{"table_name", Primitive::utf8},
                                              {"first_row", Primitive::uint64},
                                              {"row_count", Primitive::uint64}}};
  BulkRows row(columns, BulkRows::row_bytes_usual + table.plain_name().size());
  row.add(std::string_view(table.plain_name()), rows.begin, rows.rows()).end_row();
  co_await access.bulk_upsert(loaded_table, std::move(row));
}

Task<std::vector<std::string>> drop_table(DatabaseAccess& access, const Table& table) {
  std::vector<std::string> dropped;
  const std::vector<std::string> names = co_await access.table_names();
  if (has_name(names, table.plain_name())) {
    co_await require_key_column(access, table);
    co_await access.change_scheme(fmt::format("DROP TABLE IF EXISTS {};", table.name()));
    dropped.push_back(table.plain_name());
  }
  if (!has_name(names, record_table) || !has_name(names, loaded_table)) co_return dropped;
  co_await forget(access, table);
  const QueryResult left =
      co_await access.query(fmt::format("SELECT table_name FROM {} LIMIT 1;", record_table));
  if (left.set(0).rows() > 0) co_return dropped;
  for (const std::string_view ours : {record_table, loaded_table}) {
    co_await access.change_scheme(fmt::format("DROP TABLE IF EXISTS {};", ours));
    dropped.emplace_back(ours);
  }
  co_return dropped;
}

}  // namespace drover::ycsb::ydb
