// The administration of data (database/admin_session.h) on YDB.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "database/admin_session.h"
#include "database/ydb/database_access.h"

namespace drover::database::ydb {

class YdbAdminSession final : public AdminSession {
 public:
  // The access must outlive the session. Tables lie in its folder.
  explicit YdbAdminSession(DatabaseAccess& access) noexcept : access_(access) {}

  std::string table(std::string_view name) const override { return std::string(name); }
  coro::Task<AdminRows> query(std::string text,
                              std::vector<AdminParameter> parameters = {}) override;
  coro::Task<void> change_tables(std::string text) override {
    return access_.change_scheme(std::move(text));
  }
  coro::Task<std::vector<bool>> tables_exist(std::vector<std::string> names) override;
  bool is_unknown_column(const Error& error) const noexcept override;

 private:
  DatabaseAccess& access_;
};

}  // namespace drover::database::ydb
