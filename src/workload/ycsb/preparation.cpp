#include "workload/ycsb/preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "text/plain_text.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

using coro::Task;
using database::UnfitSchema;

namespace {

// Look-ups of this many rows take some seconds.
constexpr std::uint64_t rows_looked_up_max = std::uint64_t{1} << 22;

// Returns the end of the rows, which is at or after `next`. The steps double until they pass the
// end, and then halve.
Task<std::uint64_t> end_of_rows(TableReader& table, std::uint64_t next) {
  std::uint64_t step = 0;
  bool beyond = false;
  for (;;) {
    const auto found = co_await table.rows_there(next + step, rows_of_window);
    if (!found.empty()) {
      next = found.back() + 1;
    } else {
      beyond = true;
      if (step == 0) co_return next;
    }
    step = beyond ? step / 2 : std::max(rows_of_window, step * 2);
  }
}

Task<void> require_row(TableReader& table, const Properties& properties, std::uint64_t number) {
  const auto found = co_await table.rows_there(number, 1);
  if (!found.empty()) co_return;
  const bool may_be_hidden = co_await table.has_row_security();
  throw UnfitSchema(
      fmt::format("the row {} ({}) of {} does not exist{}, and a run with recordcount={} "
                  "insertstart={} needs it. Load it with 'drover ycsb load', or give the "
                  "insertorder and zeropadding of the existing rows",
                  number, KeyName(number, properties).view(), table.table_name(),
                  may_be_hidden ? ", or row security hides it from this role" : "",
                  properties.record_count, properties.insert_start));
}

// Throws UnfitSchema unless the first and the last row exist, both of the part and of each of its
// ranges that no load has recorded.
Task<void> require_rows(TableReader& table, const Properties& properties,
                        const LoadRecord& record) {
  const RowRange part = part_of(properties);
  if (part.rows() == 0) co_return;
  std::vector<RowRange> ranges = missing_ranges(part, record.loaded);
  ranges.push_back(part);
  for (const RowRange& range : ranges) {
    co_await require_row(table, properties, range.begin);
    co_await require_row(table, properties, range.end - 1);
  }
}

// Adds the gaps between the found rows of `rows`, the last gap first. `found` is in ascending
// order.
void add_gaps_backwards(RowRange rows, const std::vector<std::uint64_t>& found,
                        std::vector<RowRange>& gaps) {
  const auto add = [&gaps](std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return;
    if (!gaps.empty() && gaps.back().begin == end) {
      gaps.back().begin = begin;
    } else {
      gaps.push_back({.begin = begin, .end = end});
    }
  };
  std::uint64_t end = rows.end;
  for (const std::uint64_t number : std::views::reverse(found)) {
    add(number + 1, end);
    end = number;
  }
  add(rows.begin, end);
}

// Returns the rows of `rows` that the table lacks, in ascending order, or nothing if more than
// rows_looked_up_max rows would have to be looked up. Rows that a load has recorded count as
// present. The others are looked up from the last one backwards, because runs insert after the last
// row, until all rows of the table have been found: the rows before these were never loaded.
Task<std::optional<std::vector<RowRange>>> missing_rows(TableReader& table, RowRange rows,
                                                        const LoadRecord& record,
                                                        std::uint64_t rows_of_table) {
  const std::uint64_t recorded = record.rows_loaded();
  std::uint64_t to_find = rows_of_table > recorded ? rows_of_table - recorded : 0;
  std::uint64_t looked_up = 0;
  std::vector<RowRange> missing;
  const std::vector<RowRange> unrecorded = missing_ranges(rows, record.loaded);
  for (RowRange left : std::views::reverse(unrecorded)) {
    while (left.rows() > 0) {
      RowRange window = left;
      std::vector<std::uint64_t> found;
      if (to_find > 0) {
        window.begin = left.end - std::min(left.rows(), rows_of_window);
        looked_up += window.rows();
        if (looked_up > rows_looked_up_max) co_return std::nullopt;
        found = co_await table.rows_there(window.begin, window.rows());
        to_find -= std::min<std::uint64_t>(to_find, found.size());
      }
      add_gaps_backwards(window, found, missing);
      left.end = window.begin;
    }
  }
  std::ranges::reverse(missing);
  co_return missing;
}

// Looks at some rows if nothing is recorded.
Task<ValueKind> kind_of_values(TableReader& table, const Properties& properties,
                               const LoadRecord& record) {
  const FieldLengths lengths(properties);
  if (!record.layout) {
    const bool ours = co_await table.has_our_values(lengths);
    if (!ours) co_return ValueKind::foreign;
  }
  co_return lengths.length_min() < value_head_size ? ValueKind::stamped : ValueKind::counted;
}

// Reads the whole table.
Task<void> read_contents(TableReader& table, const Properties& properties, const LoadRecord& record,
                         RunPreparation& prepared) {
  prepared.values = co_await kind_of_values(table, properties, record);
  if (auto sums = co_await table.add_up(prepared.values)) {
    prepared.before = *sums;
    if (prepared.values == ValueKind::stamped) {
      prepared.notes.emplace_back(
          "note: fields shorter than 22 characters contain no version, so the check cannot count "
          "their updates");
    } else if (prepared.values == ValueKind::foreign) {
      prepared.notes.emplace_back(
          "note: another tool loaded the rows, so Drover neither verifies the values that it reads "
          "nor counts updates in the data");
    }
    co_return;
  }
  prepared.values = ValueKind::foreign;
  prepared.before = (co_await table.add_up(ValueKind::foreign)).value();
  prepared.notes.push_back(fmt::format(
      "note: a value of {} contains no version. Another tool has written the rows, or they are "
      "damaged ('drover ycsb check' lists damaged rows). Drover neither verifies the values that "
      "it reads nor counts updates in the data",
      table.table_name()));
}

// Throws UnfitSchema if policies may hide rows, because hidden rows are not lost.
Task<void> require_all_rows_visible(TableReader& table, std::uint64_t seen,
                                    const LoadRecord& record) {
  const std::uint64_t loaded = record.rows_loaded();
  if (seen >= loaded) co_return;
  const bool has_row_security = co_await table.has_row_security();
  if (!has_row_security) co_return;
  throw UnfitSchema(fmt::format(
      "{} rows were loaded into {}, but this role sees only {}: row security hides the rest. Use "
      "the table's owner, a role with BYPASSRLS, or a policy that shows all rows",
      text::grouped(loaded), table.table_name(), text::grouped(seen)));
}

}  // namespace

