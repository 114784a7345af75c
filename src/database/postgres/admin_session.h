// The administration of data (database/admin_session.h) on PostgreSQL and its relatives.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace drover::database::postgres
