#include "workload/ycsb/postgres/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "database/error.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_setup.h"
#include "database/postgres/shared_snapshot.h"
#include "text/plain_text.h"
#include "workload/ycsb/postgres/load_record.h"
#include "workload/ycsb/postgres/table.h"
#include "workload/ycsb/table_values.h"

namespace drover::ycsb::postgres {
namespace {

using coro::Task;
using database::Error;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::SharedSnapshot;

constexpr std::uint64_t fetched_bytes = 1 << 20;
constexpr int ranges_of_blocks_since =
    140000;  // the version from which on they read no other block

// The table's; 0 where the server does not know.
Task<std::uint64_t> count_blocks(Connection& connection, const Table& table) {
  if (connection.server_version() < ranges_of_blocks_since) co_return 0;
  bool refused = false;
  std::uint64_t blocks = 0;
  try {
    co_await connection.script(
        fmt::format("SELECT FROM {} WHERE ctid >= '(0,0)' AND ctid < '(0,0)'", table.name()));
    const Result size = co_await connection.query(
        "SELECT pg_relation_size(to_regclass($1::text)) / current_setting('block_size')::int8",
        table.name());
    blocks = size.number<std::uint64_t>(0, 0);
  } catch (const Error& error) {
    if (!database::postgres::refused_by_server(error, connection)) throw;
    refused = true;
  }
  if (refused) co_await SharedSnapshot::recover(connection);
  co_return blocks;
}

class Check {
 public:
  explicit Check(CheckOptions options)
      : options_(std::move(options)),
        table_(options_.properties),
        values_(options_.properties, report_),
        rows_fetched_(values_.rows_of(fetched_bytes)) {}

  Task<CheckReport> run();
  Task<CheckReport> run_part(CheckPart part);

 private:
  Task<std::unique_ptr<Connection>> open_first();
  Task<std::unique_ptr<Connection>> open_further(database::Pooling pooling) const;
  Task<std::uint64_t> examine(Connection& connection);
  void cut(std::uint64_t blocks, load::Share share);
  Task<void> take_all(Connection& first);
  Task<void> take_pieces(Connection& connection);
  Task<void> read_piece(Connection& connection, std::uint64_t piece);
  Task<void> take_pieces_beside(database::Pooling pooling);
  std::string condition_of(std::uint64_t piece) const;
  void verify(const Result& rows);
  void tell_progress() const;