std::vector<std::string> keys_of_rows(const Properties& properties, std::uint64_t begin,
                                      std::uint64_t rows) {
  std::vector<std::string> keys;
  for (std::uint64_t number = begin; number < begin + rows; ++number) {
    keys.emplace_back(KeyName(number, properties).view());
  }
  return keys;
}

Task<void> AdminTableReader::require_columns() {
  constexpr std::string_view undefined_operator = "42883";  // of PostgreSQL, for a column's type
  try {
    co_await session_.query(columns_query());
  } catch (const database::Error& error) {
    if (!session_.is_unknown_column(error) && error.sqlstate() != undefined_operator) throw;
    throw UnfitSchema(
        fmt::format("{} The table {} is not a YCSB table with this fieldcount and fieldnameprefix",
                    text::sentence(error.what()), table_.plain_name));
  }
}

Task<bool> AdminTableReader::has_our_values(const FieldLengths& lengths) {
  const database::AdminRows rows = co_await session_.query(
      fmt::format("SELECT {}, {} FROM {} LIMIT 100", key_column, table_.all_fields, table_.name));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto shown = number_shown_by(rows.text(row, key_column));
    if (!shown) co_return false;
    for (std::uint32_t field = 0; field < table_.fields.size(); ++field) {
      const std::string_view text = rows.text(row, table_.plain_fields[field]);
      if (lengths.verify(text, {.key = *shown, .field = field})) co_return false;
    }
  }
  co_return true;
}

Task<std::optional<TableSums>> AdminTableReader::add_up(ValueKind values) {
  constexpr std::string_view not_a_number = "22P02";  // of PostgreSQL
  try {
    co_return co_await read_sums(values);
  } catch (const database::Error& error) {
    if (error.sqlstate() != not_a_number) throw;
  }
  co_return std::nullopt;
}

Task<TableSums> AdminTableReader::read_sums(ValueKind values) {
  std::string versions;
  for (const std::string& field : table_.fields) {
    if (values != ValueKind::counted) break;
    versions += (versions.empty() ? ", SUM(" : " + ") + version_of(field);
  }
  if (!versions.empty()) versions += ") AS versions";
  const database::AdminRows sums = co_await session_.query(
      fmt::format("SELECT COUNT(*) AS row_count{} FROM {}", versions, table_.name));
  TableSums answer{.rows = sums.number<std::uint64_t>(0, "row_count")};
  if (!versions.empty()) answer.versions = sums.number<std::uint64_t>(0, "versions");
  co_return answer;
}

Task<std::optional<TableSums>> Database::read_sums_within(coro::Duration timeout,
                                                          Properties properties,
                                                          ValueKind values) const {
  const coro::Instant give_up = coro::Worker::current().now() + timeout;
  while (coro::Worker::current().now() < give_up) {
    try {
      co_return co_await coro::with_deadline(give_up, read_sums(properties, values));
    } catch (const database::Error&) {
      // The next attempt follows after a pause.
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(std::chrono::milliseconds(200));
  }
  co_return std::nullopt;
}

Task<RunPreparation> prepare_run(TableReader& table, const Properties& properties,
                                 const std::optional<TableContents>& known) {
  RunPreparation prepared;
  prepared.server = co_await table.read_server_facts();
  const LoadRecord record = co_await table.read_record();
  if (!record.has_table) {
    throw UnfitSchema(fmt::format(
        "there is no table {}. Load it with 'drover ycsb load', or name its schema with --schema",
        table.table_name()));
  }
  require_layout(record, properties);
  co_await table.require_columns();
  co_await require_rows(table, properties, record);
  if (known) {
    prepared.values = known->values;
    prepared.before = known->sums;
  } else {
    co_await read_contents(table, properties, record, prepared);
  }
  co_await require_all_rows_visible(table, prepared.before.rows, record);
  std::uint64_t recorded = part_of(properties).end;
  for (const RowRange& range : record.loaded) recorded = std::max(recorded, range.end);
  prepared.next_row = co_await end_of_rows(table, recorded);
  const RowRange all = {.begin = part_of(properties).begin, .end = prepared.next_row};
  if (prepared.before.rows >= prepared.next_row) {
    prepared.missing_rows.emplace();
  } else {
    prepared.missing_rows = co_await missing_rows(table, all, record, prepared.before.rows);
  }
  if (prepared.before.rows > prepared.next_row) {
    prepared.notes.push_back(fmt::format(
        "note: the table has {}, but Drover knows the keys of only {}",
        text::counted_grouped(prepared.before.rows, "row"), text::grouped(prepared.next_row)));
  }
  co_return prepared;
}

}  // namespace drover::ycsb
