#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "coro/scope.h"
#include "coro/stealing_pool.h"
#include "database/error.h"
#include "workload/tpcc/postgres/import/copy_binary.h"
#include "workload/tpcc/postgres/import/schema.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;

// Large enough that waking a thread of the pool for each costs little beside making it.
constexpr size_t piece_bytes = 512 * 1024;

// What is referred to comes first, so that a schema that has its references already can be
// extended.
constexpr std::array warehouse_tables = {Table::Warehouse, Table::District, Table::Customer,
                                         Table::History,   Table::Stock,    Table::Order,
                                         Table::NewOrder,  Table::OrderLine};
constexpr std::array item_tables = {Table::Item};

std::span<const Table> tables_of(int32_t part) {
  return part == item_part ? std::span<const Table>(item_tables) : warehouse_tables;
}

// A part of a table's COPY, made on the pool while the one before it is sent.
struct Piece {
  CopyBuffer bytes{piece_bytes + 4096};
  int64_t rows = 0;
  bool last = false;
};

// What all connections share.
class Load {
 public:
  Load(const ImportOptions& options, const ImportPlan& plan, ImportWork& work,
       coro::StealingPool& pool)
      : options_(options), plan_(plan), work_(work), pool_(pool) {}

  // Loads parts until none is left, on one connection.
  Task<void> run_connection();

 private:
  Task<void> load_part(Connection& connection, int32_t part);
  Task<int64_t> copy_part(Connection& connection, int32_t part);
  Task<int64_t> copy_table(Connection& connection, Table table, int32_t part);
  Task<void> make_piece(TableCopy& rows, Piece& piece);
  Task<void> send_piece(Connection& connection, Table table, Piece& piece);

  const ImportOptions& options_;
  const ImportPlan& plan_;
  ImportWork& work_;
  coro::StealingPool& pool_;
  size_t next_ = 0;
};

Task<void> Load::make_piece(TableCopy& rows, Piece& piece) {
  auto make = [&rows, &piece] {
    const int64_t rows_before = rows.rows_written();
    piece.last = !rows.fill(piece.bytes, piece_bytes - std::min(piece_bytes, piece.bytes.size()));
    if (piece.last) piece.bytes.trailer();
    piece.rows = rows.rows_written() - rows_before;
  };
  co_await pool_.run(make);
}

Task<void> Load::send_piece(Connection& connection, Table table, Piece& piece) {
  co_await connection.copy_send({piece.bytes.data(), piece.bytes.size()});
  work_.count(table, piece.rows, static_cast<int64_t>(piece.bytes.size()));
  piece.bytes.clear();
}

Task<int64_t> Load::copy_table(Connection& connection, Table table, int32_t part) {
  co_await connection.copy_begin(copy_statement(table, options_.schema));
  TableCopy rows(table, part, plan_.population);
  Piece sent;
  Piece made;
  made.bytes.header();
  co_await make_piece(rows, made);
  while (!made.last) {
    std::swap(sent, made);
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(make_piece(rows, made));
      co_await send_piece(connection, table, sent);
    };
    co_await coro::with_scope(body);
  }
  co_await send_piece(connection, table, made);
  const int64_t taken = co_await connection.copy_end();
  if (taken == rows.rows_written()) co_return taken;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format(
          "the server took {} of the {} rows of table {}: does a trigger or a rule keep them "
          "out?",
          taken, rows.rows_written(), table_name(table)));
}

Task<int64_t> Load::copy_part(Connection& connection, int32_t part) {
  int64_t rows = 0;
  for (const Table table : tables_of(part)) rows += co_await copy_table(connection, table, part);
  co_return rows;
}

Task<void> Load::load_part(Connection& connection, int32_t part) {
  co_await connection.script("BEGIN");
  const int64_t rows = co_await copy_part(connection, part);
  std::string record = fmt::format("INSERT INTO {} (w_id, rows) VALUES ({}, {})",
                                   qualified_name(options_.schema, loaded_table), part, rows);
  const auto recorded = co_await connection.script(std::move(record));
  require_written(recorded, 1, loaded_table);
  co_await connection.script("COMMIT");
  if (part != item_part) work_.count_warehouse();
}

Task<void> Load::run_connection() {
  const std::unique_ptr<Connection> connection = co_await open_import_session(options_);
  while (next_ < plan_.missing.size()) co_await load_part(*connection, plan_.missing[next_++]);
}

}  // namespace

Task<void> load_parts(const ImportOptions& options, const ImportPlan& plan, ImportWork& work) {
  for (const int32_t part : plan.missing) {
    for (const Table table : tables_of(part)) work.expect(table);
  }
  coro::StealingPool pool({.workers = std::max<size_t>(options.threads, 1)});
  Load load(options, plan, work, pool);
  const size_t connections = std::clamp<size_t>(options.connections, 1, plan.missing.size());
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (size_t index = 0; index < connections; ++index) scope.start(load.run_connection());
    co_return;
  };
  co_await coro::with_scope(body);
}

}  // namespace drover::tpcc::postgres
