// What the statements of this user in this database cost the server while a run goes on: the difference between
// readings of pg_stat_statements, where that extension is installed.
//
// A reading is the whole of the counters, so there is one at the beginning, one at the end, and one whenever a session
// had to be opened anew: a server that was restarted has counted on, one that crashed has begun again. What was counted
// between the last reading before a crash and the crash is lost.
//
// Thread safety: none. Errors: database::Error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/task.h"
#include "database/activity_watch.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

struct StatementCounters {
  std::uint64_t calls = 0;
  double total_ms = 0;
  std::uint64_t rows = 0;
};
using CountedStatement = std::pair<std::int64_t, StatementCounters>;  // with its queryid
using StatementReading = std::map<std::int64_t, StatementCounters>;

// What follows from the readings.
class StatementHistory {
 public:
  // Readings come in the order of time. What the first has was there before.
  void take(StatementReading reading);
  bool has_begun() const noexcept { return last_.has_value(); }

  // At most so many of those that were called, that which took longest first.
  std::vector<CountedStatement> longest(std::size_t most) const;

 private:
  std::optional<StatementReading> last_;
  StatementReading sums_;
};

class StatementCosts {
 public:
  static constexpr std::size_t statements_most = 20;
  static constexpr std::size_t text_bytes_most = 1'000;

  // Reads the counters. Says why there are none, for people, and then no second time; empty if there are.
  coro::Task<std::string> read(Connection& connection);

  // Reads them once more, and the texts. None where there is nothing to read.
  coro::Task<std::optional<std::vector<StatementCost>>> read_all(Connection& connection);

 private:
  coro::Task<StatementReading> read_counters(Connection& connection) const;
  coro::Task<std::map<std::int64_t, std::string>> read_texts(
      Connection& connection, const std::vector<CountedStatement>& of) const;

  bool has_looked_ = false;  // for the extension
  std::string function_;     // pg_stat_statements with its schema, quoted; empty: there is none
  std::string time_column_;  // as the version of the extension calls it
  StatementHistory history_;
};

// The text of a statement for people: one line, shortened. The constants of queries are not in it, but those of other
// commands are: one that speaks of a password, and has something in quotes, is not shown.
std::string shown_statement(std::string_view text);

}  // namespace drover::database::postgres
