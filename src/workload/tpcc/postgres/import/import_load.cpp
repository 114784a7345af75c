#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "coro/scope.h"
#include "coro/stealing_pool.h"
#include "database/postgres/admin_session.h"
#include "database/postgres/dialect.h"
#include "workload/tpcc/postgres/import/copy_binary.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::traits_of;

// Large enough that waking a thread for a piece costs little compared with making its rows.
constexpr size_t piece_bytes = 512 * 1024;

// Tables to which others refer come first, so that a schema with references can be extended.
constexpr std::array warehouse_tables = {Table::Warehouse, Table::District, Table::Customer,
                                         Table::History,   Table::Stock,    Table::Order,
                                         Table::NewOrder,  Table::OrderLine};
constexpr std::array item_tables = {Table::Item};

std::span<const Table> tables_of(int32_t part) {
  return part == item_part ? std::span<const Table>(item_tables) : warehouse_tables;
}

// A part of a table's COPY. The pool makes it while the previous one is sent.
struct Piece {
  CopyBuffer bytes{piece_bytes + 4096};
  int64_t rows = 0;
  bool last = false;
};

void require_taken(int64_t taken, int64_t rows, Table table) {
  if (taken == rows) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format(
          "the server stored {} of the {} rows of table {}. A trigger or a rule may reject rows",
          taken, rows, table_name(table)));
}

// The load of all connections.
class Load {
 public:
  Load(const PostgresImportOptions& options, const ImportPlan& plan, ImportWork& work)
      : options_(options),
        plan_(plan),
        work_(work),
        pool_({.workers = std::max<size_t>(options.threads, 1)}) {}

  // Loads parts on one connection until none is left.
  Task<void> run_connection() {
    const std::unique_ptr<Connection> connection = co_await open_import_session(options_);
    const bool in_pieces = traits_of(connection->dialect()).rows_a_transaction > 0;
    while (next_ < plan_.missing.size()) {
      const int32_t part = plan_.missing[next_++];
      co_await (in_pieces ? load_part_in_pieces(*connection, part) : load_part(*connection, part));
      if (part != item_part) work_.count_warehouse();
    }
  }

 private:
  std::string qualified(std::string_view table) const {
    return qualified_name(options_.schema, table);
  }

  Task<void> load_part(Connection& connection, int32_t part) {
    co_await connection.script("BEGIN");
    int64_t rows = 0;
    for (const Table table : tables_of(part)) rows += co_await copy_table(connection, table, part);
    co_await record_part(connection, part, rows);
    co_await connection.script("COMMIT");
  }

  Task<void> record_part(Connection& connection, int32_t part, int64_t rows) {
    const Result recorded = co_await connection.script(fmt::format(
        "INSERT INTO {} (w_id, rows) VALUES ({}, {})", qualified(loaded_table), part, rows));
    require_written(recorded, 1, loaded_table);
  }

  Task<int64_t> copy_table(Connection& connection, Table table, int32_t part) {
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
    require_taken(taken, rows.rows_written(), table);
    co_return taken;
  }

  Task<void> make_piece(TableCopy& rows, Piece& piece) {
    auto make = [&rows, &piece] {
      const int64_t rows_before = rows.rows_written();
      piece.last = !rows.fill(piece.bytes, piece_bytes - std::min(piece_bytes, piece.bytes.size()));
      if (piece.last) piece.bytes.trailer();
      piece.rows = rows.rows_written() - rows_before;
    };
    co_await pool_.run(make);
  }

  Task<void> send_piece(Connection& connection, Table table, Piece& piece) {
    co_await connection.copy_send(piece.bytes.view());
    work_.count(table, piece.rows, static_cast<int64_t>(piece.bytes.size()));
    piece.bytes.clear();
  }

  Task<void> load_part_in_pieces(Connection& connection, int32_t part) {
    int64_t rows = 0;
    for (const Table table : tables_of(part)) {
      rows += co_await load_table_in_pieces(connection, table, part);
    }
    auto record = [&]() -> Task<void> {
      co_await connection.script("BEGIN");
      co_await record_part(connection, part, rows);
      co_await connection.script(
          fmt::format("DELETE FROM {} WHERE w_id = {}", qualified(progress_table), part));
      co_await connection.script("COMMIT");
    };
    co_await database::postgres::with_retries(connection, record);
  }

