#include "database/ydb/snapshot_writes.h"

#include <fmt/format.h>

#include <utility>

#include "database/ydb/client.h"
#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "database/ydb/ydb_error.h"
#include "text/plain_text.h"

namespace drover::database::ydb {

using coro::Task;

namespace {

Task<void> write_nothing(const YdbDatabase& database, const std::string& probe) {
  const std::string text = folder_pragma(database).append(probe);
  Client client(database.client);
  co_await client.connect();
  const auto session = co_await Session::open(client);
  session->set_mode(TransactionMode::snapshot_read_write);
  co_await session->execute(text);
  co_await session->roll_back();
}

bool is_refusal(const YdbError& error) noexcept {
  return error.status() == Status::bad_request || error.status() == Status::unsupported;
}

}  // namespace

Task<void> require_snapshot_writes(YdbDatabase database, std::string probe) {
  auto attempt = [&]() -> Task<void> { co_await write_nothing(database, probe); };
  try {
    co_await patiently(attempt);
  } catch (const YdbError& error) {
    if (!is_refusal(error)) throw;
    throw Error(
        error.error_class(), error.sqlstate(),
        fmt::format("--tx-mode snapshot-rw: this server does not support snapshot isolation for "
                    "transactions that write: {} Use --tx-mode serializable-rw (the default), or "
                    "set enable_snapshot_isolation_rw in the server's table_service_config",
                    text::sentence(error.what())));
  }
}

}  // namespace drover::database::ydb
