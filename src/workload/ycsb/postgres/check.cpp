// The check reads the table in one snapshot, by ranges of its blocks, in parallel sessions and with
// bounded memory. One session reads all of it if the server cannot read ranges of blocks.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "coro/scope.h"
#include "database/error.h"
#include "database/postgres/admin_session.h"
#include "database/postgres/session_setup.h"
#include "database/postgres/shared_snapshot.h"
#include "text/plain_text.h"
#include "workload/ycsb/check.h"
#include "workload/ycsb/postgres/database_on_postgres.h"

namespace drover::ycsb::postgres {
namespace {

using coro::Task;
using database::Error;
using database::postgres::Access;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::SharedSnapshot;

// Since this version, a query for a range of blocks reads only these.
constexpr int reads_ranges_since = 140000;

class PostgresCheck final : public TableCheck {
 public:
  PostgresCheck(Access access, const CheckSettings& settings)
      : TableCheck(settings, table_of(settings.properties)),
        access_(std::move(access)),
        rows_fetched_(rows_per_fetch()) {}

  Task<CheckReport> run();

 private:
  std::uint64_t cut(std::uint64_t blocks) override {
    pieces_ = std::max<std::uint64_t>(1, blocks / settings_.blocks_of_piece);
    return pieces_;
  }
  Task<void> read_pieces(std::size_t sessions) override;
  Task<std::unique_ptr<Connection>> open_first();
  Task<std::unique_ptr<Connection>> open_further(database::Pooling pooling) const;
  Task<void> require_all_rows_visible() const;
  Task<std::uint64_t> count_blocks() const;
  Task<void> read_pieces_on(Connection& connection);
  Task<void> join_and_read_pieces(database::Pooling pooling);
  std::string condition_of(std::uint64_t piece) const;

  Access access_;
  SharedSnapshot snapshot_;
  std::unique_ptr<Connection> first_;
  const std::uint64_t rows_fetched_;
  std::uint64_t pieces_ = 1;  // of the whole table
};

// Makes the server refuse to read a table from which policies would hide rows.
Task<void> refuse_hidden_rows(Connection& connection) {
  co_await database::postgres::set_if_known(connection, "SET row_security = off");
}

Task<void> PostgresCheck::require_all_rows_visible() const {
  constexpr std::string_view no_right_to_read = "42501";
  try {
    co_await first_->query(fmt::format("SELECT FROM {} LIMIT 0", table_.name));
  } catch (const Error& error) {
    if (error.sqlstate() != no_right_to_read) throw;
    throw database::UnfitSchema(
        fmt::format("{} The check must see all rows of {}. Use a role that can read the whole "
                    "table: its owner, or a role with BYPASSRLS",
                    text::sentence(error.what()), table_.plain_name));
  }
}

// Returns the number of the table's blocks, or 0 if the server cannot tell or cannot read ranges.
Task<std::uint64_t> PostgresCheck::count_blocks() const {
  if (first_->server_version() < reads_ranges_since) co_return 0;
  try {
    co_await first_->script(
        fmt::format("SELECT FROM {} WHERE ctid >= '(0,0)' AND ctid < '(0,0)'", table_.name));
    const Result size = co_await first_->query(
        "SELECT pg_relation_size(to_regclass($1::text)) / current_setting('block_size')::int8",
        table_.name);
    co_return size.number<std::uint64_t>(0, 0);
  } catch (const Error& error) {
    if (!database::postgres::refused_by_server(error, *first_)) throw;
  }
  co_await SharedSnapshot::recover(*first_);
  co_return 0;
}

// The last piece has no end, because the table may have grown since its blocks were counted.
std::string PostgresCheck::condition_of(std::uint64_t piece) const {
  if (pieces_ == 1) return "";
  const std::uint64_t blocks = settings_.blocks_of_piece;
  std::string condition = fmt::format(" WHERE ctid >= '({},0)'", piece * blocks);
  if (piece + 1 < pieces_) condition += fmt::format(" AND ctid < '({},0)'", (piece + 1) * blocks);
  return condition;
}

Task<void> PostgresCheck::read_pieces_on(Connection& connection) {
  while (const auto piece = next_piece()) {
    co_await connection.script(
        fmt::format("DECLARE piece NO SCROLL CURSOR FOR SELECT {}, {} FROM {}{}", key_column,
                    table_.all_fields, table_.name, condition_of(*piece)));
    for (;;) {
      const Result rows =
          co_await connection.script(fmt::format("FETCH {} FROM piece", rows_fetched_));
      if (rows.rows() == 0) break;
      for (int row = 0; row < rows.rows(); ++row) {
        verify_row(rows.text(row, 0),
                   [&](std::size_t field) { return rows.text(row, static_cast<int>(field) + 1); });
      }
      tell_progress();
    }
    co_await connection.script("CLOSE piece");
    ++report_.pieces;
  }
}

Task<std::unique_ptr<Connection>> PostgresCheck::open_further(database::Pooling pooling) const {
  auto connection = co_await database::postgres::open_in_schema(access_, pooling);
  co_await refuse_hidden_rows(*connection);
  co_return connection;
}

Task<void> PostgresCheck::join_and_read_pieces(database::Pooling pooling) {
  const auto connection =
      co_await snapshot_.join([this, pooling] { return open_further(pooling); });
  co_await read_pieces_on(*connection);
}

// Returns only after all sessions have joined the snapshot, which ends with the first transaction.
// The transactions are not ended explicitly, because the sessions close.
Task<void> PostgresCheck::read_pieces(std::size_t sessions) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 1; i < sessions; ++i) {
      scope.start(join_and_read_pieces(first_->pooling()));
    }
    co_await read_pieces_on(*first_);
  };
  co_await coro::with_scope(body);
}

Task<std::unique_ptr<Connection>> PostgresCheck::open_first() {
  auto first = co_await database::postgres::open_in_schema(access_);
  access_.dialect = first->dialect();
  co_await refuse_hidden_rows(*first);
  co_return first;
}

Task<CheckReport> PostgresCheck::run() {
  if (settings_.part) {
    snapshot_ = SharedSnapshot(settings_.part->snapshot);
    first_ = co_await snapshot_.join([this] { return open_first(); });
    co_await read_share(*settings_.part);
    report_.snapshot_refusal = snapshot_.refusal();
    co_return std::move(report_);
  }
  first_ = co_await open_first();
  co_await snapshot_.begin(*first_);
  database::postgres::PostgresAdminSession session(*first_, "");
  co_await require_record(session);
  co_await require_all_rows_visible();
  report_.server_version = first_->parameter_status("server_version");
  const std::uint64_t blocks = co_await count_blocks();
  co_await read_all({.snapshot = snapshot_.name(), .table_size = blocks});
  if (snapshot_.refusal()) report_.snapshot_refusal = snapshot_.refusal();
  co_return std::move(report_);
}

}  // namespace

Task<CheckReport> check(Access access, CheckSettings settings) {
  PostgresCheck work(std::move(access), settings);
  co_return co_await work.run();
}

}  // namespace drover::ycsb::postgres
