// TPC-C on PostgreSQL: the database for the commands (workload/tpcc/database.h), the backend of a
// run, and warnings before a run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "database/postgres/access.h"
#include "database/postgres/pooled_backend.h"
#include "database/postgres/session_setup.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {

std::unique_ptr<Database> make_database(database::postgres::Access access);

// The isolation is not `snapshot`. Order-Status and Stock-Level, which only read, have a snapshot
// at every level. The server ends a statement at its timeout; a round trip has a little more time.
struct PostgresOptions : BackendSettings, database::postgres::Access {
  // Executes the batched style as on a server that loses rows (transactions.h).
  bool by_row = false;
};

// The backend of one worker: a fixed number of connections and the transactions on them. Belongs to
// the worker.
class PostgresBackend final : public database::postgres::PooledBackend<Backend, Session> {
 public:
  explicit PostgresBackend(PostgresOptions options);
  ~PostgresBackend() override;

  coro::Task<std::vector<ResolvedCommit>> resolve(std::vector<UnknownCommit> commits) override;

 private:
  class PostgresSession;

  coro::Task<std::unique_ptr<Pooled>> connect(std::optional<std::size_t> first_host) override;
  bool batched() const noexcept;
  Shape shape_by_row(std::size_t transaction) const noexcept;
  void found_to_need_single_rows(std::string_view note);

  PostgresOptions options_;
  database::postgres::SessionSettings session_settings_;
  Shapes shapes_;
  std::vector<Statement> statements_;
  std::string opened_at_;  // by the server's clock, UTC
  bool by_row_;            // the server loses rows or refuses a batched statement
};

// Returns whether each commit is in the data (resolve.cpp). `since`: a time of the server before
// the run began, as text in UTC. Requires that no session can still execute the transactions:
// database::postgres::end_sessions() first. Throws database::Error.
coro::Task<std::vector<ResolvedCommit>> resolve_commits(database::postgres::Connection& connection,
                                                        std::span<const UnknownCommit> commits,
                                                        std::string since);

// The columns whose values grow with each transaction, and warnings that a run may reach the end of
// their types, also in tables that another tool has made (column_limits.cpp).

struct GrowingColumn {
  Table table;
  std::string_view name;
  // The mean growth per Payment and New-Order of a warehouse, of the row that grows fastest: the
  // row that the non-uniform random choices (clause 2.1.6) hit most.
  double growth;
  std::string_view wide_type;  // the type in Drover's own tables, which no run fills
  // The column whose largest value is read: this one, or a column of a smaller table with the same
  // values.
  Table largest_in;
  std::string_view largest_of;
};

std::span<const GrowingColumn> growing_columns();

struct ColumnRoom {
  std::string type;    // as SQL writes it
  double limit = 0;    // the first value that is out of range
  double largest = 0;  // absolute value in the data
};

// Returns a warning for the user if the run may reach the limit: which column, when, and what to
// do. `schema` is the value of --schema.
std::optional<std::string> limit_note(const GrowingColumn& column, const ColumnRoom& room,
                                      const PlannedWork& work, std::string_view schema);

// Returns true if the run adds so little that the values of a large table need not be read.
bool is_little(const GrowingColumn& column, double limit, const PlannedWork& work) noexcept;

// Returns a warning for each column that the work may fill to the end of its type. Reads the tables
// of warehouses and districts completely, and those of customers and stock only if the work adds a
// hundredth of the limit or more. Throws database::Error.
coro::Task<std::vector<std::string>> find_narrow_columns(Connection& connection, std::string schema,
                                                         PlannedWork work);

}  // namespace drover::tpcc::postgres
