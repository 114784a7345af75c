// YDB as the tests of tpcc/every_database see it.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/ydb/small_database_test.h"

namespace drover::tpcc {
namespace {

using ydb::SmallYdbDatabase;
using ydb::YdbBackend;
using ydb::YdbDatabase;

class TestedYdb final : public TestedDatabase {
 public:
  explicit TestedYdb(std::shared_ptr<SmallYdbDatabase> database) : database_(std::move(database)) {}

  void reset() override { database_->reset(); }

  std::unique_ptr<Backend> backend(TestedStyle style, std::size_t connections) override {
    const BackendSettings settings{.style = style.style,
                                   .connections = connections,
                                   .resolve_timeout = std::chrono::minutes(10)};
    return std::make_unique<YdbBackend>(database_->database(), settings);
  }

  std::unique_ptr<Backend> backend_of_nobody() override {
    YdbDatabase nowhere = database_->database();
    nowhere.client.target.port = 1;
    nowhere.client.opening_timeout = std::chrono::milliseconds(100);
    const BackendSettings settings{.resolve_timeout = std::chrono::milliseconds(100)};
    return std::make_unique<YdbBackend>(nowhere, settings);
  }

  postgres::SmallDatabase& sql() override { return database_->sql(); }

  std::string amount(std::string_view column) const override {
    return fmt::format("{}::numeric(22,2)", column);
  }

  // A Timestamp is a number of microseconds.
  std::string is_now(std::string_view column) const override {
    return fmt::format("abs({} / 1000000 - extract(epoch FROM now())) < 600", column);
  }

 private:
  std::shared_ptr<SmallYdbDatabase> database_;
};

}  // namespace

std::vector<TestedStyle> tested_styles() {
  return {{StatementStyle::batched}, {StatementStyle::single}};
}

std::shared_ptr<TestedDatabase> tested_database(std::string& reason) {
  reason = test::YdbTestServer::reason_to_skip();
  if (!reason.empty()) return nullptr;
  static const auto database = std::make_shared<TestedYdb>(SmallYdbDatabase::shared_if_possible());
  return database;
}

}  // namespace drover::tpcc
