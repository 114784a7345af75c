#include "tpcc/postgres/ledger.h"

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "tpcc/postgres/postgres_backend.h"

namespace drover::tpcc::postgres {

using coro::Task;
using database::Error;
using database::postgres::Connection;
using database::postgres::Result;

namespace {

// Another tool's money may be binary floating point: each value is rounded to cents.
const database::postgres::Statement sums{
    "ledger_sums",
    "SELECT (SELECT sum(d_next_o_id)::int8 FROM district WHERE d_w_id BETWEEN 1 AND $1::int4), "
    "(SELECT (sum(round(w_ytd::numeric, 2)) * 100)::int8 FROM warehouse "
    "WHERE w_id BETWEEN 1 AND $1::int4), "
    "(SELECT count(*) FROM new_order WHERE no_w_id BETWEEN 1 AND $1::int4)"};

}  // namespace

Task<LedgerSums> read_ledger(Connection& connection, std::int32_t warehouses) {
  const std::span<const database::postgres::Statement> statements(&sums, 1);
  co_await connection.prepare(statements);
  const Result result = co_await connection.execute(sums, warehouses);
  co_return LedgerSums{result.int8(0, 0), result.int8(0, 1), result.int8(0, 2)};
}

namespace {

Task<LedgerSums> read_ledger_once(std::string conninfo, std::string schema,
                                  std::int32_t warehouses) {
  const auto connection = co_await open_in_schema(std::move(conninfo), std::move(schema));
  co_return co_await read_ledger(*connection, warehouses);
}

}  // namespace

Task<std::optional<LedgerSums>> read_ledger_patiently(std::string conninfo, std::string schema,
                                                      std::int32_t warehouses,
                                                      coro::Duration patience) {
  const coro::Instant give_up = coro::Worker::current().now() + patience;
  while (coro::Worker::current().now() < give_up) {
    try {
      co_return co_await coro::with_deadline(give_up,
                                             read_ledger_once(conninfo, schema, warehouses));
    } catch (const Error&) {
      // Tried again below.
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(std::chrono::milliseconds(200));
  }
  co_return std::nullopt;
}

}  // namespace drover::tpcc::postgres
