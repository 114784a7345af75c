// Administration of data on PostgreSQL and its relatives: AdminSession (database/admin_session.h),
// and statements that are repeated on servers that may ask for another attempt.
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/task.h"
#include "database/admin_session.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

class PostgresAdminSession final : public AdminSession {
 public:
  // The connection must outlive the session. Tables are qualified by `schema` unless it is empty.
  PostgresAdminSession(Connection& connection, std::string schema)
      : connection_(connection), schema_(std::move(schema)) {}

  std::string table(std::string_view name) const override;
  coro::Task<AdminRows> query(std::string text,
                              std::vector<AdminParameter> parameters = {}) override;
  coro::Task<void> change_tables(std::string text) override;
  coro::Task<std::vector<bool>> tables_exist(std::vector<std::string> names) override;
  bool is_unknown_column(const Error& error) const noexcept override;

 private:
  Connection& connection_;
  std::string schema_;
};

// Executes a transaction on the connection, up to ten times while its error is retryable. Rolls
// back after an error.
coro::Task<void> with_retries(Connection& connection,
                              std::function<coro::Task<void>()> transaction);

// Executes Connection::script() in the same way. Within a transaction executes it once.
coro::Task<Result> script_with_retries(Connection& connection, std::string sql);

// Returns a line for the user after an ANALYZE that the server answered with a warning, because it
// skips tables that another role owns.
std::string no_statistics_note(std::string_view tables, std::string_view warning);

}  // namespace drover::database::postgres
