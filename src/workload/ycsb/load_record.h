// Drover's record of loads: the properties with which the rows of a table were made, and the rows
// that are loaded. Each database keeps it in two tables, drover_ycsb and drover_ycsb_loaded. A
// table that another tool loaded is in neither.
//
// Thread safety: pure functions, or as the session's. Errors: database::UnfitSchema,
// database::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/admin_session.h"
#include "load/plan.h"
#include "workload/ycsb/properties/properties.h"
#include "workload/ycsb/table.h"

namespace drover::ycsb {

inline constexpr std::string_view record_table = "drover_ycsb";
inline constexpr std::string_view loaded_table = "drover_ycsb_loaded";

// The stamp of all loaded values. The stamps of a run begin at a random one.
inline constexpr std::uint64_t load_stamp = 0;

// Returns the rows that the properties name, or one host's share of them.
RowRange part_of(const Properties& properties, const load::Share& share = {}) noexcept;

// Returns the parts of `wanted` that are in none of `loaded`. Both lists are in ascending order.
std::vector<RowRange> missing_ranges(RowRange wanted, const std::vector<RowRange>& loaded);

// Returns what all rows of a table have in common: "fieldcount=10 fieldlength=100 …".
std::string layout_of(const Properties& properties);

struct LoadRecord {
  bool has_table = false;             // the YCSB table exists
  std::optional<std::string> layout;  // of its rows, if a load has recorded one
  // In the order of their beginnings. They overlap if two loads have loaded the same rows.
  std::vector<RowRange> loaded;

  // Counts each row once.
  std::uint64_t rows_loaded() const noexcept;
};

// Throws UnfitSchema if another version of drover has written the record.
coro::Task<LoadRecord> read_load_record(database::AdminSession& session, const Table& table);

// Throws UnfitSchema if the recorded layout differs from that of the properties.
void require_layout(const LoadRecord& record, const Properties& properties);

// Records the layout of the table's rows unless a load has recorded it. Throws UnfitSchema for rows
// with another layout, rows that no load has recorded, and a table without YCSB's key column. If
// another load records at the same time, the error is that of a duplicate key.
coro::Task<void> record_layout(database::AdminSession& session, const Table& table,
                               const Properties& properties);

// Removes the records of a table, which may have been dropped without 'drover ycsb clean'.
coro::Task<void> forget_table(database::AdminSession& session, const Table& table);

// Drops the table, and Drover's two tables if they record no other table. Returns the names of the
// dropped tables. Throws UnfitSchema for a table without YCSB's key column.
coro::Task<std::vector<std::string>> drop_table(database::AdminSession& session,
                                                const Table& table);

}  // namespace drover::ycsb
