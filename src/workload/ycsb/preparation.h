// The preparation of a run: the facts that a run needs about its table. Thread safety: as the
// session's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/task.h"
#include "database/admin_session.h"
#include "database/server.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/load_record.h"

namespace drover::ycsb {

// The number of rows that are looked up by their keys at a time. Rows are inserted in the order of
// their numbers, so that no row follows this many missing ones.
inline constexpr std::uint64_t rows_of_window = 1000;

// Returns the keys of the rows [begin, begin + rows).
std::vector<std::string> keys_of_rows(const Properties& properties, std::uint64_t begin,
                                      std::uint64_t rows);

// What the preparation asks of the table. Errors: UnfitSchema and database::Error.
class TableReader {
 public:
  virtual ~TableReader() = default;

  virtual std::string_view table_name() const noexcept = 0;  // plain
  virtual coro::Task<database::ServerFacts> read_server_facts() = 0;
  virtual coro::Task<LoadRecord> read_record() = 0;
  // Throws UnfitSchema if the table does not have the columns of the properties.
  virtual coro::Task<void> require_columns() = 0;
  // Returns those of the rows [begin, begin + rows) that exist, ascending. Requires: rows <=
  // rows_of_window.
  virtual coro::Task<std::vector<std::uint64_t>> rows_there(std::uint64_t begin,
                                                            std::uint64_t rows) = 0;
  // Returns true if Drover has made all values in a sample of rows.
  virtual coro::Task<bool> has_our_values(const FieldLengths& lengths) = 0;
  // Returns true if policies of row security may hide rows from this role.
  virtual coro::Task<bool> has_row_security() { co_return false; }
  // Returns nothing if values are counted and one of them has no version.
  virtual coro::Task<std::optional<TableSums>> add_up(ValueKind values) = 0;
};

// The parts of a TableReader that databases have in common.
class AdminTableReader : public TableReader {
 public:
  // `session` and `properties` must outlive the object.
  AdminTableReader(database::AdminSession& session, Table table, const Properties& properties)
      : table_(std::move(table)), properties_(properties), session_(session) {}

  std::string_view table_name() const noexcept override { return table_.plain_name; }
  coro::Task<LoadRecord> read_record() override { return read_load_record(session_, table_); }
  coro::Task<void> require_columns() override;
  coro::Task<bool> has_our_values(const FieldLengths& lengths) override;
  coro::Task<std::optional<TableSums>> add_up(ValueKind values) override;

  // Does the same as add_up(), but throws if a value has no version.
  coro::Task<TableSums> read_sums(ValueKind values);

 protected:
  // Returns a query that the server refuses unless the table has the columns of the properties.
  virtual std::string columns_query() const = 0;
  // Returns an expression: the version of a field as a number.
  virtual std::string version_of(const std::string& field) const = 0;

  const Table table_;
  const Properties& properties_;

 private:
  database::AdminSession& session_;
};

// See Database::prepare().
coro::Task<RunPreparation> prepare_run(TableReader& table, const Properties& properties,
                                       const std::optional<TableContents>& known);

}  // namespace drover::ycsb