  Task<int64_t> load_table_in_pieces(Connection& connection, Table table, int32_t part) {
    const int64_t rows_most = traits_of(connection.dialect()).rows_a_transaction - 1;
    PieceProgress before = progress_of(table, part);
    CopyBuffer bytes(piece_bytes);
    TableCopy rows(table, part, plan_.population);
    rows.skip_to(before.next, bytes);
    bool more = rows.next() < PopulationRows::size(table);
    while (more) {
      const int64_t rows_before = rows.rows_written();
      auto make = [&] {
        bytes.clear();
        bytes.header();
        more = rows.fill_rows(bytes, rows_most);
        bytes.trailer();
      };
      co_await pool_.run(make);
      const int64_t made = rows.rows_written() - rows_before;
      const PieceProgress after = {part, before.table, rows.next(), before.rows + made};
      co_await database::postgres::with_retries(
          connection, [&] { return load_piece(connection, table, before, after, bytes); });
      work_.count(table, made, static_cast<int64_t>(bytes.size()));
      before = after;
    }
    co_return before.rows;
  }

  PieceProgress progress_of(Table table, int32_t part) const {
    for (const PieceProgress& one : options_.progress) {
      if (one.part == part && one.table == table_name(table)) return one;
    }
    return {.part = part, .table = std::string(table_name(table))};
  }

  // Writes the record first: of two processes that load the same piece, the second one waits there
  // and finds that the piece is loaded.
  Task<void> load_piece(Connection& connection, Table table, const PieceProgress& before,
                        const PieceProgress& after, const CopyBuffer& bytes) {
    co_await connection.script("BEGIN");
    const Result recorded = co_await connection.script(record_of(before, after));
    if (recorded.affected() == 0 && co_await is_recorded(connection, after)) {
      co_await connection.script("ROLLBACK");
      co_return;
    }
    require_written(recorded, 1, progress_table);
    co_await connection.copy_begin(copy_statement(table, options_.schema));
    const std::string_view all = bytes.view();
    for (size_t sent = 0; sent < all.size(); sent += piece_bytes) {
      co_await connection.copy_send(all.substr(sent, piece_bytes));
    }
    const int64_t taken = co_await connection.copy_end();
    require_taken(taken, after.rows - before.rows, table);
    co_await connection.script("COMMIT");
  }

  // Returns the statement that records a piece.
  std::string record_of(const PieceProgress& before, const PieceProgress& after) const {
    const std::string progress = qualified(progress_table);
    if (before.next == 0) {
      return fmt::format(
          "INSERT INTO {} (w_id, table_name, next, rows) SELECT {}, '{}', {}, {} "
          "WHERE NOT EXISTS (SELECT 1 FROM {} WHERE w_id = {})",
          progress, after.part, after.table, after.next, after.rows, qualified(loaded_table),
          after.part);
    }
    return fmt::format(
        "UPDATE {} SET next = {}, rows = {} WHERE w_id = {} AND table_name = '{}' AND next = {}",
        progress, after.next, after.rows, after.part, after.table, before.next);
  }

  // Returns true if the piece that ends at `after` is in the database. The COMMIT of an interrupted
  // import may be executed after this import has read the progress.
  Task<bool> is_recorded(Connection& connection, const PieceProgress& after) const {
    const Result found = co_await connection.query(fmt::format(
        "SELECT 1 FROM {} WHERE w_id = {} AND table_name = '{}' AND next = {} AND rows = {}",
        qualified(progress_table), after.part, after.table, after.next, after.rows));
    co_return found.rows() == 1;
  }

  const PostgresImportOptions& options_;
  const ImportPlan& plan_;
  ImportWork& work_;
  coro::StealingPool pool_;
  size_t next_ = 0;
};

}  // namespace

Task<void> load_parts(const PostgresImportOptions& options, const ImportPlan& plan,
                      ImportWork& work) {
  for (const int32_t part : plan.missing) {
    for (const Table table : tables_of(part)) work.expect(table);
  }
  Load load(options, plan, work);
  const size_t connections = std::clamp<size_t>(options.connections, 1, plan.missing.size());
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (size_t index = 0; index < connections; ++index) scope.start(load.run_connection());
    co_return;
  };
  co_await coro::with_scope(body);
}

}  // namespace drover::tpcc::postgres
