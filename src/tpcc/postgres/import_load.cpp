#include "tpcc/postgres/import_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/promise.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "tpcc/postgres/import_session.h"
#include "tpcc/postgres/population_copy.h"
#include "tpcc/postgres/schema.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;

// About what a socket takes at a time: larger ones only move more memory.
constexpr size_t chunk_bytes = 128 * 1024;

// What is referred to comes first, so that a schema that has its references already can be
// extended.
constexpr std::array warehouse_tables = {Table::Warehouse, Table::District, Table::Customer,
                                         Table::History,   Table::Stock,    Table::Order,
                                         Table::NewOrder,  Table::OrderLine};
constexpr std::array item_tables = {Table::Item};

// What all connections of all threads share.
class Load {
 public:
  Load(const LoadOptions& options, const ImportPlan& plan, ImportCounters& counters)
      : options_(options), plan_(plan), counters_(counters) {}

  // Loads parts until none is left, on one connection of the calling worker.
  Task<void> run_connection();

 private:
  Task<void> load_part(Connection& connection, int32_t part);
  Task<int64_t> copy_part(Connection& connection, int32_t part);
  Task<int64_t> copy_table(Connection& connection, Table table, int32_t part);

  const LoadOptions& options_;
  const ImportPlan& plan_;
  ImportCounters& counters_;
  std::atomic<size_t> next_{0};
};

Task<int64_t> Load::copy_table(Connection& connection, Table table, int32_t part) {
  co_await connection.copy_begin(copy_statement(table, options_.schema));
  TableCopy rows(table, part, plan_.population);
  CopyBuffer buffer(chunk_bytes + 4096);
  append_copy_header(buffer);
  std::atomic<int64_t>& table_rows = counters_.rows_by_table[static_cast<size_t>(table)];
  int64_t counted = 0;
  for (bool more = true; more;) {
    more = rows.fill(buffer, chunk_bytes - std::min(chunk_bytes, buffer.size()));
    if (!more) append_copy_trailer(buffer);
    const std::span<const char> bytes(buffer.data(), buffer.size());
    co_await connection.copy_send(bytes);
    counters_.bytes.fetch_add(static_cast<int64_t>(buffer.size()), std::memory_order_relaxed);
    table_rows.fetch_add(rows.rows_written() - counted, std::memory_order_relaxed);
    counted = rows.rows_written();
    buffer.clear();
    // A server that takes whatever we have must not keep the other connections waiting.
    co_await coro::yield();
  }
  co_return co_await connection.copy_end();
}

Task<int64_t> Load::copy_part(Connection& connection, int32_t part) {
  const std::span<const Table> tables =
      part == item_part ? std::span<const Table>(item_tables) : warehouse_tables;
  int64_t rows = 0;
  for (const Table table : tables) rows += co_await copy_table(connection, table, part);
  co_return rows;
}

Task<void> Load::load_part(Connection& connection, int32_t part) {
  co_await connection.script("BEGIN");
  const int64_t rows = co_await copy_part(connection, part);
  std::string record = fmt::format("INSERT INTO {} (w_id, rows) VALUES ({}, {}); COMMIT",
                                   qualified_name(options_.schema, loaded_table), part, rows);
  co_await connection.script(std::move(record));
  if (part != item_part) counters_.warehouses.fetch_add(1, std::memory_order_relaxed);
}

Task<void> Load::run_connection() {
  const std::unique_ptr<Connection> connection =
      co_await open_import_session(options_.conninfo, options_.schema);
  for (;;) {
    const size_t place = next_.fetch_add(1, std::memory_order_relaxed);
    if (place >= plan_.missing.size()) break;
    co_await load_part(*connection, plan_.missing[place]);
  }
}

Task<void> run_connections(Load& load, size_t count) {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (size_t index = 0; index < count; ++index) scope.start(load.run_connection());
    co_return;
  };
  co_await coro::with_scope(body);
}

// Another thread with a worker and connections of its own. Destroying it stops and joins it.
class LoadThread {
 public:
  // To be made on a worker, which awaits the end.
  LoadThread(Load& load, size_t connections) : load_(load), connections_(connections) {
    auto [promise, future] = coro::make_promise<bool>();
    future_.emplace(std::move(future));
    thread_ = std::thread([this, ended = std::move(promise)]() mutable {
      if (const std::exception_ptr error = run()) {
        ended.set_error(error);
      } else {
        ended.set_value(true);
      }
    });
  }
  LoadThread(const LoadThread&) = delete;
  LoadThread& operator=(const LoadThread&) = delete;
  ~LoadThread() {
    worker_.post([this] { stop(); });
    thread_.join();
  }

  // Throws what the thread's connections threw. Once.
  Task<void> wait() {
    coro::Future<bool> ended = std::move(*future_);
    co_await std::move(ended).get();
  }

 private:
  struct Forget {
    coro::CancelSource*& source;
    ~Forget() { source = nullptr; }
  };

  std::exception_ptr run() noexcept {
    try {
      coro::block_on(worker_, run_until_stopped());
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  Task<void> run_until_stopped() {
    coro::CancelSource& outer = co_await coro::current_source();
    coro::CancelSource source(outer);
    source_ = &source;
    const Forget forget{source_};
    if (stopped_) source.cancel();
    Task<void> running = run_connections(load_, connections_);
    co_await std::move(running).under(source);
  }

  // On the thread's worker.
  void stop() noexcept {
    stopped_ = true;
    if (source_ != nullptr) source_->cancel();
  }

  Load& load_;
  size_t connections_;
  coro::Worker worker_;
  std::optional<coro::Future<bool>> future_;

  // Only on the thread.
  bool stopped_ = false;
  coro::CancelSource* source_ = nullptr;

  std::thread thread_;
};

}  // namespace

Task<void> load_parts(const LoadOptions& options, const ImportPlan& plan,
                      ImportCounters& counters) {
  Load load(options, plan, counters);
  const size_t connections = std::clamp<size_t>(options.connections, 1, plan.missing.size());
  const size_t threads = std::clamp<size_t>(options.threads, 1, connections);
  std::vector<std::unique_ptr<LoadThread>> others;
  for (size_t index = 1; index < threads; ++index) {
    const size_t share = connections / threads + (index < connections % threads ? 1 : 0);
    others.push_back(std::make_unique<LoadThread>(load, share));
  }
  const size_t own_share = connections / threads + (connections % threads > 0 ? 1 : 0);
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (const auto& other : others) scope.start(other->wait());
    scope.start(run_connections(load, own_share));
    co_return;
  };
  co_await coro::with_scope(body);
}

}  // namespace drover::tpcc::postgres
