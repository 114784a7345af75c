#include "workload/ycsb/preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <vector>

#include "database/error.h"
#include "text/plain_text.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

using coro::Task;
using database::UnfitSchema;

namespace {

// Some seconds of look-ups.
constexpr std::uint64_t rows_looked_up_max = std::uint64_t{1} << 22;

// One more than the highest row, of those from `next` on. Steps double until they are beyond the end, and are halved
// from there.
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
  const KeyName key(number, properties.insert_order, properties.zero_padding);
  throw UnfitSchema(
      fmt::format("the row {} ({}) of {} does not exist{}, and a run with recordcount={} "
                  "insertstart={} needs it. Load it with 'drover ycsb load', or give the "
                  "insertorder and zeropadding of the existing rows",
                  number, key.view(), table.table_name(),
                  may_be_hidden ? ", or row security hides it from this role" : "",
                  properties.record_count, properties.insert_start));
}

// At the ends of the part, and of what of it no load has recorded.
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

// By some rows where nothing is recorded.
Task<ValueKind> kind_of_values(TableReader& table, const Properties& properties,
                               const LoadRecord& record) {
  const FieldLengths lengths(properties);
  if (!record.layout) {
    const bool ours = co_await table.has_our_values(lengths);
    if (!ours) co_return ValueKind::foreign;
  }
  co_return lengths.length_min() < value_head_size ? ValueKind::stamped : ValueKind::counted;
}

std::string_view note_of(ValueKind values) {
  switch (values) {
    case ValueKind::counted:
      break;
    case ValueKind::stamped:
      return "note: fields shorter than 22 characters contain no version, so the check cannot "
             "count their updates";
    case ValueKind::foreign:
      return "note: another tool loaded the rows, so Drover neither verifies the values that it "
             "reads nor counts updates in the data";
  }
  return {};
}

std::string note_of_written(std::string_view table) {
  return fmt::format(
      "note: a value of {} contains no version. Another tool has written the rows, or they are "
      "damaged ('drover ycsb check' lists damaged rows). Drover neither verifies the values that "
      "it reads nor counts updates in the data",
      table);
}

// Reads the whole table.
Task<void> look_at_contents(TableReader& table, const Properties& properties,
                            const LoadRecord& record, RunPreparation& prepared) {
  prepared.values = co_await kind_of_values(table, properties, record);
  if (auto sums = co_await table.add_up(prepared.values)) {
    prepared.before = *sums;
    const std::string_view note = note_of(prepared.values);
    if (!note.empty()) prepared.notes.emplace_back(note);
  } else {
    prepared.values = ValueKind::foreign;
    prepared.before = (co_await table.add_up(ValueKind::foreign)).value();
    prepared.notes.push_back(note_of_written(table.table_name()));
  }
}

// Throws if policies may hide rows, since hidden rows must not be taken for lost ones.
Task<void> require_rows_in_sight(TableReader& table, std::uint64_t seen, const LoadRecord& record) {
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
    keys.emplace_back(KeyName(number, properties.insert_order, properties.zero_padding).view());
  }
  return keys;
}

void refuse_columns(const database::Error& error, std::string_view table) {
  throw UnfitSchema(
      fmt::format("{} The table {} is not a YCSB table with this fieldcount and fieldnameprefix",
                  text::sentence(error.what()), table));
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
    co_await look_at_contents(table, properties, record, prepared);
  }
  co_await require_rows_in_sight(table, prepared.before.rows, record);
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