  CheckOptions options_;
  const Table table_;
  SharedSnapshot snapshot_;
  CheckReport report_;
  TableValues values_;
  const std::uint64_t rows_fetched_;
  std::uint64_t pieces_ = 1;  // of the whole table
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 1;  // of those that are read here
  std::uint64_t to_read_ = 1;
};

// Makes the server refuse to read a table from which policies would hide rows.
Task<void> refuse_hidden_rows(Connection& connection) {
  co_await database::postgres::set_if_known(connection, "SET row_security = off");
}

constexpr std::string_view no_right = "42501";

// Throws UnfitSchema if policies hide rows from the role.
Task<void> require_all_rows_visible(Connection& connection, const Table& table) {
  try {
    co_await connection.query(fmt::format("SELECT FROM {} LIMIT 0", table.name()));
  } catch (const Error& error) {
    if (error.sqlstate() != no_right) throw;
    throw database::UnfitSchema(
        fmt::format("{} The check must see all rows of {}. Use a role that can read the whole "
                    "table: its owner, or a role with BYPASSRLS",
                    text::sentence(error.what()), table.plain_name()));
  }
}

// Says how many blocks the table has.
Task<std::uint64_t> Check::examine(Connection& connection) {
  const LoadRecord record = co_await read_load_record(connection, table_);
  require_record(record, table_.plain_name());
  require_layout(record, options_.properties);
  co_await require_all_rows_visible(connection, table_);
  report_.rows_loaded = record.rows_loaded();
  report_.server_version = connection.parameter_status("server_version");
  co_return co_await count_blocks(connection, table_);
}

void Check::cut(std::uint64_t blocks, load::Share share) {
  pieces_ = std::max<std::uint64_t>(1, blocks / options_.blocks_of_piece);
  next_ = share.begin(pieces_);
  end_ = share.end(pieces_);
  to_read_ = share.of(pieces_);
}

// The last one has no end, for the table may have grown since its blocks were counted.
std::string Check::condition_of(std::uint64_t piece) const {
  if (pieces_ == 1) return "";
  std::string condition = fmt::format(" WHERE ctid >= '({},0)'", piece * options_.blocks_of_piece);
  if (piece + 1 < pieces_) {
    condition += fmt::format(" AND ctid < '({},0)'", (piece + 1) * options_.blocks_of_piece);
  }
  return condition;
}

Task<void> Check::read_piece(Connection& connection, std::uint64_t piece) {
  co_await connection.script(
      fmt::format("DECLARE piece NO SCROLL CURSOR FOR SELECT {}, {} FROM {}{}", key_column,
                  table_.all_fields(), table_.name(), condition_of(piece)));
  for (;;) {
    const Result rows =
        co_await connection.script(fmt::format("FETCH {} FROM piece", rows_fetched_));
    if (rows.rows() == 0) break;
    verify(rows);
    tell_progress();
  }
  co_await connection.script("CLOSE piece");
  ++report_.pieces;
}

Task<void> Check::take_pieces(Connection& connection) {
  while (next_ < end_) co_await read_piece(connection, next_++);
}

Task<std::unique_ptr<Connection>> Check::open_further(database::Pooling pooling) const {
  auto connection = co_await database::postgres::open_in_schema(options_, pooling);
  co_await refuse_hidden_rows(*connection);
  co_return connection;
}

Task<void> Check::take_pieces_beside(database::Pooling pooling) {
  const auto connection =
      co_await snapshot_.join([this, pooling] { return open_further(pooling); });
  co_await take_pieces(*connection);
}

void Check::verify(const Result& rows) {
  for (int row = 0; row < rows.rows(); ++row) {
    values_.verify_row(rows.text(row, 0), [&](std::size_t field) {
      return rows.text(row, static_cast<int>(field) + 1);
    });
  }
}

void Check::tell_progress() const {
  if (!options_.on_progress) return;
  options_.on_progress({.rows = report_.rows,
                        .part = to_read_ == 0 ? 1.0
                                              : static_cast<double>(report_.pieces) /
                                                    static_cast<double>(to_read_)});
}

Task<std::unique_ptr<Connection>> Check::open_first() {
  auto first = co_await database::postgres::open_in_schema(options_);
  options_.dialect = first->dialect();
  co_await refuse_hidden_rows(*first);
  co_return first;
}

Task<void> Check::take_all(Connection& first) {
  const std::uint64_t sessions = std::min<std::uint64_t>(options_.connections, to_read_);
  // Nobody leaves before all have ended: the first transaction outlives every join. None of them is ended in words, as
  // there is nothing to be undone and the sessions close.
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (std::uint64_t i = 1; i < sessions; ++i) {
      scope.start(take_pieces_beside(first.pooling()));
    }
    co_await take_pieces(first);
  };
  co_await coro::with_scope(body);
  tell_progress();
}

Task<CheckReport> Check::run() {
  const auto first = co_await open_first();
  co_await snapshot_.begin(*first);
  const std::uint64_t blocks = co_await examine(*first);
  cut(blocks, {});
  if (options_.check_elsewhere) {
    const CheckPart all{.snapshot = snapshot_.name(), .table_size = blocks};
    co_await options_.check_elsewhere(all, report_);
    require_all_read(report_, pieces_);
  } else {
    co_await take_all(*first);
  }
  if (snapshot_.refusal()) report_.snapshot_refusal = snapshot_.refusal();
  co_return std::move(report_);
}

Task<CheckReport> Check::run_part(CheckPart part) {
  snapshot_ = SharedSnapshot(part.snapshot);
  const auto first = co_await snapshot_.join([this] { return open_first(); });
  cut(part.table_size, part.share);
  co_await take_all(*first);
  report_.snapshot_refusal = snapshot_.refusal();
  co_return std::move(report_);
}

}  // namespace

Task<CheckReport> check(CheckOptions options) {
  Check work(std::move(options));
  co_return co_await work.run();
}

Task<CheckReport> check_part(CheckOptions options, CheckPart part) {
  Check work(std::move(options));
  co_return co_await work.run_part(std::move(part));
}

}  // namespace drover::ycsb::postgres
