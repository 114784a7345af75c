#include "workload/ycsb/load_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "database/error.h"
#include "text/plain_text.h"

namespace drover::ycsb {

using coro::Task;
using database::AdminRows;
using database::AdminSession;
using database::UnfitSchema;

RowRange part_of(const Properties& properties, const load::Share& share) noexcept {
  const auto begin = static_cast<std::uint64_t>(properties.insert_start);
  const auto rows = static_cast<std::uint64_t>(properties.insert_count);
  return {.begin = begin + share.begin(rows), .end = begin + share.end(rows)};
}

std::vector<RowRange> missing_ranges(RowRange wanted, const std::vector<RowRange>& loaded) {
  std::vector<RowRange> missing;
  std::uint64_t at = wanted.begin;
  for (const RowRange& range : loaded) {
    if (range.begin >= wanted.end) break;
    if (range.begin > at) missing.push_back({.begin = at, .end = range.begin});
    at = std::max(at, range.end);
  }
  if (at < wanted.end) missing.push_back({.begin = at, .end = wanted.end});
  return missing;
}

std::string layout_of(const Properties& properties) {
  constexpr std::array<std::string_view, 6> always = {
      "fieldcount",      "fieldlength", "fieldlengthdistribution",
      "fieldnameprefix", "insertorder", "zeropadding"};
  const FieldLengthDistribution lengths = properties.field_length_distribution;
  const auto is_of_layout = [&](std::string_view name) {
    if (name == "minfieldlength") {
      return lengths == FieldLengthDistribution::uniform ||
             lengths == FieldLengthDistribution::zipfian;
    }
    if (name == "fieldlengthhistogram") return lengths == FieldLengthDistribution::histogram;
    return std::ranges::find(always, name) != always.end();
  };
  std::string layout;
  for (const PropertyDefinition& property : property_table()) {
    if (!is_of_layout(property.name)) continue;
    layout += fmt::format("{}{}={}", layout.empty() ? "" : " ", property.name,
                          text::replaced(property.kind.show(properties), " ", "_"));
  }
  return layout;
}

std::uint64_t LoadRecord::rows_loaded() const noexcept {
  std::uint64_t rows = 0;
  std::uint64_t end = 0;
  for (const RowRange& range : loaded) {
    const std::uint64_t begin = std::max(range.begin, end);
    end = std::max(end, range.end);
    rows += end - begin;
  }
  return rows;
}

namespace {

constexpr std::int32_t record_format = 1;

// Returns the first property that differs between two layouts, with both of its values.
std::string difference_of(std::string_view recorded, std::string_view wanted) {
  for (;;) {
    const std::string_view one = recorded.substr(0, recorded.find(' '));
    const std::string_view other = wanted.substr(0, wanted.find(' '));
    if (one != other || one.size() == recorded.size() || other.size() == wanted.size()) {
      return fmt::format("{}, and not {}", one.empty() ? recorded : one,
                         other.empty() ? wanted : other);
    }
    recorded.remove_prefix(one.size() + 1);
    wanted.remove_prefix(other.size() + 1);
  }
}

// Executes a statement on one of Drover's tables, about the rows that concern `table`.
Task<AdminRows> query_record(AdminSession& session, const Table& table, std::string_view verb,
                             std::string_view record) {
  return session.query(
      fmt::format("{} FROM {} WHERE table_name = $table", verb, session.table(record)),
      {{"$table", table.plain_name}});
}

// Throws UnfitSchema if the table lacks YCSB's key column. Returns true if it has rows.
Task<bool> has_rows(AdminSession& session, const Table& table) {
  try {
    const AdminRows found =
        co_await session.query(fmt::format("SELECT {} FROM {} LIMIT 1", key_column, table.name));
    co_return found.size() > 0;
  } catch (const database::Error& error) {
    if (!session.is_unknown_column(error)) throw;
  }
  throw UnfitSchema(
      fmt::format("the table {} has no column ycsb_key, so it is not a YCSB table, and drover "
                  "neither loads nor drops it. Name another table with --table",
                  table.plain_name));
}

Task<std::vector<bool>> tables_exist(AdminSession& session, const Table& table) {
  return session.tables_exist(
      {table.plain_name, std::string(record_table), std::string(loaded_table)});
}

}  // namespace

Task<LoadRecord> read_load_record(AdminSession& session, const Table& table) {
  LoadRecord record;
  const std::vector<bool> exist = co_await tables_exist(session, table);
  record.has_table = exist[0];
  if (!exist[0] || !exist[1] || !exist[2]) co_return record;
  const AdminRows row = co_await query_record(session, table, "SELECT *", record_table);
  if (row.size() == 0) co_return record;
  const auto format = row.number<std::int32_t>(0, "format_version");
  if (format != record_format) {
    throw UnfitSchema(fmt::format(
        "another version of drover loaded the table {} (format {}, expected {}). Drop it with "
        "'drover ycsb clean', and load it again",
        table.plain_name, format, record_format));
  }
  record.layout = std::string(row.text(0, "layout"));
  const AdminRows ranges = co_await query_record(session, table, "SELECT *", loaded_table);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto first = ranges.number<std::uint64_t>(i, "first_row");
    // In YDB, the column has another name, because ROWS is a keyword.
    const std::string_view count = ranges.is_null(i, "rows") ? "row_count" : "rows";
    record.loaded.push_back(
        {.begin = first, .end = first + ranges.number<std::uint64_t>(i, count)});
  }
  std::ranges::sort(record.loaded, {}, &RowRange::begin);
  co_return record;
}

