#include "tpcc/ydb/snapshot_writes.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "database/error.h"
#include "database/ydb/client.h"
#include "database/ydb/session.h"
#include "database/ydb/ydb_error.h"
#include "tpcc/ydb/patience.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::Error;
using database::ydb::Session;
using database::ydb::Status;
using database::ydb::YdbError;

namespace {

// Warehouses are numbered from 1. Some servers refuse such a transaction when it begins, others
// when it writes, and a condition that never holds would be taken out of the statement.
constexpr std::string_view probe = "UPDATE warehouse SET w_ytd = w_ytd WHERE w_id = 0;";

Task<void> write_nothing(const YdbDatabase& database) {
  const std::string text = folder_pragma(database).append(probe);
  database::ydb::Client client(database.client);
  co_await client.connect();
  const auto session = co_await Session::open(client);
  session->set_mode(database::ydb::TransactionMode::snapshot_read_write);
  co_await session->execute(text);
  co_await session->roll_back();
}

bool is_refusal(const YdbError& error) noexcept {
  return error.status() == Status::bad_request || error.status() == Status::unsupported;
}

}  // namespace

Task<void> require_snapshot_writes(YdbDatabase database) {
  auto attempt = [&]() -> Task<void> { co_await write_nothing(database); };
  try {
    co_await patiently(attempt);
  } catch (const YdbError& error) {
    if (!is_refusal(error)) throw;
    throw Error(error.error_class(), error.sqlstate(),
                fmt::format("--tx-mode snapshot-rw: this server has no snapshots for transactions "
                            "that write: {}. Run with --tx-mode serializable-rw, which is the "
                            "default, or have enable_snapshot_isolation_rw set in the server's "
                            "table_service_config",
                            error.what()));
  }
}

}  // namespace drover::tpcc::ydb
