// What a run has to know of its table before it begins, whatever the database. Thread safety: as the reader's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/error.h"
#include "database/server.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/load_record.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

// How many rows are looked up by their keys at a time. Rows are inserted one after the other: where so many in a row
// are missing, there are no more.
inline constexpr std::uint64_t rows_of_window = 1000;

// What is asked of the table. Throws UnfitSchema and database::Error.
class TableReader {
 public:
  virtual ~TableReader() = default;

  // As the database has it.
  virtual std::string_view table_name() const noexcept = 0;

  virtual coro::Task<database::ServerFacts> read_server_facts() = 0;
  virtual coro::Task<LoadRecord> read_record() = 0;
  // Throws UnfitSchema where the table has not the columns of these properties.
  virtual coro::Task<void> require_columns() = 0;
  // Those of the rows [begin, begin + rows) that are there, ascending. Requires: rows <= rows_of_window.
  virtual coro::Task<std::vector<std::uint64_t>> rows_there(std::uint64_t begin,
                                                            std::uint64_t rows) = 0;
  // Whether all values of some rows are ours.
  virtual coro::Task<bool> has_our_values(const FieldLengths& lengths) = 0;
  // Returns whether policies of row security may hide rows from this role.
  virtual coro::Task<bool> has_row_security() { co_return false; }
  // Nothing where a value has no version, though all must have one.
  virtual coro::Task<std::optional<TableSums>> add_up(ValueKind values) = 0;
};

// Whether all fields of a row are ours. `text_of`: of a field, by its number.
template <class TextOf>
bool is_our_row(const FieldLengths& lengths, std::string_view key, std::size_t fields,
                TextOf text_of) {
  const auto shown = number_shown_by(key);
  if (!shown) return false;
  for (std::uint32_t field = 0; field < fields; ++field) {
    if (lengths.verify(text_of(field), {.key = *shown, .field = field})) return false;
  }
  return true;
}

// For readers: the keys of the rows [begin, begin + rows); what is wrong with a table that the error knows to have other
// columns, or columns of other types.
std::vector<std::string> keys_of_rows(const Properties& properties, std::uint64_t begin,
                                      std::uint64_t rows);
[[noreturn]] void refuse_columns(const database::Error& error, std::string_view table);

// As Database::prepare() says.
coro::Task<RunPreparation> prepare_run(TableReader& table, const Properties& properties,
                                       const std::optional<TableContents>& known);

}  // namespace drover::ycsb