void require_layout(const LoadRecord& record, const Properties& properties) {
  if (!record.layout) return;
  const std::string wanted = layout_of(properties);
  if (*record.layout == wanted) return;
  throw UnfitSchema(
      fmt::format("the rows of {} were loaded with {}. Give the same properties again, or drop the "
                  "table with 'drover ycsb clean'",
                  properties.table, difference_of(*record.layout, wanted)));
}

Task<void> record_layout(AdminSession& session, const Table& table, const Properties& properties) {
  const LoadRecord record = co_await read_load_record(session, table);
  require_layout(record, properties);
  if (record.layout) co_return;
  const bool has_other_rows = co_await has_rows(session, table);
  if (has_other_rows) {
    throw UnfitSchema(fmt::format(
        "the table {} has rows that no load of drover has recorded, and a load does not overwrite "
        "them. Name another table with --table. 'drover ycsb run' accepts tables that another tool "
        "has loaded",
        table.plain_name));
  }
  co_await session.query(fmt::format("INSERT INTO {} (table_name, format_version, layout) "
                                     "VALUES ($table, $format, $layout)",
                                     session.table(record_table)),
                         {{"$table", table.plain_name},
                          {"$format", record_format},
                          {"$layout", layout_of(properties)}});
}

Task<void> forget_table(AdminSession& session, const Table& table) {
  co_await query_record(session, table, "DELETE", record_table);
  co_await query_record(session, table, "DELETE", loaded_table);
}

Task<std::vector<std::string>> drop_table(AdminSession& session, const Table& table) {
  const std::vector<bool> exist = co_await tables_exist(session, table);
  if (exist[0]) co_await has_rows(session, table);
  const bool is_recorded = exist[1] && exist[2];
  // The records go first, because a load would believe records of rows that no longer exist.
  if (is_recorded) co_await forget_table(session, table);
  std::vector<std::string> dropped;
  if (exist[0]) {
    co_await session.change_tables(fmt::format("DROP TABLE IF EXISTS {}", table.name));
    dropped.push_back(table.plain_name);
  }
  if (!is_recorded) co_return dropped;
  const AdminRows left = co_await session.query(
      fmt::format("SELECT table_name FROM {} LIMIT 1", session.table(record_table)));
  if (left.size() > 0) co_return dropped;
  for (const std::string_view ours : {record_table, loaded_table}) {
    co_await session.change_tables(fmt::format("DROP TABLE IF EXISTS {}", session.table(ours)));
    dropped.emplace_back(ours);
  }
  co_return dropped;
}

}  // namespace drover::ycsb
