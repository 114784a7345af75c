// What is recorded of loads, whatever the database: of each table with which properties its rows were made, and which of
// them are there. A database keeps it in two small tables of drover's own: drover_ycsb and drover_ycsb_loaded. A table
// that another tool loaded is in neither. And how a load is cut in pieces.
//
// Pure functions and values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/plan.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/properties/properties.h"
#include "workload/ycsb/row_range.h"

namespace drover::ycsb {

inline constexpr std::string_view record_table = "drover_ycsb";
inline constexpr std::string_view loaded_table = "drover_ycsb_loaded";
inline constexpr int record_format = 1;

// All loaded values have this stamp: a run's begin at a random one.
inline constexpr std::uint64_t load_stamp = 0;

// Those of the client's part, and of one host's share of it.
RowRange part_of(const Properties& properties, const load::Share& share = {}) noexcept;

// The parts of `wanted` that are in none of `loaded`, in ascending order; `loaded` is in ascending order.
std::vector<RowRange> missing_ranges(RowRange wanted, const std::vector<RowRange>& loaded);

// Cuts ranges at multiples of `rows_of_piece`, so that all processes that load the same rows cut
// them alike. Stores no pieces, of which there may be more than 10^12.
class Pieces {
 public:
  Pieces() = default;
  // Requires: no range is empty, and rows_of_piece > 0.
  Pieces(std::vector<RowRange> ranges, std::uint64_t rows_of_piece)
      : ranges_(std::move(ranges)), rows_of_piece_(rows_of_piece) {}

  // Returns the number of pieces that next() has not given yet.
  std::uint64_t left() const noexcept;
  std::optional<RowRange> next() noexcept;

 private:
  std::vector<RowRange> ranges_;  // what is left of each
  std::uint64_t rows_of_piece_ = 1;
  std::size_t range_ = 0;
};

// The rows of a piece of so many bytes.
std::uint64_t rows_of_piece(const Properties& properties, const FieldLengths& lengths,
                            std::uint64_t bytes);

// What all rows of a table have in common: "fieldcount=10 fieldlength=100 …".
std::string layout_of(const Properties& properties);

struct LoadRecord {
  bool has_table = false;             // the one of YCSB
  std::optional<std::string> layout;  // of its rows; none: nothing is recorded
  // By their beginnings; they overlap where two have loaded the same rows.
  std::vector<RowRange> loaded;

  // Each counted once.
  std::uint64_t rows_loaded() const noexcept;
};

// Each throws database::UnfitSchema.

// Where another version of drover has written the record.
void require_format(std::int64_t format, std::string_view table);
// Where the rows have another layout than these properties ask for.
void require_layout(const LoadRecord& record, const Properties& properties);
// Where nobody knows what the values must be.
void require_record(const LoadRecord& record, std::string_view table);

// The rows of a table that no load has recorded are not written over.
[[noreturn]] void refuse_unrecorded_rows(std::string_view table);
// Throws UnfitSchema: a table without YCSB's key column is neither filled nor dropped.
[[noreturn]] void refuse_foreign_table(std::string_view table);

}  // namespace drover::ycsb
