#include "tpcc/ydb/ledger.h"

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::Error;
using database::ydb::Client;
using database::ydb::TransactionMode;
using database::ydb::ValueView;

namespace {

constexpr std::string_view sums = R"(
DECLARE $warehouses AS Int32;
SELECT SUM(d_next_o_id) AS next_o_ids FROM district WHERE d_w_id BETWEEN 1 AND $warehouses;
SELECT SUM(w_ytd) AS ytd FROM warehouse WHERE w_id BETWEEN 1 AND $warehouses;
SELECT COUNT(*) AS undelivered FROM new_order WHERE no_w_id BETWEEN 1 AND $warehouses;)";

}  // namespace

Task<LedgerSums> read_ledger(YdbDatabase database, std::int32_t warehouses) {
  const std::string text = folder_pragma(database).append(sums);
  Client client(database.client);
  co_await client.connect();
  const auto session = co_await ServerSession::open(client);
  session->set_mode(TransactionMode::snapshot_read_only);
  Parameters parameters;
  parameters.add("$warehouses", Primitive::int32, warehouses);
  const QueryResult read = co_await session->execute_and_commit(text, std::move(parameters));
  co_return LedgerSums{read.set(0).at(0, "next_o_ids").integer(), read.set(1).at(0, "ytd").cents(),
                       read.set(2).at(0, "undelivered").integer()};
}

Task<std::optional<LedgerSums>> read_ledger_patiently(YdbDatabase database, std::int32_t warehouses,
                                                      coro::Duration patience) {
  const coro::Instant give_up = coro::Worker::current().now() + patience;
  while (coro::Worker::current().now() < give_up) {
    try {
      co_return co_await coro::with_deadline(give_up, read_ledger(database, warehouses));
    } catch (const Error&) {
      // Tried again below.
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(std::chrono::milliseconds(200));
  }
  co_return std::nullopt;
}

}  // namespace drover::tpcc::ydb
