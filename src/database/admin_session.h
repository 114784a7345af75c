// AdminSession: the narrow interface through which commands administer the data of a workload,
// written once for PostgreSQL, its relatives and YDB: which tables exist, what Drover has recorded
// of them, and their preparation. Transactions and bulk loads use the databases' own interfaces.
//
//   const AdminRows rows = co_await session.query(
//       "SELECT layout FROM " + session.table("drover_ycsb") + " WHERE table_name = $table",
//       {{"$table", std::string("usertable")}});
//   if (rows.size() > 0) layout = rows.text(0, "layout");
//
// Implementations: database/postgres/admin_session.h, database/ydb/admin_session.h.
// Thread safety: none; a session belongs to one worker. Errors: database::Error.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/deadline.h"
#include "coro/task.h"
#include "coro/worker.h"
#include "database/error.h"

namespace drover::database {

// A named value of a statement. Its type is that of the column: Int32, Int64, Uint64, Bool or Utf8
// in YDB.
struct AdminParameter {
  std::string_view name;  // "$table"
  std::variant<bool, std::int32_t, std::int64_t, std::uint64_t, std::string> value;
};

// The rows of one statement, by column name. A column that the result lacks reads as NULL.
class AdminRows {
 public:
  using Cell = std::optional<std::string>;

  AdminRows() = default;
  // `cells`: row by row. `written`: the number of rows that the statement has written or read.
  AdminRows(std::vector<std::string> columns, std::vector<Cell> cells,
            std::optional<std::int64_t> written = {})
      : columns_(std::move(columns)), cells_(std::move(cells)), written_(written) {}

  std::size_t size() const noexcept {
    return columns_.empty() ? 0 : cells_.size() / columns_.size();
  }
  // Returns nothing if the database does not count the rows of a statement.
  std::optional<std::int64_t> written() const noexcept { return written_; }

  bool is_null(std::size_t row, std::string_view column) const {
    return cell(row, column) == nullptr;
  }
  // Returns an empty text for NULL.
  std::string_view text(std::size_t row, std::string_view column) const {
    const std::string* found = cell(row, column);
    return found != nullptr ? std::string_view(*found) : std::string_view();
  }
  bool flag(std::size_t row, std::string_view column) const {
    const std::string_view shown = text(row, column);
    return shown == "t" || shown == "true";
  }
  // Returns 0 for NULL.
  template <class Number>
  Number number(std::size_t row, std::string_view column) const {
    const std::string_view digits = text(row, column);
    Number number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

 private:
  const std::string* cell(std::size_t row, std::string_view column) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] != column) continue;
      const Cell& found = cells_.at(row * columns_.size() + i);
      return found ? &*found : nullptr;
    }
    return nullptr;
  }

  std::vector<std::string> columns_;
  std::vector<Cell> cells_;
  std::optional<std::int64_t> written_;
};

class AdminSession {
 public:
  virtual ~AdminSession() = default;

  // Returns the name of a table as statements write it, with the schema where one is needed.
  virtual std::string table(std::string_view name) const = 0;

  // Executes one SELECT, INSERT, UPDATE or DELETE, again if the database asks for another attempt.
  // Outside of a transaction it must therefore be repeatable. Name the columns of a result
  // (count(*) AS counted).
  virtual coro::Task<AdminRows> query(std::string text,
                                      std::vector<AdminParameter> parameters = {}) = 0;

  // Executes one CREATE, ALTER or DROP that may be repeated.
  virtual coro::Task<void> change_tables(std::string text) = 0;

  // Returns for each name whether there is such a table.
  virtual coro::Task<std::vector<bool>> tables_exist(std::vector<std::string> names) = 0;

  // Returns true for the error of a query that names a column which its table lacks.
  virtual bool is_unknown_column(const Error& error) const noexcept = 0;
};

// Awaits a cleanup, even if the caller is cancelled, until the timeout. Throws nothing: the next
// command finds what is left.
inline coro::Task<void> finish_in_time(coro::Task<void> cleanup, coro::Duration timeout) {
  const coro::Instant give_up = coro::Worker::current().now() + timeout;
  coro::CancelSource own(coro::Worker::current());
  try {
    co_await coro::with_deadline(give_up, std::move(cleanup)).under(own);
  } catch (const std::exception&) {
  }
}

}  // namespace drover::database
